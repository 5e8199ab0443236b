#include "base/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace fencepost {
namespace {

const char* word(Severity s) {
  switch (s) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::note:
      return "note";
  }
  return "error";
}

// The line that holds byte `at`, without its line end.
std::string_view line_of(std::string_view text, size_t at, size_t& start) {
  at = std::min(at, text.size());
  const size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  start = newline == std::string_view::npos ? 0 : newline + 1;
  size_t end = text.find('\n', start);
  if (end == std::string_view::npos) end = text.size();
  if (end > start && text[end - 1] == '\r') --end;
  return text.substr(start, end - start);
}

// Restricted Damerau-Levenshtein distance (a swap of neighbours counts one).
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(now);
  }
  return last[b.size()];
}

std::string lower(std::string_view s) {
  std::string out(s);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

}  // namespace

bool Diagnostics::has_errors() const {
  return std::any_of(list.begin(), list.end(), [](const Diagnostic& d) { return d.severity == Severity::error; });
}

void Diagnostics::append(const Diagnostics& other) { list.insert(list.end(), other.list.begin(), other.list.end()); }

std::unexpected<Diagnostics> error_at(const Span& span, std::string message, std::string hint) {
  return std::unexpected(
      Diagnostics(Diagnostic{Severity::error, Fault::bad_input, span, std::move(message), std::move(hint)}));
}

std::unexpected<Diagnostics> unsupported_at(const Span& span, std::string message, std::string hint) {
  return std::unexpected(
      Diagnostics(Diagnostic{Severity::error, Fault::unsupported, span, std::move(message), std::move(hint)}));
}

std::string render(const Diagnostic& d) {
  std::string out;
  if (d.span.source) out += d.span.location() + ": ";
  out += fmt::format("{}: {}{}\n", word(d.severity), d.fault == Fault::unsupported ? "unsupported: " : "", d.message);
  if (d.span.source && !d.span.source->text.empty()) {
    size_t start = 0;
    const std::string_view line = line_of(d.span.source->text, d.span.begin, start);
    const size_t column = std::min<size_t>(d.span.begin - std::min<size_t>(d.span.begin, start), line.size());
    const size_t covered = d.span.end > d.span.begin ? d.span.end - d.span.begin : 1;
    const size_t width = std::max<size_t>(1, std::min(covered, line.size() - column));
    out += fmt::format("{:>4} | {}\n     | ", d.span.position().line, line);
    // Tabs are repeated and continuation bytes of UTF-8 skipped, so that the caret stands under the text.
    for (size_t i = 0; i < column; ++i)
      if ((static_cast<unsigned char>(line[i]) & 0xc0) != 0x80) out += line[i] == '\t' ? '\t' : ' ';
    out += '^';
    for (size_t i = 1; i < width; ++i)
      if ((static_cast<unsigned char>(line[column + i]) & 0xc0) != 0x80) out += '~';
    out += '\n';
  }
  if (!d.hint.empty()) out += fmt::format("     = hint: {}\n", d.hint);
  return out;
}

std::string render(const Diagnostics& ds) {
  std::string out;
  for (const Diagnostic& d : ds.list) out += render(d);
  return out;
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  // A likely typo changes at most a third of the word (one letter of a short one); letter case counts little.
  const size_t limit = std::max<size_t>(1, word.size() / 3);
  const std::string folded = lower(word);
  size_t best = SIZE_MAX;
  const std::string* found = nullptr;
  for (const std::string& c : candidates) {
    if (c == word) continue;
    const size_t gap = c.size() > word.size() ? c.size() - word.size() : word.size() - c.size();
    if (gap > limit) continue;
    const size_t folded_distance = edit_distance(folded, lower(c));
    if (folded_distance > limit || folded_distance >= std::max(word.size(), c.size())) continue;
    const size_t score = 2 * folded_distance + (edit_distance(word, c) != folded_distance ? 1 : 0);
    if (score < best) {
      best = score;
      found = &c;
    }
  }
  return found != nullptr ? *found : std::string();
}

void invariant_failed(const char* file, int line, const char* sentence) {
  // A fault of ours must never look like an answer: exit code 4, whatever threads are running.
  std::fprintf(stderr, "fencepost: internal error: %s (%s:%d)\n", sentence, file, line);
  std::fprintf(stderr, "fencepost: please report this with the command line and the input\n");
  std::fflush(stdout);
#ifdef FENCEPOST_ABORT_ON_FAULT
  std::abort();  // a fuzzer keeps the input
#endif
  std::_Exit(4);
}

}  // namespace fencepost
