#include "hunt/wording.h"

#include <fmt/format.h>

#include <set>
#include <sstream>

namespace fencepost::hunt {

std::string address_of(const Instruction& i) {
  if (!i.is_access()) return "";
  switch (i.place) {
    case 's':
      return "a variable in shared memory";
    case 't':
      return "an address in shared memory, from a register";
    case 'h':
      return "a generic address, which cvta.shared made";
    case 'c':
      return "shared memory of a CTA of the cluster (mapa)";
    case 'u':
      return "a generic address of which the compiler knows nothing";
    case 'k':
      return "a generic address of global memory (cvta.global)";
    case 'l':
      return "local memory";
    default:
      return "global memory";
  }
}

std::string operand_of(const Instruction& i) {
  if (!i.is_access()) return "";
  const std::string base = i.place == 's' ? "s" : i.place == 'l' ? "loc" : fmt::format("%a{}", i.place);
  return fmt::format("[{}+{}]", base, i.number * 64);
}

namespace {

enum class Window : uint8_t { global, generic, cta, cluster, local };

Window window_of(const Instruction& i) {
  switch (i.place) {
    case 's':
    case 't':
      return Window::cta;
    case 'c':
      return Window::cluster;
    case 'u':
    case 'h':
    case 'k':
      return Window::generic;
    case 'l':
      return Window::local;
    default:
      return Window::global;
  }
}

}  // namespace

std::string one_address(const Instruction& a, const Instruction& b) {
  const Window one = window_of(a), other = window_of(b);
  const auto are = [&](Window first, Window second) {
    return (one == first && other == second) || (one == second && other == first);
  };
  const bool generic = one == Window::generic || other == Window::generic;
  if (are(Window::cta, Window::cluster))
    return "By 5.1.7 \"The addresses in the `.shared::cta` window also fall within the `.shared::cluster` window\", "
           "and "
           "by 8.2 every byte of a state space has a unique address for all threads that have access to it, so the two "
           "are one virtual address, and not aliases (8.2.2)";
  if (!generic || one == other) return "";
  if (are(Window::generic, Window::global))
    return "By 6.4.1.1, Generic Addressing, a generic address that falls within no window maps to global memory, so "
           "the "
           "two are one virtual address, and not aliases (8.2.2)";
  if (are(Window::generic, Window::local)) return "";
  return "By 6.4.1.1, Generic Addressing, a generic address that falls within the window of shared memory maps to the "
         "address there that is left when the base of the window is subtracted: the two numbers differ, and are taken "
         "here for one virtual address, and not for aliases (8.2.2)";
}

std::string words_of(const Instruction& i) {
  const char* value = i.value == Value::zero   ? " of the constant 0"
                      : i.value == Value::one  ? " of the constant 1"
                      : i.value == Value::ones ? " of a constant with all bits"
                      : i.value == Value::real ? " of the constant 1.0"
                                               : "";
  const std::string bits = i.value == Value::one ? fmt::format(" (the bits 0x{:0{}x})", 1, i.bits() / 4) : "";
  return "`" + i.words + "`" + value + bits + (i.unused ? " (its result is unused)" : "");
}

const char* title_of(Effect e, const Instruction& i, bool merged) {
  switch (e) {
    case Effect::no_membar:
      return i.is_access() ? "does not release" : "does not order what stands before it";
    case Effect::weak_membar:
      return i.is_access() ? "releases at too narrow a scope" : "is weaker than written";
    case Effect::no_invalidate:
      return i.is_access() ? "does not acquire" : "does not order what stands behind it";
    case Effect::no_wait:
      return i.is_access() ? "does not acquire: a later access does not wait for it"
                           : "does not wait for an `atom` whose result nobody uses";
    case Effect::no_barrier:
      return "can be passed";
    case Effect::no_view:
      return "is missing on a path";
    case Effect::absent:
      return merged ? "behind an acquire is replaced by the value of an earlier load" : "is left out";
    case Effect::skipped:
      return "is left out on a path";
    case Effect::weaker:
      return "loses its scope";
    case Effect::reordered:
      return i.kind == Kind::load ? "is moved before an earlier access of the same address"
                                  : "is moved before an earlier access";
    case Effect::overtaken:
      return "is overtaken by a later access";
    case Effect::operation:
      return "becomes another operation";
    case Effect::extended:
      return "fills its register otherwise than its type says";
    case Effect::split:
      return "is split into several accesses";
    case Effect::width:
      return "has another width";
    case Effect::elsewhere:
      return "goes to another address";
    case Effect::unguarded:
      return "is done though its predicate is false";
    case Effect::repeated:
      return "is done twice";
    case Effect::illegal:
      return "becomes an illegal instruction";
    default:
      return "is compiled wrong";
  }
}

std::string expected_of(Effect e, const Instruction& i, bool merged) {
  switch (e) {
    case Effect::no_membar:
    case Effect::weak_membar:
      return i.is_access()
                 ? "who acquires the value that this instruction releases sees all that this thread did before it"
                 : "what this thread did before the fence is seen by who observes what it does behind it";
    case Effect::no_wait:
      if (!i.is_access())
        return "an `atom`, whether its result is used or not, and the fence behind it are an acquire pattern: where "
               "the `atom` comes after a release of its place, what stands behind the fence comes after what stood "
               "before "
               "that release";
      [[fallthrough]];
    case Effect::no_invalidate:
      return i.is_access()
                 ? "once this instruction has read a value that was released, later reads of this thread see all "
                   "that was done before that release"
                 : "reads behind the fence see all that was done before what a read in front of it has observed";
    case Effect::absent:
      if (merged)
        return "the second load sees a write that was released before the value that the acquire between the two loads "
               "reads";
      return "the access is done";
    case Effect::skipped:
      if (i.kind == Kind::load && i.mmio)
        return "a read by `.mmio` is always performed, so on every path that has it in the program, where the place "
               "meets the CUDA atomicity requirements at its scope, which by 8.1.1 it may not on some systems when the "
               "program communicates with the host CPU";
      if (i.kind == Kind::load && i.is_volatile)
        return "a `.volatile` read is executed on every path that has it in the program, whether its result is used or "
               "not; hardware may combine what several of them do";
      return "the access is done on every path";
    case Effect::weaker:
      return "the access is coherent among the threads of the scope that is written";
    case Effect::reordered:
      if (i.kind == Kind::load)
        return "where both loads read one place, they do so in the order of the program: "
               "the second has no older value than the first";
      return "the two accesses are seen in the order of the program";
    case Effect::overtaken:
      return "what stands behind an acquire is done after its read: where that has read a value that was released, a "
             "later load sees what was done before the release, and a load that stood before the release does not see "
             "a later store";
    case Effect::operation:
      if (i.value == Value::one && i.operation == "add" && i.type == "bf16x2")
        return "of a word 0x3f803f80, which is two halves of 1.0, the operation makes 0x3f803f80 again, since 1.0 + "
               "2^-133 rounds to 1.0";
      if (i.value == Value::one && i.operation == "add" && i.type == "f16x2")
        return "of a word 0x3c003c00, which is two halves of 1.0, the operation makes 0x3c003c00 again, since 1.0 + "
               "2^-24 rounds to 1.0";
      return "the operation is done in the type that is written";
    case Effect::extended:
      return i.type.starts_with("s") ? "the byte fills its register by its sign: 0x80 becomes 0xff80"
                                     : "the byte fills its register by zeros: 0x80 becomes 0x0080";
    case Effect::split:
      return "the access is one operation: no thread sees a part of it";
    case Effect::illegal:
      if (i.words.starts_with("fence.acquire") || i.words.starts_with("fence.release"))
        return "the compiler refuses the program where the target is older than sm_90, which the instruction requires";
      return "the instruction becomes machine code that the target has, or is refused";
    case Effect::elsewhere:
      return "the access is one of the address that is written";
    default:
      return "the instruction does what is written";
  }
}

namespace {

struct Parts {
  std::string strength, space, vector, operation, type;
};

Parts parts_of(const std::string& words) {
  static const std::set<std::string> strengths = {"relaxed", "acquire", "release", "acq_rel", "sc",  "volatile",
                                                  "mmio",    "cta",     "cluster", "gpu",     "sys", "weak"};
  static const std::set<std::string> spaces = {"global", "local", "shared", "shared::cta", "shared::cluster"};
  Parts out;
  std::istringstream in(words);
  for (std::string word; std::getline(in, word, '.'); out.type = strengths.contains(word) ? "" : word) {
    if (strengths.contains(word))
      out.strength += word == "weak" ? "" : "." + word;
    else if (spaces.contains(word))
      out.space = word;
    else if (word == "v2" || word == "v4" || word == "v8")
      out.vector = word;
    else if (in.peek() != std::istringstream::traits_type::eof())
      out.operation += "." + word;
  }
  return out;
}

}  // namespace

size_t parts_changed(const Instruction& a, const Instruction& b) {
  const Parts one = parts_of(a.words), other = parts_of(b.words);
  size_t out = 0;
  for (const bool differ :
       {one.strength != other.strength, one.space != other.space, one.vector != other.vector,
        one.operation != other.operation || one.type != other.type, a.place != b.place || a.number != b.number,
        a.guard != b.guard, a.value != b.value, a.unused != b.unused})
    out += differ ? 1 : 0;
  return out;
}

}  // namespace fencepost::hunt
