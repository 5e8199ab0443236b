// JSON lines, one object per test:
//   {"config":"2t3i","id":22,"threads":[[[location,check,jump,doExch,exchVal],...],...]}
// Locations are numbers, a jump to the number of instructions is the end, doExch is 0 or 1 (or false, true);
// 2 is a compare-and-swap that jumps where it exchanged, 3 one that jumps where it did not. Optional:
// "name" (default: config/id), "locations" (names), "init" (initial values), "remarks". Other fields are ignored.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "axb/scan.h"

namespace fencepost::axb {
namespace {

constexpr Value k_most_locations = 4096;
constexpr unsigned k_deepest = 64;  // brackets within an ignored field

class JsonReader {
 public:
  explicit JsonReader(const SourcePtr& source) : in_(source, false) {}

  std::vector<Test> read() {
    std::vector<Test> out;
    do out.push_back(test());
    while (!in_.at_end());
    return out;
  }

 private:
  // "[" element {"," element} "]", or "[" "]"
  template <class F>
  void array(std::string_view what, F&& element) {
    if (!in_.at("[")) in_.fail_expected(what, "a JSON list: [ ... ]");
    in_.next();
    if (in_.accept("]")) return;
    do element();
    while (in_.accept(","));
    in_.expect("]");
  }
  Test test();
  void field(Test& t, const std::string& key);
  void skip(unsigned depth);
  Thread thread();
  Instr instruction();
  void check_ranges(Test& t, const Span& where);

  Scanner in_;
  std::string id_;
  bool named_ = false;
  std::optional<size_t> names_, inits_;
  std::vector<std::vector<Token>> jumps_;  // where they stand, [thread][pc]
  std::vector<std::vector<Token>> places_;
};

void JsonReader::skip(unsigned depth) {
  if (depth > k_deepest) in_.fail(in_.peek(), "this value is nested too deeply", "leave this field out");
  if (in_.at("{")) {
    in_.next();
    if (in_.accept("}")) return;
    do {
      in_.expect_string("the name of a field");
      in_.expect(":");
      skip(depth + 1);
    } while (in_.accept(","));
    in_.expect("}");
  } else if (in_.at("[")) {
    array("'['", [&] { skip(depth + 1); });
  } else {
    in_.accept("-");
    if (in_.peek().kind != Tok::number && in_.peek().kind != Tok::string && !in_.at("true") && !in_.at("false") &&
        !in_.at("null"))
      in_.fail_expected("a JSON value", "a string, a number, true, false, null, a list or an object");
    in_.next();
  }
}

Instr JsonReader::instruction() {
  const char* shape = "an instruction is [location, check, jump, doExch, exchVal]";
  const uint32_t begin = in_.peek().begin;
  Instr i;
  if (!in_.at("[")) in_.fail_expected("an instruction", shape);
  in_.next();
  places_.back().push_back(in_.peek());
  i.location = in_.expect_value("a location", shape);
  in_.expect(",", shape);
  i.check = in_.expect_value("the value to compare with", shape);
  in_.expect(",", shape);
  jumps_.back().push_back(in_.peek());
  i.jump = in_.expect_value("where to jump", shape);
  in_.expect(",", shape);
  const Token flag = in_.peek();
  if (in_.accept("true"))
    i.exchanges = true;
  else if (!in_.accept("false")) {
    const Value v = in_.expect_value("doExch", shape);
    if (v > 3) in_.fail(flag, fmt::format("doExch is 0 or 1, or 2 or 3 for a compare-and-swap, not {}", v), shape);
    i.exchanges = v != 0;
    i.compares = v > 1;
    i.unless = v == 3;
  }
  in_.expect(",", shape);
  i.value = in_.expect_value("the value to exchange for", shape);
  in_.expect("]", shape);
  if (!i.exchanges) i.value = 0;
  i.span = in_.since(begin);
  return i;
}

Thread JsonReader::thread() {
  Thread th;
  const uint32_t begin = in_.peek().begin;
  jumps_.emplace_back();
  places_.emplace_back();
  array("a thread: a list of instructions", [&] { th.code.push_back(instruction()); });
  th.span = in_.since(begin);
  return th;
}

void JsonReader::field(Test& t, const std::string& key) {
  if (key == "config") {
    t.config = in_.expect_string("the name of the configuration");
  } else if (key == "id") {
    id_ = in_.peek().kind == Tok::string ? in_.expect_string("an id") : fmt::format("{}", in_.expect_value("an id"));
  } else if (key == "name") {
    t.name = in_.expect_string("the name of the test");
    named_ = true;
  } else if (key == "remarks") {
    array("a list of remarks", [&] {
      const Token token = in_.peek();
      t.remarks.push_back(in_.expect_string("a remark"));
      if (t.remarks.back().find_first_of("\n\r") != std::string::npos)
        in_.fail(token, "a remark holds a line break", "make two remarks of it");
    });
  } else if (key == "locations") {
    names_ = 0;
    array("a list of names", [&] {
      const Token token = in_.peek();
      std::string name = in_.expect_string("the name of a location");
      if (!is_name(name) || is_reserved(name))
        in_.fail(token, fmt::format("{} cannot name a location", axb::quoted(name)),
                 "a name is a letter, then letters and digits, and no keyword");
      for (size_t k = 0; k < *names_; ++k)
        if (t.locations[k].name == name)
          in_.fail(token, fmt::format("location {} is named twice", axb::quoted(name)),
                   "give each location a name of its own");
      if (*names_ >= t.locations.size()) t.locations.resize(*names_ + 1);
      t.locations[(*names_)++].name = std::move(name);
    });
  } else if (key == "init") {
    inits_ = 0;
    array("a list of values", [&] {
      if (*inits_ >= t.locations.size()) t.locations.resize(*inits_ + 1);
      t.locations[(*inits_)++].init = in_.expect_value("an initial value");
    });
  } else if (key == "threads") {
    const Token open = in_.peek();
    array("a list of threads", [&] {
      const Token token = in_.peek();
      if (t.threads.size() == k_max_threads)
        in_.fail(token, fmt::format("thread {} is one too many", k_max_threads),
                 fmt::format("a test has at most {} threads", k_max_threads));
      t.threads.push_back(thread());
    });
    if (t.threads.empty()) in_.fail(open, "this test has no thread", "a test has 1 to 64 threads");
  } else {
    skip(0);
  }
}

void JsonReader::check_ranges(Test& t, const Span& where) {
  Value most = 0;
  for (size_t n = 0; n < t.threads.size(); ++n)
    for (size_t pc = 0; pc < t.threads[n].code.size(); ++pc) {
      Instr& i = t.threads[n].code[pc];
      const size_t size = t.threads[n].code.size();
      if (i.jump > size)
        in_.fail(jumps_[n][pc], fmt::format("jump to instruction {} of a thread that has {}", i.jump, size),
                 fmt::format("instructions are numbered from 0; {} is the end", size));
      if (is_store(i, static_cast<uint32_t>(pc))) i.check = 0;
      if (i.jump == pc + 1) i.unless = false;
      if (names_ && i.location >= *names_)
        in_.fail(places_[n][pc], fmt::format("location {} of {}", i.location, *names_),
                 "locations are counted from 0 in the order of \"locations\"");
      if (i.location >= k_most_locations)
        in_.fail(places_[n][pc], fmt::format("location {} is out of range", i.location),
                 fmt::format("there are at most {}", k_most_locations));
      most = std::max(most, i.location + 1);
    }
  if (names_ && inits_ && *inits_ > *names_)
    fail_at(where, fmt::format("{} initial values for {} locations", *inits_, *names_),
            "give one for each of \"locations\"");
  if (!names_) {
    if (t.locations.size() < most) t.locations.resize(most);
    for (uint32_t k = 0; k < t.locations.size(); ++k) t.locations[k].name = default_location_name(k);
  }
}

Test JsonReader::test() {
  Test t;
  id_.clear(), named_ = false, names_.reset(), inits_.reset(), jumps_.clear(), places_.clear();
  const Token open = in_.peek();
  in_.expect("{", "each test is an object {\"threads\": [...]} on a line of its own");
  std::set<std::string> seen;
  if (!in_.at("}")) {
    do {
      const Token name = in_.peek();
      const std::string key = in_.expect_string("the name of a field");
      if (!seen.insert(key).second)
        in_.fail(name, fmt::format("field {} is given twice", axb::quoted(key)), "remove one of the two");
      in_.expect(":");
      field(t, key);
    } while (in_.accept(","));
  }
  in_.expect("}");
  t.span = in_.since(open.begin);
  if (!seen.contains("threads"))
    in_.fail(open, "this object has no field 'threads'",
             suggest("threads", {seen.begin(), seen.end()}, "a test is an object {\"threads\": [...]}"));
  check_ranges(t, t.span);
  if (!named_) t.name = t.config.empty() || id_.empty() ? t.config + id_ : t.config + "/" + id_;
  return t;
}

}  // namespace

std::vector<Test> parse_json_lines(const SourcePtr& source) { return JsonReader(source).read(); }

}  // namespace fencepost::axb
