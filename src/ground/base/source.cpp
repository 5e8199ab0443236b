#include "base/source.h"

#include <algorithm>

#include "base/printable.h"

namespace fencepost {

SourcePtr make_source(std::string name, std::string text) {
  return std::make_shared<const Source>(Source{std::move(name), std::move(text)});
}

Position Span::position() const {
  if (!source) return {};
  const size_t at = std::min<size_t>(begin, source->text.size());
  const std::string_view before(source->text.data(), at);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const size_t newline = before.rfind('\n');
  const size_t start = newline == std::string_view::npos ? 0 : newline + 1;
  return {static_cast<uint32_t>(lines + 1), static_cast<uint32_t>(at - start + 1)};
}

std::string_view Span::text() const {
  if (!source) return {};
  const size_t size = source->text.size();
  const size_t from = std::min<size_t>(begin, size);
  const size_t to = std::clamp<size_t>(end, from, size);
  return std::string_view(source->text).substr(from, to - from);
}

std::string Span::location() const {
  if (!source) return {};
  const Position p = position();
  return printable_name(source->name) + ":" + std::to_string(p.line) + ":" + std::to_string(p.column);
}

Span join(const Span& a, const Span& b) {
  if (!a.source) return b;
  if (!b.source) return a;
  return {a.source, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

}  // namespace fencepost
