// Integer instructions against functions that are written from the pseudo code of the PTX ISA, bit by bit. Operands
// come as literals and out of memory, so that both the folding of constants and the engines' circuits are held to them.
#include <fmt/format.h>

#include <functional>
#include <random>

#include "ptxmod_support.h"

namespace {

using namespace ptxmod_test;
using U = uint64_t;

struct Case {
  std::string text;   // %d, %a, %b, %c, %e: the operands
  std::string types;  // of d, a, b, c, e: 'w' 32 bits, 'q' 64, 'h' 16, '-' none
  std::function<U(U, U, U, U)> f;
};

int32_t s32(U x) { return static_cast<int32_t>(static_cast<uint32_t>(x)); }
int64_t s64(U x) { return static_cast<int64_t>(x); }
uint32_t u32(U x) { return static_cast<uint32_t>(x); }
int16_t s16(U x) { return static_cast<int16_t>(x); }
unsigned __int128 wide(U x) { return x; }
bool bit(U x, unsigned k) { return k < 64 && (x >> k & 1) != 0; }

U bfe(U a, U b, U c, unsigned n, bool is_signed) {
  const unsigned msb = n - 1, pos = b & 0xff, len = c & 0xff;
  const bool sbit = is_signed && len != 0 && bit(a, std::min(pos + len - 1, msb));
  U d = 0;
  for (unsigned i = 0; i <= msb; ++i)
    if (i < len && pos + i <= msb ? bit(a, pos + i) : sbit) d |= U{1} << i;
  return d;
}
U bfi(U a, U b, U c, U e, unsigned n) {
  const unsigned msb = n - 1, pos = c & 0xff, len = e & 0xff;
  U f = b;
  for (unsigned i = 0; i < len && pos + i <= msb; ++i) f = (f & ~(U{1} << (pos + i))) | (U{bit(a, i)} << (pos + i));
  return f;
}
U prmt(U a, U b, U c) {
  U d = 0;
  const U both = u32(a) | (U{u32(b)} << 32);
  for (unsigned k = 0; k < 4; ++k) {
    const unsigned sel = c >> (4 * k) & 15;
    U byte = both >> (8 * (sel & 7)) & 0xff;
    if ((sel & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    d |= byte << (8 * k);
  }
  return d;
}
U dot(U a, U b, U c, unsigned bits, unsigned from, bool a_signed, bool b_signed) {
  const auto part = [](U x, unsigned width, unsigned k, bool is_signed) {
    const U p = x >> (width * k) & ((U{1} << width) - 1);
    return is_signed && bit(p, width - 1) ? p - (U{1} << width) : p;
  };
  for (unsigned k = 0; k < 32 / bits; ++k) c += part(a, bits, k, a_signed) * part(b, 8, from + k, b_signed);
  return u32(c);
}
U bfind(U a, unsigned n, bool is_signed, bool amount) {
  if (is_signed && bit(a, n - 1)) a = ~a;
  U d = 0xffffffff;
  for (unsigned i = n; i-- > 0;)
    if (bit(a, i)) {
      d = i;
      break;
    }
  return amount && d != 0xffffffff ? n - 1 - d : d;
}
U reversed(U a, unsigned n) {
  U d = 0;
  for (unsigned i = 0; i < n; ++i) d |= U{bit(a, i)} << (n - 1 - i);
  return d;
}
U lop(U a, U b, U c, unsigned table) {
  U d = 0;
  for (unsigned i = 0; i < 32; ++i) d |= U{(table >> (4 * bit(a, i) + 2 * bit(b, i) + bit(c, i)) & 1) != 0} << i;
  return d;
}
U sat(__int128 x, __int128 least, __int128 most) {
  return static_cast<U>(static_cast<__int128>(x < least ? least : x > most ? most : x));
}

std::vector<Case> cases() {
  std::vector<Case> all = {
      {"add.u32 %d, %a, %b;", "www--", [](U a, U b, U, U) { return a + b; }},
      {"sub.s64 %d, %a, %b;", "qqq--", [](U a, U b, U, U) { return a - b; }},
      {"add.sat.s32 %d, %a, %b;", "www--",
       [](U a, U b, U, U) { return sat(__int128{s32(a)} + s32(b), INT32_MIN, INT32_MAX); }},
      {"sub.sat.s32 %d, %a, %b;", "www--",
       [](U a, U b, U, U) { return sat(__int128{s32(a)} - s32(b), INT32_MIN, INT32_MAX); }},
      {"add.s16 %d, %a, %b;", "hhh--", [](U a, U b, U, U) { return a + b; }},
      {"mul.lo.s32 %d, %a, %b;", "www--", [](U a, U b, U, U) { return a * b; }},
      {"mul.hi.s32 %d, %a, %b;", "www--",
       [](U a, U b, U, U) { return static_cast<U>((int64_t{s32(a)} * s32(b)) >> 32); }},
      {"mul.hi.u32 %d, %a, %b;", "www--", [](U a, U b, U, U) { return (U{u32(a)} * u32(b)) >> 32; }},
      {"mul.hi.u16 %d, %a, %b;", "hhh--", [](U a, U b, U, U) { return ((a & 0xffff) * (b & 0xffff)) >> 16; }},
      {"mul.hi.u64 %d, %a, %b;", "qqq--", [](U a, U b, U, U) { return static_cast<U>((wide(a) * b) >> 64); }},
      {"mul.hi.s64 %d, %a, %b;", "qqq--",
       [](U a, U b, U, U) { return static_cast<U>((__int128{s64(a)} * s64(b)) >> 64); }},
      {"mul.wide.s32 %d, %a, %b;", "qww--", [](U a, U b, U, U) { return static_cast<U>(int64_t{s32(a)} * s32(b)); }},
      {"mul.wide.u16 %d, %a, %b;", "whh--", [](U a, U b, U, U) { return (a & 0xffff) * (b & 0xffff); }},
      {"mul24.lo.s32 %d, %a, %b;", "www--",
       [](U a, U b, U, U) { return static_cast<U>(int64_t{s32(a << 8) >> 8} * (s32(b << 8) >> 8)); }},
      {"mul24.hi.u32 %d, %a, %b;", "www--", [](U a, U b, U, U) { return ((a & 0xffffff) * (b & 0xffffff)) >> 16; }},
      {"mad.lo.u32 %d, %a, %b, %c;", "wwww-", [](U a, U b, U c, U) { return a * b + c; }},
      {"mad.hi.s32 %d, %a, %b, %c;", "wwww-",
       [](U a, U b, U c, U) { return static_cast<U>((int64_t{s32(a)} * s32(b)) >> 32) + c; }},
      {"mad.wide.u32 %d, %a, %b, %c;", "qwwq-", [](U a, U b, U c, U) { return U{u32(a)} * u32(b) + c; }},
      {"sad.s32 %d, %a, %b, %c;", "wwww-", [](U a, U b, U c, U) { return c + (s32(a) < s32(b) ? b - a : a - b); }},
      {"sad.u32 %d, %a, %b, %c;", "wwww-", [](U a, U b, U c, U) { return c + (u32(a) < u32(b) ? b - a : a - b); }},
      {"min.s32 %d, %a, %b;", "www--", [](U a, U b, U, U) { return U(std::min(s32(a), s32(b))); }},
      {"max.u64 %d, %a, %b;", "qqq--", [](U a, U b, U, U) { return std::max(a, b); }},
      {"min.s16 %d, %a, %b;", "hhh--", [](U a, U b, U, U) { return U(std::min(s16(a), s16(b))); }},
      {"abs.s32 %d, %a;", "ww---", [](U a, U, U, U) { return s32(a) < 0 ? 0 - a : a; }},
      {"neg.s64 %d, %a;", "qq---", [](U a, U, U, U) { return 0 - a; }},
      {"not.b32 %d, %a;", "ww---", [](U a, U, U, U) { return ~a; }},
      {"cnot.b32 %d, %a;", "ww---", [](U a, U, U, U) { return U{u32(a) == 0}; }},
      {"popc.b32 %d, %a;", "ww---", [](U a, U, U, U) { return U(std::popcount(u32(a))); }},
      {"popc.b64 %d, %a;", "wq---", [](U a, U, U, U) { return U(std::popcount(a)); }},
      {"clz.b32 %d, %a;", "ww---", [](U a, U, U, U) { return U(std::countl_zero(u32(a))); }},
      {"clz.b64 %d, %a;", "wq---", [](U a, U, U, U) { return U(std::countl_zero(a)); }},
      {"brev.b32 %d, %a;", "ww---", [](U a, U, U, U) { return reversed(a, 32); }},
      {"brev.b64 %d, %a;", "qq---", [](U a, U, U, U) { return reversed(a, 64); }},
      {"bfind.u32 %d, %a;", "ww---", [](U a, U, U, U) { return bfind(a, 32, false, false); }},
      {"bfind.s64 %d, %a;", "wq---", [](U a, U, U, U) { return bfind(a, 64, true, false); }},
      {"bfind.shiftamt.u32 %d, %a;", "ww---", [](U a, U, U, U) { return bfind(a, 32, false, true); }},
      {"bfe.u32 %d, %a, %b, %c;", "wwww-", [](U a, U b, U c, U) { return bfe(a, b, c, 32, false); }},
      {"bfe.s32 %d, %a, %b, %c;", "wwww-", [](U a, U b, U c, U) { return bfe(a, b, c, 32, true); }},
      {"bfe.s64 %d, %a, %b, %c;", "qqww-", [](U a, U b, U c, U) { return bfe(a, b, c, 64, true); }},
      {"bfe.u64 %d, %a, %b, %c;", "qqww-", [](U a, U b, U c, U) { return bfe(a, b, c, 64, false); }},
      {"bfi.b32 %d, %a, %b, %c, %e;", "wwwww", [](U a, U b, U c, U e) { return bfi(a, b, c, e, 32); }},
      {"bfi.b64 %d, %a, %b, %c, %e;", "qqqww", [](U a, U b, U c, U e) { return bfi(a, b, c, e, 64); }},
      {"prmt.b32 %d, %a, %b, %c;", "wwww-", [](U a, U b, U c, U) { return prmt(a, b, c); }},
      {"dp4a.s32.s32 %d, %a, %b, %c;", "wwww-", [](U a, U b, U c, U) { return dot(a, b, c, 8, 0, true, true); }},
      {"dp4a.u32.u32 %d, %a, %b, %c;", "wwww-", [](U a, U b, U c, U) { return dot(a, b, c, 8, 0, false, false); }},
      {"dp4a.u32.s32 %d, %a, %b, %c;", "wwww-", [](U a, U b, U c, U) { return dot(a, b, c, 8, 0, false, true); }},
      {"dp2a.lo.s32.u32 %d, %a, %b, %c;", "wwww-", [](U a, U b, U c, U) { return dot(a, b, c, 16, 0, true, false); }},
      {"dp2a.hi.u32.s32 %d, %a, %b, %c;", "wwww-", [](U a, U b, U c, U) { return dot(a, b, c, 16, 2, false, true); }},
      {"and.b32 %d, %a, %b;", "www--", [](U a, U b, U, U) { return a & b; }},
      {"or.b64 %d, %a, %b;", "qqq--", [](U a, U b, U, U) { return a | b; }},
      {"xor.b16 %d, %a, %b;", "hhh--", [](U a, U b, U, U) { return a ^ b; }},
      {"shl.b32 %d, %a, %b;", "www--", [](U a, U b, U, U) { return u32(b) >= 32 ? 0 : a << u32(b); }},
      {"shl.b16 %d, %a, %b;", "hhw--", [](U a, U b, U, U) { return u32(b) >= 16 ? 0 : a << u32(b); }},
      {"shl.b64 %d, %a, %b;", "qqw--", [](U a, U b, U, U) { return u32(b) >= 64 ? 0 : a << u32(b); }},
      {"shr.u32 %d, %a, %b;", "www--", [](U a, U b, U, U) { return u32(b) >= 32 ? 0 : U{u32(a) >> u32(b)}; }},
      {"shr.s32 %d, %a, %b;", "www--", [](U a, U b, U, U) { return U(s32(a) >> std::min(u32(b), 31u)); }},
      {"shr.s16 %d, %a, %b;", "hhw--", [](U a, U b, U, U) { return U(s16(a) >> std::min(u32(b), 15u)); }},
      {"shf.l.wrap.b32 %d, %a, %b, %c;", "wwww-",
       [](U a, U b, U c, U) { return (((U{u32(b)} << 32) | u32(a)) << (c & 31)) >> 32; }},
      {"shf.r.clamp.b32 %d, %a, %b, %c;", "wwww-",
       [](U a, U b, U c, U) { return ((U{u32(b)} << 32) | u32(a)) >> std::min(u32(c), 32u); }},
      {"shf.l.clamp.b32 %d, %a, %b, %c;", "wwww-",
       [](U a, U b, U c, U) { return (((U{u32(b)} << 32) | u32(a)) << std::min(u32(c), 32u)) >> 32; }},
      {"bmsk.clamp.b32 %d, %a, %b;", "www--",
       [](U a, U b, U, U) {
         U d = 0;
         for (U k = 0; k < std::min<U>(u32(b), 32); ++k)
           if (u32(a) + k < 32) d |= U{1} << (u32(a) + k);
         return d;
       }},
      {"szext.clamp.s32 %d, %a, %b;", "www--",
       [](U a, U b, U, U) {
         const unsigned n = std::min(u32(b), 32u);
         return n == 0 ? 0 : U(s32(a << (32 - n)) >> (32 - n));
       }},
      {"cvt.u32.u16 %d, %a;", "wh---", [](U a, U, U, U) { return a & 0xffff; }},
      {"cvt.s32.s16 %d, %a;", "wh---", [](U a, U, U, U) { return U(s16(a)); }},
      {"cvt.s64.s32 %d, %a;", "qw---", [](U a, U, U, U) { return U(s32(a)); }},
      {"cvt.u64.u32 %d, %a;", "qw---", [](U a, U, U, U) { return U{u32(a)}; }},
      {"cvt.s32.s8 %d, %a;", "ww---", [](U a, U, U, U) { return U(static_cast<int8_t>(a)); }},
      {"cvt.u8.u32 %d, %a;", "ww---", [](U a, U, U, U) { return a & 0xff; }},
      {"cvt.s8.s32 %d, %a;", "ww---", [](U a, U, U, U) { return U(static_cast<int8_t>(a)); }},
      {"cvt.sat.u8.s32 %d, %a;", "ww---", [](U a, U, U, U) { return sat(s32(a), 0, 255); }},
      {"cvt.sat.s8.s32 %d, %a;", "ww---", [](U a, U, U, U) { return sat(s32(a), -128, 127); }},
      {"cvt.sat.s32.s64 %d, %a;", "wq---", [](U a, U, U, U) { return sat(s64(a), INT32_MIN, INT32_MAX); }},
      {"cvt.sat.s32.u32 %d, %a;", "ww---", [](U a, U, U, U) { return sat(u32(a), 0, INT32_MAX); }},
      {"cvt.sat.u32.s32 %d, %a;", "ww---", [](U a, U, U, U) { return sat(s32(a), 0, UINT32_MAX); }},
      {"cvt.sat.u64.s32 %d, %a;", "qw---", [](U a, U, U, U) { return sat(s32(a), 0, s64(INT64_MAX)); }},
      {"{ .reg .pred %q; setp.lt.s32 %q, %a, %b; selp.b32 %d, %c, %e, %q; }", "wwwww",
       [](U a, U b, U c, U e) { return s32(a) < s32(b) ? c : e; }},
      {"{ .reg .pred %q, %o; setp.hi.u32 %q|%o, %a, %b; selp.b32 %d, 7, 8, %o; }", "www--",
       [](U a, U b, U, U) { return U{u32(a) > u32(b) ? 8u : 7u}; }},
      {"{ .reg .pred %q; setp.ge.u64 %q, %a, %b; @!%q mov.u32 %d, 3; @%q mov.u32 %d, 4; }", "wqq--",
       [](U a, U b, U, U) { return U{a >= b ? 4u : 3u}; }},
      {"set.eq.u32.u32 %d, %a, %b;", "www--", [](U a, U b, U, U) { return u32(a) == u32(b) ? 0xffffffffu : 0; }},
      {"slct.b32.s32 %d, %a, %b, %c;", "wwww-", [](U a, U b, U c, U) { return s32(c) >= 0 ? a : b; }},
      {"{ .reg .u32 %q; add.cc.u32 %q, %a, %b; addc.u32 %d, %c, 0; }", "wwww-",
       [](U a, U b, U c, U) { return c + ((U{u32(a)} + u32(b)) >> 32); }},
      {"{ .reg .u32 %q; sub.cc.u32 %q, %a, %b; subc.u32 %d, %c, 0; }", "wwww-",
       [](U a, U b, U c, U) { return c - (u32(a) < u32(b)); }},
      {"{ .reg .u32 %q; mad.lo.cc.u32 %q, %a, %b, %c; madc.hi.u32 %d, %a, %b, 0; }", "wwww-",
       [](U a, U b, U c, U) { return (U{u32(a)} * u32(b) + u32(c)) >> 32; }},
      {"{ .reg .u32 %q, %o; mov.b64 {%q, %o}, %a; mov.b64 %d, {%o, %q}; }", "qq---",
       [](U a, U, U, U) { return a << 32 | a >> 32; }},
  };
  for (const unsigned table : {0x80u, 0xe8u, 0x96u, 0x1bu, 0xfeu})
    all.push_back({fmt::format("lop3.b32 %d, %a, %b, %c, {};", table), "wwww-",
                   [table](U a, U b, U c, U) { return lop(a, b, c, table); }});
  // By zero the result is any value, so that only other divisors are asked for.
  const auto by = [](U b) { return b == 0 ? U{1} : b; };
  all.push_back({"{ .reg .pred %q; setp.eq.u32 %q, %b, 0; .reg .u32 %o; selp.u32 %o, 1, %b, %q; div.u32 %d, %a, %o; }",
                 "www--", [by](U a, U b, U, U) { return U{u32(a) / u32(by(u32(b)))}; }});
  all.push_back({"{ .reg .pred %q; setp.eq.u32 %q, %b, 0; .reg .u32 %o; selp.u32 %o, 1, %b, %q; rem.s32 %d, %a, %o; }",
                 "www--", [by](U a, U b, U, U) { return static_cast<U>(int64_t{s32(a)} % s32(by(u32(b)))); }});
  return all;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

TEST(PtxmodArithmetic, AsThePseudoCodeSays) {
  std::mt19937_64 random(7);
  const U corners[] = {0,  1,  2,   7,          8,          15,         16,    31,         32,         33,
                       63, 64, 255, 0x7fffffff, 0x80000000, 0xffffffff, ~U{0}, U{1} << 63, 0x100000000};
  const auto draw = [&]() -> U {
    const U r = random();
    return r % 3 == 0 ? corners[random() % std::size(corners)] : r % 3 == 1 ? random() % 40 : random();
  };
  const std::vector<Case> all = cases();
  for (int round = 0; round < 6; ++round) {
    const bool literal = round % 2 == 0;
    for (size_t begin = 0; begin < all.size(); begin += 12) {
      std::string code, inputs, question, described;
      size_t at = 0;
      for (size_t k = begin; k < std::min(all.size(), begin + 12); ++k) {
        const Case& c = all[k];
        U operands[4] = {draw(), draw(), draw(), draw()};
        std::string text = c.text;
        const auto type = [](char t) { return t == 'h' ? "b16" : t == 'w' ? "b32" : "b64"; };
        std::string before;
        for (size_t n = 0; n < 4; ++n) {
          const char t = c.types[n + 1];
          if (t == '-') continue;
          const U mask = t == 'h' ? 0xffff : t == 'w' ? 0xffffffff : ~U{0};
          operands[n] &= mask;
          const std::string name = fmt::format("%v{}_{}", k, n);
          before += fmt::format(".reg .{} {};\n", type(t), name);
          if (literal) {
            before += fmt::format("mov.{} {}, 0x{:x};\n", type(t), name, operands[n]);
          } else {
            before += fmt::format("ld.global.{} {}, [%rd4+{}];\n", type(t), name, 8 * at);
            inputs += fmt::format("{}{}", at == 0 ? "" : ", ", static_cast<int64_t>(operands[n]));
            ++at;
          }
          text = replaced(text, std::string("%") + "abce"[n], name);
        }
        text = replaced(text, "%d", fmt::format("%result{}", k));
        text = replaced(replaced(text, "%q", fmt::format("%q{}", k)), "%o", fmt::format("%o{}", k));
        const U mask = c.types[0] == 'h' ? 0xffff : c.types[0] == 'w' ? 0xffffffff : ~U{0};
        code += before + fmt::format(".reg .{} %result{};\n", type(c.types[0]), k) + text + "\n";
        code +=
            fmt::format(".reg .b64 %long{0}; cvt.u64.u{2} %long{0}, %result{0};\nst.global.u64 [%rd6+{1}], %long{0};\n",
                        k, 8 * (k - begin),
                        mask == 0xffff  ? 16
                        : mask == ~U{0} ? 64
                                        : 32);
        const U result = c.f(operands[0], operands[1], operands[2], operands[3]) & mask;
        question += fmt::format("{}out.s64[{}] == {}", question.empty() ? "" : " and ", k - begin,
                                static_cast<int64_t>(result));
        described += fmt::format("{} of {:x} {:x} {:x} {:x} is {:x}\n", c.text, operands[0], operands[1], operands[2],
                                 operands[3], result);
      }
      const std::string text = fmt::format(
          "// @Config: 1, 1, 1\n// @Output: forall ({})\n{}{}.visible .entry k(.param .u64 x, .param .u64 "
          "out)\n{{\n.reg .b64 %rd<9>;\nld.param.u64 %rd4, [x];\nld.param.u64 %rd6, [out];\n{}ret;\n}}\n",
          question, inputs.empty() ? "" : fmt::format("// @Input: x.u64 = {{{}}}\n", inputs), k_top, code);
      EXPECT_EQ(ask(text), Status::holds) << described << text;
    }
  }
}

TEST(PtxmodArithmetic, ByZeroAnythingComesOut) {
  const std::string code =
      "ld.global.u32 %r3, [%rd4];\nmov.u32 %r4, 9;\ndiv.u32 %r5, %r4, %r3;\nst.global.u32 [%rd6], %r5;";
  EXPECT_EQ(ask(kernel("// @Config: 1,1,1\n// @Output: exists (out[0] == 12345)\n", code)), Status::holds);
  EXPECT_EQ(ask(kernel("// @Config: 1,1,1\n// @Output: forall (out[0] == 0)\n", code)), Status::fails);
  // What was never set is any value as well.
  EXPECT_EQ(ask(kernel("// @Config: 1,1,1\n// @Output: exists (out[0] == 77)\n", "st.global.u32 [%rd6], %r9;")),
            Status::holds);
  EXPECT_EQ(ask(kernel("// @Config: 1,1,1\n// @Output: forall (out[0] == 0)\n", "st.global.u32 [%rd6], %r9;")),
            Status::fails);
  // And so is what floating point arithmetic decides.
  const std::string real =
      "mov.f32 %f1, 0f3F800000;\nadd.f32 %f2, %f1, %f1;\nsetp.gt.f32 %p1, %f2, 0f00000000;\n@%p1 st.global.u32 [%rd6], "
      "1;";
  EXPECT_EQ(ask(kernel("// @Config: 1,1,1\n// @Output: exists (out[0] == 1)\n", real)), Status::holds);
  EXPECT_EQ(ask(kernel("// @Config: 1,1,1\n// @Output: exists (out[0] == 0)\n", real)), Status::holds);
}

}  // namespace
