#include "spirv/comments.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "litmus/lexer.h"

namespace fencepost::spirv {
namespace {

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// A line of a comment, without what makes it one.
struct Line {
  uint32_t begin = 0, end = 0;
  bool documents = false;
};

// Comments are looked for outside of strings; a string of C ends with its line at the latest.
class Scanner {
 public:
  Scanner(const std::string& text, bool assembly) : text_(text), assembly_(assembly) {}

  std::vector<Line> run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || (c == '\'' && !assembly_))
        string(c);
      else if (assembly_ ? c == ';' : text_.compare(at_, 2, "//") == 0)
        line();
      else if (!assembly_ && text_.compare(at_, 2, "/*") == 0)
        block();
      else
        ++at_;
    }
    return std::move(out_);
  }

 private:
  void string(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\n' && !assembly_) return;
      if (text_[at_] == '\\') ++at_;
    }
    ++at_;
  }
  size_t line_end() const { return std::min(text_.find('\n', at_), text_.size()); }
  void line() {
    const size_t end = line_end();
    const size_t marks = assembly_ ? 1 : 2;
    const bool documents = !assembly_ && at_ + 2 < end && (text_[at_ + 2] == '/' || text_[at_ + 2] == '!');
    add(at_ + marks, end, documents);
    at_ = end;
  }
  void block() {
    const size_t close = text_.find("*/", at_ + 2);
    const size_t end = std::min(close, text_.size());
    const bool documents = at_ + 2 < end && (text_[at_ + 2] == '*' || text_[at_ + 2] == '!');
    for (size_t begin = at_ + 2; begin <= end;) {
      const size_t stop = std::min(text_.find('\n', begin), end);
      add(begin, stop, documents);
      begin = stop + 1;
    }
    at_ = close == std::string::npos ? text_.size() : close + 2;
  }
  void add(size_t begin, size_t end, bool documents) {
    while (begin < end && (blank(text_[begin]) || text_[begin] == '*' || text_[begin] == '/' || text_[begin] == '!' ||
                           text_[begin] == ';'))
      ++begin;
    if (begin < end && text_[begin] == '@')
      out_.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end), documents});
  }

  const std::string& text_;
  bool assembly_;
  size_t at_ = 0;
  std::vector<Line> out_;
};

}  // namespace

std::vector<CommentHeader> comment_headers(const SourcePtr& source, bool assembly,
                                           const std::vector<std::string>& known) {
  const std::string& text = source->text;
  std::vector<CommentHeader> out;
  for (const Line& l : Scanner(text, assembly).run()) {
    CommentHeader h;
    h.word_begin = l.begin + 1;
    uint32_t stop = h.word_begin;
    while (stop < l.end && letter(text[stop])) ++stop;
    h.word = text.substr(h.word_begin, stop - h.word_begin);
    uint32_t colon = stop;
    while (colon < l.end && blank(text[colon])) ++colon;
    const bool has_colon = colon < l.end && text[colon] == ':';
    const Span span{source, h.word_begin, stop};
    if (std::find(known.begin(), known.end(), h.word) == known.end()) {
      const std::string near = nearest(h.word, known);
      if (l.documents && !has_colon && near.empty()) continue;
      std::string all;
      for (const std::string& k : known) all += (all.empty() ? "@" : ", @") + k;
      litmus::fail_at(span, fmt::format("there is no header @{}", h.word),
                      near.empty() ? fmt::format("headers are {}; a remark does not begin with '@'", all)
                                   : fmt::format("did you mean @{}?", near));
    }
    if (!has_colon)
      litmus::fail_at(span, fmt::format("expected ':' behind @{}", h.word),
                      fmt::format("a header is '{} @Word: text'", assembly ? ";" : "//"));
    h.begin = colon + 1;
    h.end = l.end;
    out.push_back(std::move(h));
  }
  return out;
}

}  // namespace fencepost::spirv
