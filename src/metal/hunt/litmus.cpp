#include "hunt/litmus.h"

#include <fmt/format.h>

#include <algorithm>

#include "hunt/ptx_test.h"

namespace fencepost::hunt {
namespace {

using Lines = std::vector<std::string>;

const char* word(Order o) {
  return o == Order::acquire   ? "acquire"
         : o == Order::release ? "release"
         : o == Order::acq_rel ? "acq_rel"
                               : "relaxed";
}
const char* word(Scope s) {
  return s == Scope::cta ? "cta" : s == Scope::cluster ? "cluster" : s == Scope::sys ? "sys" : "gpu";
}

// In the notation of litmus tests: no space and no type, a location for the address.
std::string spelt(const Instruction& i, Order order, const std::string& operation, const char* result) {
  const std::string head = fmt::format("{}.{}", word(order), word(i.scope));
  switch (i.kind) {
    case Kind::load:
      return fmt::format("ld.{} {}, y", head, result);
    case Kind::store:
      return fmt::format("st.{} y, 1", head);
    case Kind::reduction:
      if (operation != "exch" && operation != "cas") return fmt::format("red.{}.{} y, 1", head, operation);
      [[fallthrough]];
    default:
      // An acquiring operation only looks; a releasing one writes 1 over 0.
      if (operation == "cas")
        return fmt::format("atom.{}.cas {}, y, 0, {}", head, result, order == Order::release ? 1 : 0);
      return fmt::format("atom.{}.{} {}, y, {}", head, operation, result, order == Order::acquire ? 0 : 1);
  }
}

std::string table(const Lines& one, const Lines& other) {
  size_t width = 0;
  for (const std::string& l : one) width = std::max(width, l.size());
  std::string out;
  for (size_t n = 0; n < std::max(one.size(), other.size()); ++n)
    out += fmt::format(" {:<{}} | {} ;\n", n < one.size() ? one[n] : "", width, n < other.size() ? other[n] : "");
  return out;
}

struct Shape {
  bool acquires = false;  // the instruction is P1's acquire, else P0's release
  bool shared = false;
  Scope scope = Scope::gpu;
};

DeviceTest message_passing(const Shape& s, DeviceTest::Role role, const std::string& label, const Lines& culprit) {
  const char* scope = word(s.scope);
  Lines p0{s.shared ? "P0@cta 0, cluster 0, gpu 0" : "P0@cta 0, gpu 0", "st.weak x, 1"};
  Lines p1{s.shared ? "P1@cta 1, cluster 0, gpu 0" : "P1@cta 1, gpu 0"};
  if (s.acquires) {
    p0.push_back(fmt::format("st.release.{} y, 1", scope));
    p1.insert(p1.end(), culprit.begin(), culprit.end());
  } else {
    p0.insert(p0.end(), culprit.begin(), culprit.end());
    p1.push_back(fmt::format("ld.acquire.{} r0, y", scope));
  }
  p1.emplace_back("ld.weak r1, x");
  const std::string place = s.shared ? fmt::format("y @ shared P{} = 0", s.acquires ? 1 : 0) : "y = 0";
  const std::string name = fmt::format("MP+{}+{}", s.acquires ? "acquire" : "release", label);
  return {role, name,
          fmt::format("PTX {}\n{{ x = 0; {}; }}\n{}exists (P1:r0 = 1 /\\ P1:r1 = 0)\n", name, place, table(p0, p1))};
}

}  // namespace

Expected<std::vector<DeviceTest>> device_tests(const Fault& f) {
  const auto refuse = [](const std::string& why) { return error_at({}, why, "docs/hunt.md, On a device"); };
  const bool acquires = f.effect == "no-invalidate" || f.effect == "no-wait";
  if (!acquires && f.effect != "no-membar" && f.effect != "weak-membar")
    return refuse(fmt::format("'{}' is no lost acquire or release", f.effect));
  const auto parsed = parse_test(f.culprit);
  if (!parsed) return std::unexpected(parsed.error());
  const Instruction& i = parsed->body.front();
  if (!i.is_access()) return refuse("the instruction is a fence or a barrier");
  const bool shared = i.in_shared();
  if (!shared && i.words.find(".global") == std::string::npos)
    return refuse("'run' has neither generic addresses nor atomic operations on memory of other CTAs");
  if (i.bits() != 64 || i.type.starts_with("f")) return refuse(fmt::format("'run' has no '{}'", i.type));
  if (i.vector != 1) return refuse("'run' has no vectors with an order");
  if (i.scope == Scope::cta)
    return refuse("a scope of one CTA needs both threads in it, whose accesses meet in one cache");
  const std::vector<std::string> operations = {"add", "and", "or", "xor", "exch", "cas"};
  if (i.kind >= Kind::atomic && std::ranges::find(operations, i.operation) == operations.end())
    return refuse(fmt::format("'run' has no '{}'", i.operation));
  const Shape shape{acquires, shared, i.scope};
  const Order order = acquires ? Order::acquire : Order::release;
  const std::string fence = fmt::format("fence.acq_rel.{}", word(i.scope));
  // An and over 0 would not release a value that can be seen.
  const std::string operation = i.operation == "and" && !acquires ? "or" : i.operation;
  const char* result = acquires ? "r0" : "r2";
  const auto label = [&](const Instruction& one, Order o, const std::string& op) {
    const bool atom = one.kind == Kind::atomic || (one.kind == Kind::reduction && (op == "exch" || op == "cas"));
    const char* head = one.kind == Kind::load ? "ld" : one.kind == Kind::store ? "st" : atom ? "atom" : "red";
    return fmt::format("{}.{}.{}{}{}.b64", head, word(o), word(one.scope), shared ? ".shared" : ".global",
                       op.empty() ? "" : "." + op);
  };
  std::vector<DeviceTest> out;
  const auto add = [&](DeviceTest::Role role, const std::string& name, const Lines& lines) {
    out.push_back(message_passing(shape, role, name, lines));
  };
  add(DeviceTest::Role::fault, label(i, order, operation), {spelt(i, order, operation, result)});
  const std::string right = acquires ? "cas" : "exch";  // compiled to one instruction, not to a loop
  if (i.kind >= Kind::atomic && operation != right)
    add(DeviceTest::Role::sibling, label(i, order, right), {spelt(i, order, right, result)});
  const std::string relaxed = spelt(i, Order::relaxed, operation, result);
  add(DeviceTest::Role::sibling, label(i, Order::relaxed, operation) + "+fence",
      acquires ? Lines{relaxed, fence} : Lines{fence, relaxed});
  add(DeviceTest::Role::control, label(i, Order::relaxed, operation), {relaxed});
  return out;
}

}  // namespace fencepost::hunt
