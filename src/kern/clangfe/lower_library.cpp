// Functions of libdevice, NVIDIA's library of mathematical functions (`__nv_sinf`), as clang's headers for CUDA call
// them: what our own header makes of the function of the same name without `__nv_`.
// Source: NVIDIA, "Libdevice User's Guide".
#include "clangfe/lowering.h"

namespace fencepost::clangfe {

using namespace ir;

namespace {

// Results through pointers: a function of the operands for each.
struct Parts {
  const char *first, *second;  // of the results; "" for the function's own
};

}  // namespace

std::optional<Values> Lowering::lower_libdevice(const llvm::CallBase& c, const std::string& name) {
  std::string n = name.substr(5);
  const auto arg = [&](unsigned k) { return value(c.getArgOperand(k)); };
  const auto choose = [&](Op when) {
    return Values{compute(Op::ite, {compute(when, {arg(0), arg(1)}, 1), arg(0), arg(1)}, type_of(arg(0)))};
  };
  if (n == "min" || n == "llmin") return choose(Op::slt);
  if (n == "umin" || n == "ullmin") return choose(Op::ult);
  if (n == "max" || n == "llmax") return choose(Op::sgt);
  if (n == "umax" || n == "ullmax") return choose(Op::ugt);
  if (n == "abs" || n == "llabs") {
    const Type t = type_of(arg(0));
    const ValueId zero = bits(0, t.width);
    return Values{compute(Op::ite, {compute(Op::slt, {arg(0), zero}, 1), compute(Op::neg, {arg(0)}, t), arg(0)}, t)};
  }
  if (n == "mul24" || n == "umul24") {  // of the low 24 bits of each
    const auto low = [&](unsigned k) { return resize(resize(arg(k), 24, false), 32, n == "mul24"); };
    return Values{compute(Op::mul, {low(0), low(1)}, type_of(arg(0)))};
  }
  if (n == "clz" || n == "clzll") return Values{resize(compute(Op::clz, {arg(0)}, type_of(arg(0))), 32, false)};
  if (n == "popc" || n == "popcll") return Values{resize(compute(Op::popcount, {arg(0)}, type_of(arg(0))), 32, false)};
  if (n == "brev" || n == "brevll") return Values{compute(Op::bitreverse, {arg(0)}, type_of(arg(0)))};
  if (n == "ffs" || n == "ffsll") {
    const Type t = type_of(arg(0));
    const ValueId lowest = compute(Op::and_, {arg(0), compute(Op::neg, {arg(0)}, t)}, t);
    return Values{compute(Op::sub, {bits(t.width, 32), resize(compute(Op::clz, {lowest}, t), 32, false)}, 32)};
  }
  if (n == "mulhi" || n == "umulhi") {
    const bool sign = n == "mulhi";
    return Values{compute(Op::extract, {compute(Op::mul, {resize(arg(0), 64, sign), resize(arg(1), 64, sign)}, 64)},
                          {Type::bits, 32}, 32)};
  }
  for (const char* same :
       {"int_as_float", "uint_as_float", "float_as_int", "float_as_uint", "longlong_as_double", "double_as_longlong"})
    if (n == same) return Values{arg(0)};
  if (n == "isnanf" || n == "isnand")
    return Values{resize(compute(Op::fcmp, {arg(0), arg(0)}, {Type::bits, 1}, static_cast<uint64_t>(FloatCompare::uno)),
                         32, false)};
  static const std::map<std::string, Parts> k_parts = {{"sincos", {"sin", "cos"}},
                                                       {"sincosf", {"sinf", "cosf"}},
                                                       {"sincospi", {"sinpi", "cospi"}},
                                                       {"sincospif", {"sinpif", "cospif"}},
                                                       {"fast_sincosf", {"__sinf", "__cosf"}},
                                                       {"frexp", {"", "frexp exponent"}},
                                                       {"frexpf", {"", "frexp exponent"}},
                                                       {"modf", {"", "trunc"}},
                                                       {"modff", {"", "truncf"}},
                                                       {"remquo", {"", "remquo quotient"}},
                                                       {"remquof", {"", "remquo quotient"}}};
  Values operands;
  std::vector<ValueId> places;
  for (const llvm::Use& a : c.args()) {
    if (a->getType()->isPointerTy())
      places.push_back(value(a.get()));
    else
      operands.push_back(value(a.get()));
  }
  const auto parts = k_parts.find(n);
  if (parts == k_parts.end() && !places.empty()) return std::nullopt;
  if (parts != k_parts.end()) {
    const bool exponent = n.starts_with("frexp") || n.starts_with("remquo");
    const Type t = exponent ? Type{Type::bits, 32} : type_of(operands[0]);
    const char* symbols[] = {parts->second.first, parts->second.second};
    const size_t first = places.size() == 1 ? 1 : 0;
    for (size_t k = 0; k < places.size(); ++k) {
      const ValueId v = function_of(symbols[first + k], operands, t);
      store_leaf(places[k], {t, 0, t.width / 8u, nullptr}, v, module_.sites++, 0, false);
    }
    if (c.getType()->isVoidTy()) return Values{};
  }
  if (c.getType()->isVoidTy()) return std::nullopt;
  // Roundings and fast versions have two underscores in CUDA's name.
  const bool rounds = n.ends_with("_rn") || n.ends_with("_rd") || n.ends_with("_ru") || n.ends_with("_rz");
  if (n.starts_with("fast_"))
    n = "__" + n.substr(5);
  else if (rounds || n.ends_with("mul64hi") || n == "byte_perm" || n == "saturatef" || n == "hiloint2double" ||
           n == "double2hiint" || n == "double2loint" || n.ends_with("sad") || n.ends_with("hadd"))
    n = "__" + n;
  return Values{function_of(n, operands, leaves(c.getType())[0].type)};
}

}  // namespace fencepost::clangfe
