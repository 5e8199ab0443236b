#include "spirv/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "litmus/lexer.h"
#include "spirv/comments.h"

namespace fencepost::spirv {
namespace {

constexpr uint32_t k_deepest = 200;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// The words of one header line. Identifiers are %x or, of a compiled text, names; the rest is numbers and punctuation.
class Line {
 public:
  Line(SourcePtr source, uint32_t begin, uint32_t end, const Compiled* compiled)
      : source_(std::move(source)), at_(begin), end_(end), compiled_(compiled) {}

  bool done() {
    blanks();
    return at_ >= end_;
  }
  bool accept(std::string_view text) {
    blanks();
    if (!rest().starts_with(text)) return false;
    if (word_char(text.back()) && at_ + text.size() < end_ && word_char(rest()[text.size()])) return false;
    last_ = at_;
    at_ += static_cast<uint32_t>(text.size());
    return true;
  }
  void expect(std::string_view text, std::string_view hint = {}) {
    if (!accept(text)) fail(fmt::format("expected '{}'", text), std::string(hint));
  }
  bool at_number() {
    blanks();
    return at_ < end_ && (digit(rest()[0]) || (rest()[0] == '-' && at_ + 1 < end_ && digit(rest()[1])));
  }
  uint64_t number() {
    if (!at_number()) fail("expected a number");
    last_ = at_;
    const bool minus = rest()[0] == '-';
    if (minus) ++at_;
    const bool hex = rest().starts_with("0x");
    if (hex) at_ += 2;
    uint64_t v = 0;
    const auto [stop, failed] = std::from_chars(rest().data(), rest().data() + rest().size(), v, hex ? 16 : 10);
    if (failed != std::errc{} || (minus && v > uint64_t{1} << 63)) fail("this number does not fit into 64 bits");
    if (!hex && rest()[0] == '0' && v >= 8)  // the languages of shaders and kernels read it to the base of eight
      fail("this number begins with 0, which makes it octal in the source",
           fmt::format("write {}, or 0x and hexadecimal digits", v));
    at_ += static_cast<uint32_t>(stop - rest().data());
    return minus ? 0 - v : v;
  }
  bool at_id() {
    blanks();
    return at_ < end_ && (rest()[0] == '%' || (compiled_ != nullptr && is_letter(rest()[0])));
  }
  // A variable of the compiled text may be a member of a block: `path` gets the way to it.
  std::string id(std::vector<uint64_t>& path, std::vector<std::string>* members = nullptr) {
    if (!at_id()) {
      if (compiled_ != nullptr) fail("expected a variable", "variables have the names that the source gives them");
      fail("expected an id", "ids are written %name or %17");
    }
    last_ = at_;
    const uint32_t begin = at_++;
    while (at_ < end_ && word_char(rest()[0])) ++at_;
    const std::string word = source_->text.substr(begin, at_ - begin);
    if (word[0] == '%') return word;
    auto it = compiled_->variables.find(word);
    for (size_t dot = word.rfind('.');
         members != nullptr && it == compiled_->variables.end() && dot > 0 && dot != std::string::npos;
         dot = word.rfind('.', dot - 1)) {
      const std::string whole = word.substr(0, dot);
      it = compiled_->variables.find(whole);
      if (it == compiled_->variables.end()) continue;
      const auto part = compiled_->variables.lower_bound(whole + ".");
      if (part != compiled_->variables.end() && part->first.starts_with(whole + ".")) {  // its members are known here
        it = compiled_->variables.end();
        break;
      }
      at_ = begin + static_cast<uint32_t>(dot);  // members follow
    }
    if (it == compiled_->variables.end()) unknown(word, since(begin));
    path = it->second.path;
    return it->second.id;
  }
  // ".m", at once behind what it is a member of.
  std::optional<std::string> member() {
    if (compiled_ == nullptr || rest().size() < 2 || rest()[0] != '.' || !is_letter(rest()[1])) return std::nullopt;
    const uint32_t begin = ++at_;
    while (at_ < end_ && word_char(rest()[0]) && rest()[0] != '.') ++at_;
    return source_->text.substr(begin, at_ - begin);
  }
  // "@wg1"
  std::string instance() {
    if (rest().empty() || rest()[0] != '@') return "";
    const uint32_t begin = at_++;
    while (at_ < end_ && word_char(rest()[0]) && rest()[0] != '.') ++at_;
    return source_->text.substr(begin, at_ - begin);
  }
  std::string_view comment() const { return compiled_ != nullptr ? "//" : ";"; }
  std::string_view location() const {
    return compiled_ != nullptr ? "a variable x, b.x, x[2]" : "a location %id[i][j]";
  }
  std::string_view variable() const { return compiled_ != nullptr ? "x" : "%id"; }
  uint32_t position() {
    blanks();
    return at_;
  }
  uint32_t begins() const { return last_; }  // of the last word
  Span since(uint32_t begin) const { return {source_, begin, at_}; }
  [[noreturn]] void fail(std::string message, std::string hint = {}) {
    blanks();
    uint32_t stop = at_;
    while (stop < end_ && static_cast<unsigned char>(source_->text[stop]) > ' ') ++stop;
    litmus::fail_at({source_, at_, stop}, std::move(message), std::move(hint));
  }

 private:
  static bool digit(char c) { return c >= '0' && c <= '9'; }
  static bool word_char(char c) {
    return digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
  }
  [[noreturn]] void unknown(const std::string& word, const Span& span) const {
    const auto& own = compiled_->own;
    if (std::find(own.begin(), own.end(), word) != own.end())
      litmus::fail_at(span, fmt::format("'{}' belongs to each invocation by itself", word),
                      "store what the question needs in a buffer");
    std::vector<std::string> names;
    std::string all;
    for (const auto& [name, variable] : compiled_->variables) {
      names.push_back(name);
      if (names.size() <= 12) all += (all.empty() ? "" : ", ") + name;
    }
    if (names.size() > 12) all += ", ...";
    litmus::fail_at(
        span, fmt::format("there is no variable '{}'", word),
        litmus::suggest(word, names, all.empty() ? "the source has no variable in memory" : "there are " + all));
  }
  std::string_view rest() const { return std::string_view(source_->text).substr(at_, end_ - at_); }
  void blanks() {
    while (at_ < end_ && (source_->text[at_] == ' ' || source_->text[at_] == '\t' || source_->text[at_] == '\r')) ++at_;
  }

  SourcePtr source_;
  uint32_t at_, end_;
  uint32_t last_ = 0;
  const Compiled* compiled_;
};

// ---- values ----------------------------------------------------------------------------------------

constexpr uint64_t k_most_items = 65536;

InputValue read_value(Line& l, uint32_t depth = 0) {
  if (depth > k_deepest) l.fail("this value is nested too deeply");
  InputValue v;
  const uint32_t begin = l.position();
  if (l.accept("{")) {
    v.is_list = true;
    if (!l.accept("}")) {
      do v.items.push_back(read_value(l, depth + 1));
      while (l.accept(","));
      l.expect("}", "a list is {value, value, ...}");
    }
  } else if (l.at_number()) {
    v.number = l.number();
    v.is_negative = l.since(begin).text().starts_with("-");
    v.is_pattern = l.since(begin).text().starts_with("0x");
  } else {
    l.fail("expected a value", "a value is an integer or a list {value, value, ...}");
  }
  v.span = l.since(begin);
  return v;
}

// Puts `part` at path[at..] of a value made of parts.
void place(InputValue& whole, const std::vector<uint64_t>& path, size_t at, const InputValue& part, const Span& span) {
  if (at == path.size()) {
    if (whole.is_list || !whole.absent) litmus::fail_at(span, "this part has two inputs", "write one @Input for it");
    whole = part;
    return;
  }
  if (path[at] > k_most_items) litmus::fail_at(span, fmt::format("an input has at most {} items", k_most_items));
  if (!whole.partial && !whole.absent && (whole.is_list || at > 0))
    litmus::fail_at(span, "this part has two inputs", "write one @Input for it");
  whole.is_list = whole.partial = true;
  whole.absent = false;
  while (whole.items.size() <= path[at]) {
    InputValue none;
    none.absent = true;
    none.span = span;
    whole.items.push_back(none);
  }
  place(whole.items[path[at]], path, at + 1, part, span);
}

void read_inputs(Line& l, std::vector<Input>& out) {
  do {
    Input in;
    const uint32_t begin = l.position();
    std::vector<uint64_t> path;
    in.id = l.id(path);
    while (l.accept("[")) {
      path.push_back(l.number());
      l.expect("]", fmt::format("a part of a variable is {}[0][1]", l.variable()));
    }
    l.expect("=", fmt::format("an input is '{} = value'", l.variable()));
    in.value = read_value(l);
    in.span = l.since(begin);
    const auto other = std::find_if(out.begin(), out.end(), [&](const Input& x) { return x.id == in.id; });
    const bool again = other != out.end();
    if (again && (path.empty() || !other->value.partial)) {
      const std::string_view written = in.span.text();
      litmus::fail_at(in.span, fmt::format("{} has two inputs", written.substr(0, written.find_first_of(" =["))),
                      "write one @Input for it");
    }
    if (path.empty()) {
      out.push_back(std::move(in));
      continue;
    }
    Input whole;
    whole.id = in.id;
    whole.span = whole.value.span = in.span;
    place(again ? other->value : whole.value, path, 0, in.value, in.span);
    if (!again) out.push_back(std::move(whole));
  } while (l.accept(","));
  if (!l.done()) l.fail("expected ',' or the end of the line");
}

// ---- conditions ------------------------------------------------------------------------------------

QuestionValue read_operand(Line& l) {
  QuestionValue v;
  const uint32_t begin = l.position();
  if (l.at_number()) {
    v.is_constant = true;
    v.constant = l.number();
    v.is_negative = l.since(l.begins()).text().starts_with("-");
    v.is_pattern = l.since(l.begins()).text().starts_with("0x");
  } else if (l.at_id()) {
    v.id = l.id(v.path, &v.names);
    v.instance = l.instance();
    for (;;) {
      if (auto m = l.member()) {
        v.path.push_back(k_member | v.names.size());
        v.names.push_back(std::move(*m));
      } else if (l.accept("[")) {
        v.path.push_back(l.number());
        l.expect("]");
        if (v.path.back() >= k_member) litmus::fail_at(l.since(begin), "the index is too large");
      } else {
        break;
      }
    }
    if (l.accept("+")) v.byte = l.number();
  } else {
    l.fail("expected a value", fmt::format("a value is an integer or {}", l.location()));
  }
  v.span = l.since(begin);
  return v;
}

QuestionCond read_or(Line& l, uint32_t depth);

QuestionCond read_atom(Line& l, uint32_t depth) {
  if (depth > k_deepest) l.fail("this condition is nested too deeply");
  QuestionCond c;
  const uint32_t begin = l.position();
  if (l.accept("not") || l.accept("!")) {
    c.kind = prog::Cond::Kind::not_;
    c.kids.push_back(read_atom(l, depth + 1));
  } else if (l.accept("(")) {
    c = read_or(l, depth + 1);
    l.expect(")", "every bracket needs its partner");
  } else if (l.accept("true")) {
  } else if (l.accept("false")) {
    c.kind = prog::Cond::Kind::not_;
    c.kids.emplace_back();
  } else {
    c.kind = prog::Cond::Kind::atom;
    c.lhs = read_operand(l);
    using term::Op;
    static constexpr std::pair<std::string_view, Op> ops[] = {{"==", Op::eq},  {"!=", Op::ne}, {"<=", Op::sle},
                                                              {">=", Op::sge}, {"<", Op::slt}, {">", Op::sgt}};
    bool found = false;
    for (const auto& [text, op] : ops)
      if (!found && l.accept(text)) {
        c.cmp = op;
        found = true;
      }
    if (!found) l.fail("expected a comparison", "comparisons are == != < <= > >=");
    c.rhs = read_operand(l);
  }
  c.span = l.since(begin);
  return c;
}

QuestionCond join(prog::Cond::Kind kind, std::vector<QuestionCond> kids) {
  if (kids.size() == 1) return std::move(kids.front());
  QuestionCond c;
  c.kind = kind;
  c.span = fencepost::join(kids.front().span, kids.back().span);
  c.kids = std::move(kids);
  return c;
}

QuestionCond negated(QuestionCond k) {
  QuestionCond c;
  c.kind = prog::Cond::Kind::not_;
  c.span = k.span;
  c.kids.push_back(std::move(k));
  return c;
}

QuestionCond read_and(Line& l, uint32_t depth) {
  std::vector<QuestionCond> kids;
  do kids.push_back(read_atom(l, depth));
  while (l.accept("and") || l.accept("&&"));
  return join(prog::Cond::Kind::and_, std::move(kids));
}

QuestionCond read_or(Line& l, uint32_t depth) {
  std::vector<QuestionCond> kids;
  do kids.push_back(read_and(l, depth));
  while (l.accept("or") || l.accept("||"));
  return join(prog::Cond::Kind::or_, std::move(kids));
}

// One @Output, folded into those before it.
void read_output(Line& l, Question& q) {
  const uint32_t begin = l.position();
  prog::Quantifier quantifier = prog::Quantifier::forall;
  if (l.accept("forall"))
    quantifier = prog::Quantifier::forall;
  else if (l.accept("exists"))
    quantifier = prog::Quantifier::exists;
  else if (l.accept("not") || l.accept("~")) {
    l.expect("exists", "a question is exists C, not exists C or forall C");
    quantifier = prog::Quantifier::not_exists;
  } else {
    l.fail("expected forall, exists or not exists",
           fmt::format("for example: {} @Output: forall ({}x == 1)", l.comment(), l.comment() == ";" ? "%" : ""));
  }
  QuestionCond c = read_or(l, 0);
  if (!l.done()) l.fail("expected the end of the line", "conditions are joined by 'and' and 'or'");
  if (q.quantifier == prog::Quantifier::none) {
    q.quantifier = quantifier;
    q.condition = std::move(c);
    return;
  }
  if (q.quantifier == prog::Quantifier::exists || quantifier == prog::Quantifier::exists)
    litmus::fail_at(l.since(begin), "an 'exists' question stands alone", "join conditions by 'and' in one line");
  if (q.quantifier == prog::Quantifier::not_exists && quantifier == prog::Quantifier::not_exists) {
    q.condition = join(prog::Cond::Kind::or_, {std::move(q.condition), std::move(c)});
    return;
  }
  if (q.quantifier == prog::Quantifier::not_exists) q.condition = negated(std::move(q.condition));
  if (quantifier == prog::Quantifier::not_exists) c = negated(std::move(c));
  q.quantifier = prog::Quantifier::forall;
  q.condition = join(prog::Cond::Kind::and_, {std::move(q.condition), std::move(c)});
}

void read_filter(Line& l, Question& q) {
  if (q.filter.kind != prog::Cond::Kind::always) l.fail("there are two filters", "join them by 'and'");
  q.filter = read_or(l, 0);
  if (!l.done()) l.fail("expected the end of the line", "conditions are joined by 'and' and 'or'");
}

Grid read_config(Line& l) {
  std::vector<uint64_t> n;
  const uint32_t begin = l.position();
  do n.push_back(l.number());
  while (l.accept(","));
  if (!l.done()) l.fail("expected ',' or the end of the line");
  const Span span = l.since(begin);
  if (n.size() < 3 || n.size() > 5)
    litmus::fail_at(span, "a launch is three to five numbers",
                    "invocations per subgroup, subgroups per workgroup, workgroups[, queue families[, devices]]");
  std::string text;
  for (const uint64_t x : n) {
    if (!text.empty()) text += '.';
    text += std::to_string(x);
  }
  auto g = parse_grid(text);
  if (!g) {
    for (Diagnostic& d : g.error().list) d.span = span;
    throw litmus::ParseError{std::move(g.error())};
  }
  return *g;
}

void read_comments(const SourcePtr& source, Header& h, bool own_question, bool own_filter, const Compiled* compiled) {
  std::vector<std::string> known = {"Config", "Input", "Output", "Filter"};
  if (compiled != nullptr) known.insert(known.end(), compiled->headers.begin(), compiled->headers.end());
  for (const CommentHeader& c : comment_headers(source, compiled == nullptr, known)) {
    Line l(source, c.begin, c.end, compiled);
    if (c.word == "Config") {
      if (h.grid)
        litmus::fail_at({source, c.word_begin, c.begin - 1}, "there are two @Config headers",
                        "a module has one launch");
      h.grid = read_config(l);
      h.grid_span = {source, c.word_begin, c.end};
    } else if (c.word == "Input") {
      read_inputs(l, h.inputs);
    } else if (c.word == "Output") {
      if (!own_question) read_output(l, h.question);
    } else if (c.word == "Filter" && !own_filter) {
      read_filter(l, h.question);
    }
  }
}

Line line_of(const std::string& text, const char* what, const Compiled* compiled) {
  const SourcePtr s = make_source(what, text);
  return {s, 0, static_cast<uint32_t>(s->text.size()), compiled};
}

// What `parts` gives, instead of what `whole` had there.
void replace_parts(InputValue& whole, const InputValue& parts) {
  if (!parts.partial || !whole.partial) {
    whole = parts;
    return;
  }
  for (size_t k = 0; k < parts.items.size(); ++k) {
    if (k >= whole.items.size())
      whole.items.push_back(parts.items[k]);
    else if (!parts.items[k].absent)
      replace_parts(whole.items[k], parts.items[k]);
  }
}

Header read(const SourcePtr& source, bool comments, const LaunchOptions& options, const Compiled* compiled) {
  Header h;
  std::vector<Input> given;
  for (const std::string& text : options.inputs) {
    Line l = line_of(text, "--input", compiled);
    read_inputs(l, given);
  }
  if (comments) read_comments(source, h, !options.condition.empty(), !options.filter.empty(), compiled);
  for (Input& in : given) {
    // Members of one block are variables of their own to the person who wrote it.
    const auto known = std::find_if(h.inputs.begin(), h.inputs.end(), [&](const Input& x) { return x.id == in.id; });
    if (compiled != nullptr && known != h.inputs.end() && known->value.partial && in.value.partial) {
      replace_parts(known->value, in.value);
      continue;
    }
    std::erase_if(h.inputs, [&](const Input& x) { return x.id == in.id; });
    h.inputs.push_back(std::move(in));
  }
  if (!options.condition.empty()) {
    Line l = line_of(options.condition, "--condition", compiled);
    read_output(l, h.question);
  }
  if (!options.filter.empty()) {
    Line l = line_of(options.filter, "--filter", compiled);
    read_filter(l, h.question);
  }
  if (options.grid) {
    h.grid = options.grid;
    h.grid_span = {};
  }
  h.zero = options.zero;
  h.published = options.published;
  return h;
}

}  // namespace

namespace {

struct Written {  // a number of a header
  uint64_t bits;  // two's complement
  bool is_negative, is_pattern;
  const Span& span;
};

void need_number(const Written& v, const char* user, const std::string& type, bool is_unsigned, uint8_t width) {
  const bool truth = type == "bool" || type == "_Bool";
  const uint64_t all = term::mask(width), most = truth ? 1 : is_unsigned ? all : all >> 1;
  const uint64_t least = is_unsigned ? 0 : most + 1;  // below zero
  const uint64_t size = v.is_negative ? 0 - v.bits : v.bits;
  const bool within = v.is_negative ? size <= least : size <= most;
  const bool converted =
      width >= 32 && !truth && (v.is_negative ? is_unsigned && size <= (all >> 1) + 1 : v.is_pattern && size <= all);
  if (within || converted) return;
  litmus::fail_at(v.span, fmt::format("this is {} '{}', which has no number {}", user, type, v.span.text()),
                  is_unsigned ? fmt::format("its numbers are 0 to {}", most)
                              : fmt::format("its numbers are -{} to {}", least, most));
}

}  // namespace

void need_number_of(const QuestionValue& v, const std::string& type, bool is_unsigned, uint8_t width) {
  need_number({v.constant, v.is_negative, v.is_pattern, v.span}, "compared with", type, is_unsigned, width);
}

void need_number_of(const InputValue& v, const std::string& type, bool is_unsigned, uint8_t width) {
  need_number({v.number, v.is_negative, v.is_pattern, v.span}, "the input of a", type, is_unsigned, width);
}

Header read_header(const SourcePtr& source, bool binary, const LaunchOptions& options) {
  return read(source, !binary, options, nullptr);
}

Header read_header(const Compiled& compiled, const LaunchOptions& options) {
  return read(compiled.source, true, options, &compiled);
}

}  // namespace fencepost::spirv
