#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/models_folder.h"
#include "base/read_file.h"
#include "lower/lower.h"
#include "lower/words.h"
#include "prog/syntax.h"

namespace fencepost::lower {
namespace {

namespace fs = std::filesystem;

struct Word {
  std::string text;
  Span span;
};

Words dotted(const std::string& text) {
  Words out;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('.', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

class Reader {
 public:
  explicit Reader(SourcePtr source) : source_(std::move(source)) {}

  Expected<Table> read() {
    const std::string& text = source_->text;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      const auto words = split(at, end);
      at = end + 1;
      if (words.empty()) continue;
      if (auto r = line(words); !r) return std::unexpected(r.error());
    }
    const Span whole{source_, 0, 0};
    if (table_.name.empty()) return error_at(whole, "a table begins with its name", "write 'lowering NAME' first");
    if (table_.from_model.empty() || table_.to_model.empty())
      return error_at(whole, "a table says where it leads from and to",
                      "write 'from OPENCL opencl' and 'to PTX ptx-7.5'");
    for (const Rule& r : table_.rules)
      if (const auto ok = known_words(r); !ok) return std::unexpected(ok.error());
    if (table_.rules.empty())
      return error_at(whole, "the table has no rule", "write for example 'load.plain -> ld.weak'");
    return table_;
  }

 private:
  // Words between blanks; "->" and ";" are words; a comment ends the line.
  std::vector<Word> split(size_t at, size_t end) const {
    std::vector<Word> out;
    const std::string& t = source_->text;
    while (at < end && t[at] != '#') {
      if (t[at] == ' ' || t[at] == '\t' || t[at] == '\r') {
        ++at;
        continue;
      }
      size_t stop = at + 1;
      if (t[at] != ';')
        while (stop < end && t[stop] != ' ' && t[stop] != '\t' && t[stop] != ';' && t[stop] != '#' && t[stop] != '\r')
          ++stop;
      out.push_back({t.substr(at, stop - at), Span{source_, static_cast<uint32_t>(at), static_cast<uint32_t>(stop)}});
      at = stop;
    }
    return out;
  }

  Expected<void> side(const std::vector<Word>& w, prog::Syntax& syntax, std::string& model) {
    if (w.size() != 3)
      return error_at(w[0].span, fmt::format("'{}' takes a language and a model", w[0].text),
                      "write for example 'from OPENCL opencl'");
    static const std::vector<std::string> languages = {"PTX", "VULKAN", "OPENCL", "CUDA"};
    if (w[1].text == "PTX")
      syntax = prog::Syntax::ptx;
    else if (w[1].text == "VULKAN")
      syntax = prog::Syntax::vulkan;
    else if (w[1].text == "OPENCL")
      syntax = prog::Syntax::opencl;
    else if (w[1].text == "CUDA" && w[0].text == "from")
      syntax = prog::Syntax::cuda;
    else if (w[1].text == "CUDA")
      return error_at(w[1].span, "tables lead from CUDA, not to it", "known here are PTX, VULKAN and OPENCL");
    else {
      const std::string near = nearest(w[1].text, languages);
      return error_at(
          w[1].span, fmt::format("'{}' is not a language of tables", w[1].text),
          near.empty() ? "known are PTX, VULKAN, OPENCL and CUDA" : fmt::format("did you mean '{}'?", near));
    }
    model = w[2].text;
    return {};
  }

  // A mistyped pattern fits nothing, and a mistyped form waits for a test that needs it.
  Expected<void> known_words(const Rule& r) const {
    const auto known = [&](prog::Syntax language, const Words& form) -> Expected<void> {
      const std::string word = unknown_word(language, form);
      if (word.empty()) return {};
      const std::string near = nearest(word, heads(language));
      return error_at(r.span, fmt::format("'{}' is not a word of {} instructions", word, prog::name(language)),
                      word == form.front() && !near.empty()
                          ? fmt::format("did you mean '{}'?", near)
                          : fmt::format("instructions begin with {}", fmt::join(heads(language), ", ")));
    };
    if (const auto ok = known(table_.from, r.from); !ok) return ok;
    for (const Words& form : r.to)
      if (const auto ok = known(table_.to, form); !ok) return ok;
    return {};
  }

  Expected<void> line(const std::vector<Word>& w) {
    const std::string& head = w[0].text;
    if (head == "lowering") {
      if (w.size() != 2) return error_at(w[0].span, "'lowering' takes a name", "write 'lowering NAME'");
      table_.name = w[1].text;
      return {};
    }
    if (head == "from") return side(w, table_.from, table_.from_model);
    if (head == "to") return side(w, table_.to, table_.to_model);
    if (head == "scope" || head == "place") {
      if (w.size() != 4 || w[2].text != "->")
        return error_at(w[0].span, fmt::format("'{}' takes two words", head), fmt::format("write '{} A -> B'", head));
      (head == "scope" ? table_.scopes : table_.places).emplace_back(w[1].text, w[3].text);
      return {};
    }
    if (w.size() < 3 || w[1].text != "->")
      return error_at(w[0].span, "a rule is a pattern, '->' and what it becomes",
                      "write for example 'load.plain -> ld.weak'");
    Rule rule{dotted(head), {}, w[0].span};
    bool form = true;
    for (size_t k = 2; k < w.size(); ++k, form = !form) {
      if (form == (w[k].text == ";"))
        return error_at(w[k].span, form ? "a form is missing before ';'" : "two forms need a ';' between them",
                        "write 'fence.sc.gpu ; ld.acquire.gpu'");
      if (!form) continue;
      if (w[k].text == "nothing" && w.size() == 3) continue;
      rule.to.push_back(dotted(w[k].text));
    }
    if (form) return error_at(w.back().span, "a form is missing after ';'", "remove the ';'");
    table_.rules.push_back(std::move(rule));
    return {};
  }

  SourcePtr source_;
  Table table_;
};

std::string tables_dir() { return (fs::path(models_folder()) / "lowering").string(); }

}  // namespace

Expected<Table> parse_table(SourcePtr source) { return Reader(std::move(source)).read(); }

std::vector<std::string> shipped_tables() {
  std::vector<std::string> out;
  std::error_code ec;
  for (fs::directory_iterator it(tables_dir(), ec), end; !ec && it != end; it.increment(ec))
    if (it->path().extension() == ".map") out.push_back(it->path().stem().string());
  std::sort(out.begin(), out.end());
  return out;
}

Expected<Table> load_table(const std::string& name) {
  std::string path = name;
  if (!name.ends_with(".map")) path = (fs::path(tables_dir()) / (name + ".map")).string();
  std::error_code failed;
  if (!fs::exists(path, failed)) {
    const std::string near = nearest(name, shipped_tables());
    return error_at({}, fmt::format("there is no table '{}'", name),
                    near.empty() ? fmt::format("shipped are {}; a file ends in .map", fmt::join(shipped_tables(), ", "))
                                 : fmt::format("did you mean '{}'?", near));
  }
  const auto source = read_file(path);
  return source ? parse_table(*source) : std::unexpected(source.error());
}

}  // namespace fencepost::lower
