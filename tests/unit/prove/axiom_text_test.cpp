// Axioms in files: the whole of what is read of a text, or the whole message; and which instances are made.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "formula/pool.h"
#include "prove/axiom.h"

namespace fencepost::prove {
namespace {

using formula::Pool;
using formula::Term;

std::string told(const AxiomTerm& t) {
  if (t.kind == AxiomTerm::variable) return fmt::format("v{}:{}", t.number, t.width);
  if (t.kind == AxiomTerm::constant) return fmt::format("{}:{}", t.bits, t.width);
  std::string kids;
  for (const AxiomTerm& k : t.kids) kids += (kids.empty() ? "" : " ") + told(k);
  const bool own = t.function.starts_with("function "), operation = t.function.starts_with("=");
  const std::string name = own ? t.function.substr(9) : operation ? t.function : "machine " + t.function;
  return fmt::format("{}{}:{}({})", name, name == "=extract" ? "@" + std::to_string(t.bits) : "", t.width, kids);
}

// What is read: of each axiom its variables, its patterns and its body, and the text that it spans.
std::string read(const std::string& text) {
  const SourcePtr file = make_source("a.bpl", text);
  const auto axioms = parse_axioms(file);
  if (!axioms) {
    const Diagnostic& d = axioms.error().list.front();
    return fmt::format("{}-{} {}{}{}{}", d.span.begin, d.span.end,
                       d.fault == Fault::unsupported ? "not supported: " : "", d.message, d.hint.empty() ? "" : " | ",
                       d.hint);
  }
  std::string out;
  for (const Axiom& a : *axioms) {
    for (const uint8_t w : a.variables) out += fmt::format("{} ", w);
    for (const auto& set : a.patterns) {
      out += "{";
      for (const AxiomTerm& t : set) out += told(t) + ";";
      out += "} ";
    }
    out += fmt::format("{} [{}-{}]", told(a.body), a.span.begin, a.span.end);
    if (&a != &axioms->back()) out += " ";
  }
  return out;
}
struct Text {
  const char *text, *said;
};

// Variables, {patterns} and body of each axiom with its place; or the place and the message of the first error.
constexpr Text k_texts[] = {
    {"axiom true;", "1:1 [0-11]"},
    {"axiom false;", "0:1 [0-12]"},
    {"axiom (true);", "1:1 [0-13]"},
    {"  axiom (true) && (false);", "=and:1(1:1 0:1) [2-26]"},
    {"axiom (1bv8 == 2bv8) || (true);", "=or:1(=eq:1(1:8 2:8) 1:1) [0-31]"},
    {"axiom true && false || true;", "=or:1(=and:1(1:1 0:1) 1:1) [0-28]"},
    {"axiom !true;", "=not:1(1:1) [0-12]"},
    {"axiom !!true;", "=not:1(=not:1(1:1)) [0-13]"},
    {"axiom true ==> false ==> true;", "=implies:1(1:1 =implies:1(0:1 1:1)) [0-30]"},
    {"axiom true <==> false <==> true;", "=eq:1(=eq:1(1:1 0:1) 1:1) [0-32]"},
    {"axiom true ==> false <==> true ==> true;", "=eq:1(=implies:1(1:1 0:1) =implies:1(1:1 1:1)) [0-40]"},
    {"axiom true && true ==> false;", "=implies:1(=and:1(1:1 1:1) 0:1) [0-29]"},
    {"axiom 1bv8 == 2bv8 && 3bv8 != 4bv8;", "=and:1(=eq:1(1:8 2:8) =ne:1(3:8 4:8)) [0-35]"},
    {"axiom 1bv8 ++ 2bv8 == 3bv16;", "=eq:1(=concat:16(1:8 2:8) 3:16) [0-28]"},
    {"axiom 1bv8 ++ 2bv8 ++ 3bv8 == 3bv24;", "=eq:1(=concat:24(=concat:16(1:8 2:8) 3:8) 3:24) [0-36]"},
    {"axiom 1bv32 ++ 2bv32 == 3bv64;", "=eq:1(=concat:64(1:32 2:32) 3:64) [0-30]"},
    {"axiom 1bv32 ++ 2bv33 == 3bv64;", "21-22 not supported: values of more than 64 bits in axioms are not supported"},
    {"axiom 1bv8[8:0] == 1bv8;", "=eq:1(=extract@0:8(1:8) 1:8) [0-24]"},
    {"axiom 1bv8[8:7] == 1bv1;", "=eq:1(=extract@7:1(1:8) 1:1) [0-24]"},
    {"axiom 1bv8[9:0] == 1bv9;", "15-16 these are not the bits of a value of 8"},
    {"axiom 1bv8[4:4] == 1bv1;", "15-16 these are not the bits of a value of 8"},
    {"axiom 1bv8[3:4] == 1bv1;", "15-16 these are not the bits of a value of 8"},
    {"axiom 1bv8[6:1][3:2] == 1bv1;", "=eq:1(=extract@2:1(=extract@1:5(1:8)) 1:1) [0-29]"},
    {"axiom !1bv8[1:0];", "=not:1(=extract@0:1(1:8)) [0-17]"},
    {"axiom !(1bv8);", "13-14 this connective joins what is true or false"},
    {"axiom 1bv8 && true;", "18-19 this connective joins what is true or false"},
    {"axiom true && 1bv8;", "18-19 this connective joins what is true or false"},
    {"axiom true || 1bv8;", "18-19 this connective joins what is true or false"},
    {"axiom 1bv8 ==> true;", "19-20 this connective joins what is true or false"},
    {"axiom true ==> 1bv8;", "19-20 this connective joins what is true or false"},
    {"axiom 2bv8 <==> true;", "20-21 this connective joins what is true or false"},
    {"axiom true <==> 2bv8;", "20-21 this connective joins what is true or false"},
    {"axiom 1bv8;", "10-11 an axiom is true or false, and this is a value"},
    {"axiom 1bv8 == 1bv9;", "18-19 the two sides have 8 and 9 bits"},
    {"axiom 1bv8 != 1bv9;", "18-19 the two sides have 8 and 9 bits"},
    {"axiom (if true then 1bv8 else 2bv8) == 3bv8;", "=eq:1(=ite:8(1:1 1:8 2:8) 3:8) [0-44]"},
    {"axiom (if 1bv8 then 1bv8 else 2bv8) == 3bv8;", "15-16 this connective joins what is true or false"},
    {"axiom (if true then 1bv8 else 2bv9) == 3bv8;", "34-35 the two sides have 8 and 9 bits"},
    {"axiom (if true 1bv8 else 2bv8) == 3bv8;", "15-16 'then' is missing here"},
    {"axiom (if true then 1bv8) == 3bv8;", "24-25 'else' is missing here"},
    {"axiom 0bv0 == 0bv1;", "10-11 a value has 1 to 64 bits"},
    {"axiom 0bv1 == 1bv1;", "=eq:1(0:1 1:1) [0-19]"},
    {"axiom 2bv1 == 1bv1;", "10-11 this number has more than 1 bits"},
    {"axiom 255bv8 == 256bv8;", "22-23 this number has more than 8 bits"},
    {"axiom 0bv64 == 18446744073709551615bv64;", "=eq:1(0:64 18446744073709551615:64) [0-40]"},
    {"axiom 0bv63 == 9223372036854775808bv63;", "38-39 this number has more than 63 bits"},
    {"axiom 0bv65 == 0bv65;", "11-12 a value has 1 to 64 bits"},
    {"axiom 18446744073709551616bv64 == 0bv64;", "26-27 this number has more than 64 bits"},
    {"axiom 184467440737095516150bv64 == 0bv64;", "27-28 this number has more than 64 bits"},
    {"axiom 1 == 1;", "8-9 not supported: integers in axioms are not supported | write 0bv32"},
    {"axiom 1bv == 1;", "10-11 expected a number"},
    {"axiom 1bv8[a:0] == 1bv8;", "11-12 expected a number"},
    {"axiom 1bv8[8 0] == 1bv8;", "13-14 ':' is missing here"},
    {"axiom 1bv8[8:0 == 1bv8;", "15-16 ']' is missing here"},
    {"axiom 1bv8 < 2bv8;",
     "11-12 not supported: comparisons of integers in axioms are not supported | declare function {:bvbuiltin "
     "\"bvule\"} ..."},
    {"axiom 1bv8 > 2bv8;",
     "11-12 not supported: comparisons of integers in axioms are not supported | declare function {:bvbuiltin "
     "\"bvule\"} ..."},
    {"axiom 1bv8 <= 2bv8;",
     "11-12 not supported: comparisons of integers in axioms are not supported | declare function {:bvbuiltin "
     "\"bvule\"} ..."},
    {"axiom 1bv8 + 2bv8 == 1bv8;",
     "11-12 not supported: operators of integers in axioms are not supported | declare function {:bvbuiltin \"bvadd\"} "
     "..."},
    {"axiom 1bv8 - 2bv8 == 1bv8;",
     "11-12 not supported: operators of integers in axioms are not supported | declare function {:bvbuiltin \"bvadd\"} "
     "..."},
    {"axiom 1bv8 * 2bv8 == 1bv8;",
     "11-12 not supported: operators of integers in axioms are not supported | declare function {:bvbuiltin \"bvadd\"} "
     "..."},
    {"axiom (forall x : bv8 :: { F(x) } F(x) == x);", "8 {F:8(v0:8);} =eq:1(F:8(v0:8) v0:8) [0-45]"},
    {"axiom forall x : bv8 :: { F(x) } F(x) == x;", "8 {F:8(v0:8);} =eq:1(F:8(v0:8) v0:8) [0-43]"},
    {"axiom (forall x : bv8 :: F(x) == x);", "8 {F:8(v0:8);} =eq:1(F:8(v0:8) v0:8) [0-36]"},
    {"axiom (forall x : bv8 :: G(F(x)) == x);", "8 {F:8(v0:8);} =eq:1(G:8(F:8(v0:8)) v0:8) [0-39]"},
    {"axiom (forall x, y : bv8 :: G(x, F(x)) == H(x, y));",
     "8 8 {H:8(v0:8 v1:8);} =eq:1(G:8(v0:8 F:8(v0:8)) H:8(v0:8 v1:8)) [0-51]"},
    {"axiom (forall x : bv8, y : bv16 :: { F(x, y) } F(x, y) == x);",
     "8 16 {F:8(v0:8 v1:16);} =eq:1(F:8(v0:8 v1:16) v0:8) [0-61]"},
    {"axiom (forall x, y : bv8 :: { F(x), G(y) } { H(x, y) } F(x) == y);",
     "8 8 {F:8(v0:8);G:8(v1:8);} {H:8(v0:8 v1:8);} =eq:1(F:8(v0:8) v1:8) [0-66]"},
    {"axiom (forall x, y : bv8 :: { F(x) } F(x) == y);", "36-37 this pattern does not name all variables of the axiom"},
    {"axiom (forall x : bv8 :: { x } F(x) == x);",
     "30-31 not supported: patterns that are not applications of the kernel's functions in axioms are not supported"},
    {"axiom (forall x : bv8 :: { BV8_ADD(x, x) } F(x) == x);",
     "42-43 not supported: patterns that are not applications of the kernel's functions in axioms are not supported"},
    {"axiom (forall x : bv8 :: { F(BV8_ADD(x, x)) } F(x) == x);",
     "45-46 not supported: patterns that are not applications of the kernel's functions in axioms are not supported"},
    {"axiom (forall x : bv8 :: { F(1bv8, x) } F(1bv8, x) == 1bv8);",
     "8 {F:8(1:8 v0:8);} =eq:1(F:8(1:8 v0:8) 1:8) [0-60]"},
    {"axiom (forall x : bv8 :: x == 1bv8);",
     "0-36 not supported: an axiom without a pattern is not supported | write { A(x, y) } behind '::', with all "
     "variables"},
    {"axiom (forall x : bv8 :: BV8_ADD(x, x) == 1bv8);",
     "0-48 not supported: an axiom without a pattern is not supported | write { A(x, y) } behind '::', with all "
     "variables"},
    {"axiom (forall x : bv8 : F(x) == x);", "22-23 '::' is missing here"},
    {"axiom (forall x : bv8 :: {F(x)} F(x) == x;", "41-42 ')' is missing here"},
    {"axiom (forall x, x : bv8 :: {F(x)} F(x) == x);", "34-35 this pattern does not name all variables of the axiom"},
    {"axiom (forall x bv8 :: {F(x)} F(x) == x);", "16-17 ':' is missing here"},
    {"axiom (forall : bv8 :: {F(x)} F(x) == x);", "14-15 expected a variable"},
    {"axiom (forall 1x : bv8 :: {F(x)} F(x) == x);", "14-15 expected a variable"},
    {"axiom (forall alpha : bv8 :: {F(alpha)} F(alpha) == alpah);",
     "52-53 'alpah' is not a variable here | did you mean 'alpha'?"},
    {"axiom (forall a : bv8 :: {F(a)} F(a) == zzzzzz);", "40-41 'zzzzzz' is not a variable here"},
    {"axiom (exists x : bv8 :: {F(x)} F(x) == x);",
     "13-14 not supported: quantifiers below the top in axioms are not supported"},
    {"axiom exists x : bv8 :: F(x) == x;",
     "12-13 not supported: quantifiers below the top in axioms are not supported"},
    {"axiom (true && (forall x : bv8 :: F(x) == x));",
     "22-23 not supported: quantifiers below the top in axioms are not supported"},
    {"axiom (true && (exists x : bv8 :: F(x) == x));",
     "22-23 not supported: quantifiers below the top in axioms are not supported"},
    {"axiom true && forall;", "20-21 not supported: quantifiers below the top in axioms are not supported"},
    {"axiom true && exists;", "20-21 not supported: quantifiers below the top in axioms are not supported"},
    {"axiom (forall $a.b'c#d_1 : bv8 :: F($a.b'c#d_1) == $a.b'c#d_1);", "8 {F:8(v0:8);} =eq:1(F:8(v0:8) v0:8) [0-63]"},
    {"axiom (forall _x : bool :: F(_x));", "1 {F:1(v0:1);} F:1(v0:1) [0-34]"},
    {"axiom (forall x : bv1 :: F(x) == x);", "1 {F:1(v0:1);} =eq:1(F:1(v0:1) v0:1) [0-36]"},
    {"axiom (forall x : bv64 :: F(x) == x);", "64 {F:64(v0:64);} =eq:1(F:64(v0:64) v0:64) [0-37]"},
    {"axiom (forall x : bv65 :: F(x) == x);",
     "18-19 not supported: values of type 'bv65' in axioms are not supported | bv1 to bv64 and bool are"},
    {"axiom (forall x : bv0 :: F(x) == x);",
     "18-19 not supported: values of type 'bv0' in axioms are not supported | bv1 to bv64 and bool are"},
    {"axiom (forall x : bv :: F(x) == x);",
     "18-19 not supported: values of type 'bv' in axioms are not supported | bv1 to bv64 and bool are"},
    {"axiom (forall x : bv100 :: F(x) == x);",
     "18-19 not supported: values of type 'bv100' in axioms are not supported | bv1 to bv64 and bool are"},
    {"axiom (forall x : bv8x :: F(x) == x);",
     "18-19 not supported: values of type 'bv8x' in axioms are not supported | bv1 to bv64 and bool are"},
    {"axiom (forall x : bvx :: F(x) == x);",
     "18-19 not supported: values of type 'bvx' in axioms are not supported | bv1 to bv64 and bool are"},
    {"axiom (forall x : int :: F(x) == x);",
     "18-19 not supported: values of type 'int' in axioms are not supported | bv1 to bv64 and bool are"},
    {"axiom (forall x :   int :: F(x) == x);",
     "20-21 not supported: values of type 'int' in axioms are not supported | bv1 to bv64 and bool are"},
    {"axiom (forall p : ptr, x : bv8 :: { F(p, x) } F(p, x) == x);", ""},
    {"axiom (forall p : functionPtr :: { F(p) } F(p) == p);", ""},
    {"axiom (forall p : arrayId :: { F(p) } F(p) == p);", ""},
    {"axiom (forall p : functionPtr :: { FUNCPTR_TO_PTR(p) } PTR_TO_FUNCPTR(FUNCPTR_TO_PTR(p)) == p);\naxiom true;",
     "1:1 [96-107]"},
    {"axiom (forall p : ptr :: { F(p) } FUNCPTR_TO_PTR(PTR_TO_FUNCPTR(p)) == p);\naxiom 1bv8 == 2bv9;",
     "93-94 the two sides have 8 and 9 bits"},
    {"axiom (forall p : bv8 :: PTR_TO_FUNCPTR(p) == 0bv9);", ""},
    {"axiom (forall p : bv8 :: FUNCPTR_TO_PTR(p, p) == p);",
     "8 {FUNCPTR_TO_PTR:8(v0:8 v0:8);} =eq:1(FUNCPTR_TO_PTR:8(v0:8 v0:8) v0:8) [0-52]"},
    {"type T = bv16;\naxiom (forall x : T :: F(x) == x);", "16 {F:16(v0:16);} =eq:1(F:16(v0:16) v0:16) [15-49]"},
    {"type T = U;", "9-10 not supported: values of type 'U' in axioms are not supported | bv1 to bv64 and bool are"},
    {"type = bv8;", "5-6 expected the name of a type"},
    {"type T bv8;", "7-8 '=' is missing here"},
    {"type T = bv8", "12-12 ';' is missing here"},
    {"type T = bool;\ntype U = T;\naxiom (forall x : U :: F(x));", "1 {F:1(v0:1);} F:1(v0:1) [27-56]"},
    {"const x : bv8;",
     "5-6 not supported: constants in axioms are not supported | declare a function of the kernel instead"},
    {"lemma true;", "5-6 'lemma' begins no declaration | 'axiom', 'function' and 'type' do"},
    {" lemma true;", "6-7 'lemma' begins no declaration | 'axiom', 'function' and 'type' do"},
    {"axiom", "5-5 expected a value"},
    {"   axiom", "8-8 expected a value"},
    {"1axiom", "0-1 expected 'axiom', 'function', 'type' or 'const'"},
    {"axiom true", "10-10 ';' is missing here"},
    {"axiom true true;", "11-12 ';' is missing here"},
    {"axiom ;", "6-7 expected a value"},
    {"axiom 1axiom;", "7-8 not supported: integers in axioms are not supported | write 0bv32"},
    {"/* a comment; */ axiom /* another */ true; // the end", "1:1 [17-42]"},
    {"// nothing", ""},
    {"axiom true; // end\n// more\naxiom false;", "1:1 [0-11] 0:1 [27-39]"},
    {"/**/axiom true;", "1:1 [4-15]"},
    {"/*/axiom true;", "1:1 [3-14]"},
    {"axiom true; /* no end", "12-13 this comment has no end"},
    {"axiom true /;", "11-12 ';' is missing here"},
    {"function {:bvbuiltin \"bvule\"} ULE(bv8, bv8) : bool;\naxiom ULE(1bv8, 2bv8);", "=bvule:1(1:8 2:8) [52-74]"},
    {"function {:inline} {:bvbuiltin \"bvadd\"} A(x : bv8, y : bv8) returns (bv8);\naxiom A(1bv8, 2bv8) == 3bv8;",
     "=eq:1(=bvadd:8(1:8 2:8) 3:8) [75-103]"},
    {"function {:note \"anything\"} A(bv8) returns (bv16);\naxiom A(1bv8) == 3bv16;", "=eq:1(A:16(1:8) 3:16) [51-74]"},
    {"function {:note \"anything} A(bv8) returns (bv16);", "17-18 this text has no end"},
    {"function {:bvbuiltin \"bvfoo\"} A(bv8) : bv8;",
     "22-23 not supported: the built-in function 'bvfoo' in axioms are not supported"},
    {"function {:bvbuiltin bvadd} A(bv8) : bv8;", "21-22 '}' is missing here"},
    {"function { bvbuiltin \"bvadd\"} A(bv8) : bv8;", "11-12 ':' is missing here"},
    {"function {:bvbuiltin \"bvadd\" A(bv8) : bv8;", "29-30 '}' is missing here"},
    {"function {:} A(bv8) : bv8;", "11-12 expected an attribute"},
    {"function A() : bv8;\naxiom A() == 1bv8;", "=eq:1(A:8() 1:8) [20-38]"},
    {"function A(bv8, ) : bv8;", "16-17 expected a type"},
    {"function A(bv8 : bv8;", "20-21 ')' is missing here"},
    {"function A bv8 : bv8;", "11-12 '(' is missing here"},
    {"function A(bv8) bv8;", "16-17 ':' is missing here"},
    {"function A(bv8) returns bv8;", "24-25 '(' is missing here"},
    {"function A(bv8) returns (bv8;", "28-29 ')' is missing here"},
    {"function A(bv8) : bv8", "21-21 ';' is missing here"},
    {"function A(bv8) : bv8 { 1bv8 }",
     "22-23 not supported: functions with bodies in axioms are not supported | state it as an axiom"},
    {"function A(:bv8) : bv8;", "11-12 expected a type"},
    {"function (bv8) : bv8;", "9-10 expected the name of a function"},
    {"function A(bv8) : bv8;\naxiom A(1bv8, 2bv8) == 1bv8;", "42-43 'A' takes 1 values"},
    {"function A(bv8, bv16) : bv8;\naxiom A(1bv8, 2bv8) == 1bv8;", "48-49 value 2 of 'A' has 8 bits, not 16"},
    {"function A(bv8, bv16) : bv8;\naxiom A(1bv9, 2bv16) == 1bv8;", "49-50 value 1 of 'A' has 9 bits, not 8"},
    {"function {:bvbuiltin \"bvnot\"} N(bv8, bv8) : bv8;\naxiom N(1bv8, 2bv8) == 1bv8;",
     "68-69 'bvnot' takes 1 values"},
    {"function {:bvbuiltin \"bvadd\"} N(bv8) : bv8;\naxiom N(1bv8) == 1bv8;", "57-58 'bvadd' takes 2 values"},
    {"function {:bvbuiltin \"bvadd\"} N(bv8, bv9) : bv8;\naxiom N(1bv8, 1bv9) == 1bv8;",
     "68-69 the two sides have 8 and 9 bits"},
    {"axiom BV32_ADD(1bv32, 2bv32) == 3bv32;", "=eq:1(=bvadd:32(1:32 2:32) 3:32) [0-38]"},
    {"axiom BV32_SUB(1bv32) == 3bv32;", "21-22 'bvsub' takes 2 values"},
    {"axiom BV32_SUB(1bv32, 2bv16) == 3bv32;", "28-29 the two sides have 32 and 16 bits"},
    {"axiom BV8_ULT(1bv8, 2bv8);", "=bvult:1(1:8 2:8) [0-26]"},
    {"axiom BV8_NOT(1bv8) == 2bv8;", "=eq:1(=bvnot:8(1:8) 2:8) [0-28]"},
    {"axiom BV8_NEG(1bv8) == 2bv8;", "=eq:1(=bvneg:8(1:8) 2:8) [0-28]"},
    {"axiom BV_ADD(1bv8, 2bv8) == 1bv8;", "=eq:1(BV_ADD:8(1:8 2:8) 1:8) [0-33]"},
    {"axiom BV8_FOO(1bv8, 2bv8) == 1bv8;", "=eq:1(BV8_FOO:8(1:8 2:8) 1:8) [0-34]"},
    {"axiom BVx_ADD(1bv8, 2bv8) == 1bv8;", "=eq:1(BVx_ADD:8(1:8 2:8) 1:8) [0-34]"},
    {"axiom BV8ADD(1bv8, 2bv8) == 1bv8;", "=eq:1(BV8ADD:8(1:8 2:8) 1:8) [0-33]"},
    {"axiom BV1_ADD(1bv8, 2bv8) == 1bv8;", "=eq:1(=bvadd:8(1:8 2:8) 1:8) [0-34]"},
    {"axiom XV8_ADD(1bv8, 2bv8) == 1bv8;", "=eq:1(XV8_ADD:8(1:8 2:8) 1:8) [0-34]"},
    {"axiom FADD32(1bv32, 2bv32) == 3bv32;", "=eq:1(machine add:32(1:32 2:32) 3:32) [0-36]"},
    {"axiom FSUB64(1bv64, 2bv64) == 3bv64;", "=eq:1(machine sub:64(1:64 2:64) 3:64) [0-36]"},
    {"axiom FMUL32(1bv32, 2bv32) == 3bv32;", "=eq:1(machine mul:32(1:32 2:32) 3:32) [0-36]"},
    {"axiom FDIV64(1bv64, 2bv64) == 3bv64;", "=eq:1(machine div:64(1:64 2:64) 3:64) [0-36]"},
    {"axiom FADD32(1bv32) == 3bv32;", "=eq:1(FADD32:32(1:32) 3:32) [0-29]"},
    {"axiom FADD32(1bv32, 2bv32, 3bv32) == 3bv32;", "=eq:1(FADD32:32(1:32 2:32 3:32) 3:32) [0-43]"},
    {"axiom FADD16(1bv32, 2bv32) == 3bv32;", "=eq:1(FADD16:32(1:32 2:32) 3:32) [0-36]"},
    {"axiom F() == 1bv8;", "9-10 not supported: functions without operands in axioms are not supported"},
    {"axiom F(1bv8 == 1bv8;", "20-21 ')' is missing here"},
    {"axiom F(1bv8, ) == 1bv8;", "14-15 expected a value"},
    {"axiom F(1bv8, 2bv16) == 1bv8;", "=eq:1(F:8(1:8 2:16) 1:8) [0-29]"},
    {"axiom x == 1bv8;", "6-7 'x' is not a variable here"},
    {"axiom (forall x : bv8 :: F(x) == x);\naxiom x == 1bv8;", "43-44 'x' is not a variable here"},
    {"axiom (forall x : bv8 :: {F(x)} {G(x)} F(x) == x);\naxiom (forall y : bv8 :: {F(y)} F(y) == y);",
     "8 {F:8(v0:8);} {G:8(v0:8);} =eq:1(F:8(v0:8) v0:8) [0-50] 8 {F:8(v0:8);} =eq:1(F:8(v0:8) v0:8) [51-94]"},
    {"axiom (forall x : bool :: F(if x then x else !x));",
     "0-50 not supported: an axiom without a pattern is not supported | write { A(x, y) } behind '::', with all "
     "variables"},
    {"axiom (forall x : bv8 :: { F(x)  F(x) == x);", "33-34 '}' is missing here"},
    {"axiom (forall x : bv8 :: { F(x); } F(x) == x);", "31-32 '}' is missing here"},
    {"axiom true!;", "10-11 ';' is missing here"},
    {"axiom 1bv8!= 1bv8;", "=ne:1(1:8 1:8) [0-18]"},
    {"axiom true == !false;", "=eq:1(1:1 =not:1(0:1)) [0-21]"},
    {"axiom true ==>! false;", "=implies:1(1:1 =not:1(0:1)) [0-22]"},
    {"axiom 1bv8 ==> 1bv8;", "19-20 this connective joins what is true or false"},
    {"axiom F(1bv8)[8:0] == F(1bv8);", "=eq:1(=extract@0:8(F:8(1:8)) F:8(1:8)) [0-30]"},
    {"axiom ((((true))));", "1:1 [0-19]"},
    {"axiom (forall x : bv064 :: F(x) == x);",
     "18-19 not supported: values of type 'bv064' in axioms are not supported | bv1 to bv64 and bool are"},
    {"axiom (forall x : bv8, :: F(x) == x);", "23-24 expected a variable"},
    {"axiom (forall x : bv8 :: F(x) == x:);", "34-35 ')' is missing here"},
    {"axiom  ( forall x : bv8 :: F(x) == x);", "8 {F:8(v0:8);} =eq:1(F:8(v0:8) v0:8) [0-38]"},
    {"axiom (forall x : bv8 ; y : bv8 :: F(x) == x);", "22-23 '::' is missing here"},
    {"axiom ( forall x : bv8 :: F(x) == x);", "8 {F:8(v0:8);} =eq:1(F:8(v0:8) v0:8) [0-37]"},
    {"axiom true && ( forall x : bv8 :: F(x) == x);",
     "22-23 not supported: quantifiers below the top in axioms are not supported"},
    {"axiom (((forall x : bv8 :: F(x) == x)));",
     "15-16 not supported: quantifiers below the top in axioms are not supported"},
    {"axiom (!true);", "=not:1(1:1) [0-14]"},
    {"axiom ! =true;", "8-9 expected a value"},
    {"axiom != true;", "6-7 expected a value"},
    {"axiom 1bv8[8:", "13-13 expected a number"},
    {"axiom 1bv8[", "11-11 expected a number"},
    {"axiom 12", "8-8 not supported: integers in axioms are not supported | write 0bv32"},
    {"axiom   zz == 1bv8;", "8-9 'zz' is not a variable here"},
    {"function  { :  note \"x\" } A(bv8) : bv8;", ""},
    {"function {:note   } A(bv8) : bv8;", ""},
    {"axiom F(1bv8) == 1bv8 && 1bv8 == 1bv8 ++ 1bv8;", "45-46 the two sides have 8 and 16 bits"},
    {"axiom 1bv8 == 1bv8 == true;", "=eq:1(=eq:1(1:8 1:8) 1:1) [0-27]"},
    {"axiom 1bv8 == 1bv8 == 1bv8;", "26-27 the two sides have 1 and 8 bits"},
    {"axiom true ==> (false <==> true) && false;", "=implies:1(1:1 =and:1(=eq:1(0:1 1:1) 0:1)) [0-42]"},
    {"axiom (1bv8 + 1bv8) == 1bv8;",
     "12-13 not supported: operators of integers in axioms are not supported | declare function {:bvbuiltin \"bvadd\"} "
     "..."},
    {"axiom F(1bv8 < 1bv8);",
     "13-14 not supported: comparisons of integers in axioms are not supported | declare function {:bvbuiltin "
     "\"bvule\"} ..."},
    {"axiom tru", "6-7 'tru' is not a variable here"},
    {"axiom (forall x :: F(x) == x);", "17-18 this variable has no type | forall x : bv32 :: ..."},
    {"axiom (forall x : bv99999999999 :: F(x) == x);",
     "18-19 not supported: values of type 'bv99999999999' in axioms are not supported | bv1 to bv64 and bool are"},
};

TEST(Axiom, each_text_is_read_as_it_says_or_refused_where_it_is_wrong) {
  for (const Text& t : k_texts) EXPECT_EQ(read(t.text), t.said) << t.text;
}

// 199 pairs of parentheses are read, one more is not; and those that are closed do not count.
TEST(Axiom, depth) {
  const auto nested = [](int n) {
    return "axiom " + std::string(static_cast<size_t>(n), '(') + "true" + std::string(static_cast<size_t>(n), ')') +
           ";";
  };
  EXPECT_EQ(read(nested(199)), "1:1 [0-409]");
  EXPECT_EQ(read(nested(200)), "206-207 this is nested too deeply");
  std::string wide = "axiom true";
  for (int k = 0; k < 250; ++k) wide += " && true";
  EXPECT_TRUE(read(wide + ";").starts_with("=and:1("));
}

// ---- instances -----------------------------------------------------------------------------------------------------
std::vector<Axiom> axioms(const std::string& text) {
  auto a = parse_axioms(make_source("a.bpl", text));
  EXPECT_TRUE(a) << text;
  return a ? *a : std::vector<Axiom>{};
}
Term call(Pool& p, const std::string& f, uint8_t width, std::vector<Term> operands) {
  std::vector<uint8_t> widths;
  for (Term o : operands) widths.push_back(p.width(o));
  return p.apply(p.symbol(function_symbol("function " + f, width, widths)), width, std::move(operands));
}

TEST(Axiom, instances_are_made_of_what_matches_and_once) {
  const auto a = axioms("axiom (forall x, y : bv8 :: { F(x, y) } F(x, y) == x);");
  Pool p;
  const Term x = p.variable(8, "x"), y = p.variable(8, "y"), z = p.variable(16, "z");
  call(p, "G", 8, {x, y});   // another function
  call(p, "F", 8, {x});      // of one operand
  call(p, "F", 16, {x, y});  // another result
  call(p, "F", 8, {x, z});   // another operand
  EXPECT_TRUE(instances(p, a).empty());
  call(p, "F", 8, {x, y});
  call(p, "F", 8, {y, x});
  EXPECT_EQ(instances(p, a).size(), 2u);
  call(p, "F", 8, {call(p, "F", 8, {x, y}), y});
  EXPECT_EQ(instances(p, a).size(), 3u);
  // The same variable twice is the same term twice.
  const auto twice = axioms("axiom (forall x : bv8 :: { F(x, x) } F(x, x) == x);");
  EXPECT_TRUE(instances(p, twice).empty());
  call(p, "F", 8, {y, y});
  EXPECT_EQ(instances(p, twice).size(), 1u);
  // A constant is that constant.
  const auto constant = axioms("axiom (forall x : bv8 :: { F(x, 3bv8) } F(x, 3bv8) == x);");
  call(p, "F", 8, {y, p.constant(4, 8)});
  EXPECT_TRUE(instances(p, constant).empty());
  call(p, "F", 8, {y, p.constant(3, 8)});
  EXPECT_EQ(instances(p, constant).size(), 1u);
  // Two terms of one pattern: all ways.
  const auto pairs = axioms("axiom (forall x, y : bv8 :: { H(x), H(y) } x == y || H(x) != H(y));");
  call(p, "H", 8, {x});
  EXPECT_TRUE(instances(p, pairs).empty());  // of one term it is true
  call(p, "H", 8, {y});
  EXPECT_EQ(instances(p, pairs).size(), 2u);
  // Without variables: as it is, once, and true ones too.
  EXPECT_EQ(instances(p, axioms("axiom 1bv8 == 2bv8;\naxiom true;")).size(), 2u);
  // What two patterns find of the same variables is one instance.
  const auto both = axioms("axiom (forall x : bv8 :: { K(x) } { L(x) } K(x) == L(x));");
  call(p, "K", 8, {x});
  EXPECT_EQ(instances(p, both).size(), 1u);
}

TEST(Axiom, instances_end) {
  Pool p;
  const Term x = p.variable(8, "x");
  // Each brings the next: eight rounds of it.
  call(p, "F", 8, {x});
  const auto grows = axioms("axiom (forall x : bv8 :: { F(x) } F(F(x)) == x);");
  EXPECT_EQ(instances(p, grows).size(), 8u);
  Pool q;
  for (int k = 0; k < 10; ++k) call(q, "F", 8, {q.variable(8, "v")});
  const auto flat = axioms("axiom (forall x : bv8 :: { F(x) } F(x) == x);");
  EXPECT_EQ(instances(q, flat).size(), 10u);
  for (const size_t most : {0u, 1u, 9u, 10u, 11u}) {
    EXPECT_EQ(instances(q, flat, most).size(), std::min<size_t>(most, 10)) << most;
    // Of as many ways as are asked for, the first is x = y, which is true.
    EXPECT_EQ(instances(q, axioms("axiom (forall x, y : bv8 :: { F(x), F(y) } x == y);"), most).size(),
              most == 0 ? 0 : most - 1)
        << most;
    // Of two axioms together.
    EXPECT_EQ(instances(q,
                        axioms("axiom (forall x : bv8 :: { F(x) } F(x) == x);\n"
                               "axiom (forall x : bv8 :: { F(x) } F(x) == 1bv8);"),
                        most + 5)
                  .size(),
              most + 5)
        << most;
  }
}

}  // namespace
}  // namespace fencepost::prove
