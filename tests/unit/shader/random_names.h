#pragma once
// Random layouts in OpenCL C, CUDA C++ and GLSL, and the law that whatever a test calls a cell, a question may call it,
// and means that cell.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "prog/state.h"
#include "prog/test.h"
#include "spirv/spirv.h"

namespace names_test {

enum class Language { opencl, cuda, glsl };

struct Type {
  std::string scalar;  // or a vector, "int2"
  unsigned components = 0;
  unsigned count = 0;  // of an array
  std::shared_ptr<Type> of;
  std::string name;  // of a structure
  std::vector<std::pair<std::string, std::shared_ptr<Type>>> members;
};
using TypeP = std::shared_ptr<Type>;

class Program {
 public:
  Program(Language language, uint64_t seed) : language_(language), draw_(seed) { make(); }
  const std::string& text() const { return text_; }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(draw_() % n); }
  bool is(Language l) const { return language_ == l; }

  TypeP scalar() {
    static const std::vector<std::string> c = {"char", "unsigned char", "short", "unsigned short",
                                               "int",  "unsigned int",  "bool",  "float"};
    static const std::vector<std::string> shader = {"int", "uint", "float"};
    const auto& all = is(Language::glsl) ? shader : c;
    auto t = std::make_shared<Type>();
    t->scalar = all[below(static_cast<unsigned>(all.size()))];
    return t;
  }
  TypeP type(unsigned depth) {
    auto t = std::make_shared<Type>();
    const unsigned x = below(10);
    if (x < 3 && depth < 3) {
      t->count = 2 + below(2);
      t->of = type(depth + 1);
      return t;
    }
    if (x < 5 && !structs_.empty()) return structs_[below(static_cast<unsigned>(structs_.size()))];
    if (x < 7 && !is(Language::cuda)) {
      t->components = 2 + below(3);
      t->scalar = (is(Language::glsl) ? "ivec" : "int") + std::to_string(t->components);
      return t;
    }
    return scalar();
  }
  static std::string declare(const TypeP& t, std::string name) {
    TypeP at = t;
    for (; at->count != 0; at = at->of) name += "[" + std::to_string(at->count) + "]";
    return (at->name.empty() ? at->scalar : at->name) + " " + name;
  }
  std::string index(unsigned n) {
    return below(3) != 0 ? std::to_string(below(n)) : "uint(n) % " + std::to_string(n) + "u";
  }
  // A scalar of it, some of them at computed places.
  std::string scalar_of(std::string place, TypeP t) {
    for (;;) {
      if (t->count != 0) {
        place += "[" + index(t->count) + "]";
        t = t->of;
      } else if (!t->members.empty()) {
        const auto& [name, m] = t->members[below(static_cast<unsigned>(t->members.size()))];
        place += "." + name;
        t = m;
      } else {
        if (t->components != 0)
          place += is(Language::glsl) ? "[" + std::to_string(below(t->components)) + "]"
                                      : ".s" + std::to_string(below(t->components));
        const bool number = t->components == 0 && is(Language::glsl) && t->scalar == "float";
        return place + " = " + (t->scalar == "bool" ? "true" : number ? "1.0" : t->scalar == "uint" ? "1u" : "1") + ";";
      }
    }
  }
  void make() {
    std::string types, stores;
    for (unsigned k = 0; k < 1 + below(3); ++k) {
      auto s = std::make_shared<Type>();
      for (unsigned m = 0; m < 1 + below(3); ++m) s->members.emplace_back("m" + std::to_string(m), type(1));
      s->name = "S" + std::to_string(k);
      types += is(Language::opencl) ? "typedef struct {" : "struct " + s->name + " {";
      for (const auto& [name, m] : s->members) types += " " + declare(m, name) + ";";
      types += is(Language::opencl) ? " } " + s->name + ";\n" : " };\n";
      structs_.push_back(s);
    }
    const auto store = [&](const std::string& place, const TypeP& t) {
      for (unsigned k = 0; k < 1 + below(3); ++k) stores += "  " + scalar_of(place, t) + "\n";
    };
    std::string parameters, blocks, shared;
    for (unsigned k = 0; k < 2 + below(2); ++k) {
      const std::string name = "g" + std::to_string(k);
      const TypeP t = type(1);
      if (is(Language::glsl)) {
        const bool instance = below(2) == 0;
        const TypeP more = type(1);
        blocks += "layout(set = 0, binding = " + std::to_string(k) + ") buffer B" + std::to_string(k) + " { " +
                  declare(t, name + "a") + "; " + declare(more, name + "b") + "; }" + (instance ? " " + name : "") +
                  ";\n";
        store((instance ? name + "." : "") + name + "a", t);
        store((instance ? name + "." : "") + name + "b", more);
      } else {
        // "int (*g)[2]" of an array
        TypeP at = t;
        std::string dims;
        for (; at->count != 0; at = at->of) dims += "[" + std::to_string(at->count) + "]";
        parameters += std::string(is(Language::opencl) ? "__global " : "") +
                      (at->name.empty() ? at->scalar : at->name) +
                      (dims.empty() ? "* " + name : " (*" + name + ")" + dims) + ", ";
        store(name + "[" + std::to_string(below(3)) + "]", t);
      }
    }
    const TypeP t = type(0);
    const std::string local = is(Language::glsl) ? "shared " : is(Language::cuda) ? "__shared__ " : "__local ";
    shared = local + declare(t, "tile") + ";\n";
    store("tile", t);
    if (is(Language::glsl))
      text_ = "#version 450\n" + types + blocks + "layout(set = 0, binding = 9) buffer N { int n; };\n" + shared +
              "layout(local_size_x = 1) in;\nvoid main() {\n" + stores + "}\n";
    else
      text_ = std::string(is(Language::cuda) ? "#define uint(x) (unsigned)(x)\n" : "#define uint(x) (unsigned)(x)\n") +
              types + (is(Language::cuda) ? "__global__" : "__kernel") + " void k(" + parameters + "int n) {\n  " +
              shared + stores + "}\n";
  }

  Language language_;
  std::mt19937_64 draw_;
  std::vector<TypeP> structs_;
  std::string text_;
};

// `read`: (text, options) -> Expected<prog::Test>. How many names were asked for, `most` at most, from all of them.
template <class Read>
size_t names_come_back(const Read& read, const std::string& text, const fencepost::spirv::LaunchOptions& launch = {},
                       size_t most = 1000) {
  using namespace fencepost;
  const auto t = read(text, launch);
  EXPECT_TRUE(t.has_value()) << (t ? "" : render(t.error())) << text;
  if (!t) return 0;
  size_t asked = 0;
  std::vector<prog::Observable> all = prog::observables(*t);
  std::shuffle(all.begin(), all.end(), std::mt19937_64(1));
  for (const prog::Observable& o : all) {
    if (asked == most) break;
    spirv::LaunchOptions options = launch;
    options.condition = "forall (" + o.text + " == 1)";
    const auto again = read(text, options);
    EXPECT_TRUE(again.has_value()) << (again ? "" : render(again.error())) << text;
    if (!again) return asked;
    ++asked;
    const prog::CondValue& v = again->condition.lhs;
    const bool atom = again->condition.kind == prog::Cond::Kind::atom && v.kind == prog::CondValue::Kind::location;
    EXPECT_TRUE(atom) << o.text << " is not one cell\n" << text;
    if (!atom) return asked;
    const auto object = [](const prog::Test& x, prog::SymbolId s) { return x.objects[x.symbols[s].object]; };
    EXPECT_EQ(object(*again, v.symbol).name, object(*t, o.symbol).name) << o.text << "\n" << text;
    EXPECT_EQ(v.cell, o.cell) << o.text << "\n" << text;
    EXPECT_EQ(object(*again, v.symbol).width, o.width) << o.text << "\n" << text;
    EXPECT_EQ(prog::observables(*again).front().text, o.text) << text;
    if (testing::Test::HasFailure()) return asked;
  }
  return asked;
}

}  // namespace names_test
