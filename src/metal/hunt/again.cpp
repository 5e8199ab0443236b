#include "hunt/again.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "hunt/conduct.h"

namespace fencepost::hunt {
namespace {

// Is the fault one of fences, which memory that one CTA sees does not need? A signature begins with its effect.
bool is_of_fences(const std::string& signature) {
  for (const Effect e : {Effect::no_membar, Effect::weak_membar, Effect::no_invalidate})
    if (signature.starts_with(std::string(name(e)) + " ")) return true;
  return false;
}

uint32_t sm_of(const std::string& configuration) {
  const size_t at = configuration.find(" sm_");
  return at == std::string::npos ? 0 : static_cast<uint32_t>(std::strtoul(configuration.c_str() + at + 4, nullptr, 10));
}

// What a compiler said, or did, where there is no machine code that could be judged.
bool is_without_code(const std::string& what) {
  return what.starts_with("refused: ") || what.starts_with("failed: ") ||
         what.starts_with(std::string("another finding, ") + name(Effect::illegal));
}

struct Judging {
  const std::string& store;
  const Fault& kept;

  std::unexpected<Diagnostics> unreadable(const std::string& what) const {
    return error_at({}, fmt::format("{}: {} of the fault '{}' cannot be read", store, what, kept.signature),
                    "the same hunt with another --store makes it anew");
  }
  Expected<MachineKernel> machine(const std::string& configuration, const std::string& listing) const {
    auto out = read_record("t0", sm_of(configuration), listing);
    if (!out || out->code.empty()) return unreadable(fmt::format("the machine code for {}", configuration));
    return out;
  }

  // The fault with what today's gate says of its records; nothing where it is none.
  Expected<std::optional<Fault>> run() const {
    Fault out = kept;
    const auto test = parse_test(kept.reduced);
    if (!test) return unreadable("the test");
    if (kept.effect == name(Effect::illegal)) return out;  // the disassembler's word; there is no record
    bool is_fault = false;
    for (auto& [configuration, what] : out.table) {
      const auto listing = kept.listings.find(configuration);
      if (listing == kept.listings.end()) {
        if (is_without_code(what)) continue;
        return error_at({},
                        fmt::format("{}: the fault '{}' was kept without its machine code for {}", store,
                                    kept.signature, configuration),
                        "the store is of an earlier version: hunt again with another --store");
      }
      const auto code = machine(configuration, listing->second);
      if (!code) return std::unexpected(code.error());
      const RowOf row = row_of(*test, *code, kept.signature);
      what = row.what;
      if (!row.shown || configuration != kept.configuration) continue;
      is_fault = true;
      out.effect = name(row.shown->effect);
      out.culprit = to_string(test->body[row.shown->culprit]);
      out.detail = row.shown->detail;
      out.listing = record(*code);
      out.known = known_fault(out.effect, *test, row.shown->culprit, configuration);
    }
    if (!is_fault) return std::nullopt;
    if (const auto ok = right(out); !ok) return std::unexpected(ok.error());
    return out;
  }

  // The form beside it that is compiled right, if it is.
  Expected<void> right(Fault& out) const {
    if (out.right_listing.empty()) return {};
    const size_t as = out.right_where.find(", as ");
    const auto test = parse_test(as == std::string::npos ? out.reduced : out.right_where.substr(as + 5));
    if (!test) return unreadable("the right form");
    const auto code = machine(out.right_where.substr(0, as), out.right_listing);
    if (!code) return std::unexpected(code.error());
    const auto findings = judge(*test, *code);
    if (std::ranges::any_of(findings, [](const Finding& f) { return level_of(f.effect) != Level::allowed; }))
      out.right_listing.clear(), out.right_where.clear();
    return {};
  }
};

}  // namespace

RowOf row_of(const PtxTest& test, const MachineKernel& machine, const std::string& signature) {
  const auto findings = judge(test, machine);
  for (const Finding& f : findings)
    if (level_of(f.effect) == Level::fault && signature_of(name(f.effect), test.body[f.culprit]) == signature)
      return {f, "fault"};
  const auto worst =
      std::ranges::find_if(findings, [](const Finding& f) { return level_of(f.effect) != Level::allowed; });
  if (worst != findings.end())
    return {std::nullopt, fmt::format("another finding, {}: {}", name(worst->effect), sentence(worst->effect))};
  // In code of ptxas 13.5 at -O0 no instruction has a scoreboard, so that what it waits for is not told.
  const bool waits = std::ranges::any_of(machine.code, [](const MachineInstruction& i) { return i.sets.has_value(); });
  if (!waits && signature.starts_with(std::string(name(Effect::no_wait)) + " "))
    return {std::nullopt, "not judged: no instruction of this code sets a scoreboard"};
  const bool local = is_of_fences(signature) &&
                     std::ranges::any_of(findings, [](const Finding& f) { return f.effect == Effect::no_remote; });
  return {std::nullopt, local ? "right: only one CTA sees its shared memory" : "right"};
}

Expected<Again> judged_again(const std::string& store, const std::vector<Fault>& kept) {
  Again out;
  for (const Fault& f : kept) {
    auto again = Judging{store, f}.run();
    if (!again) return std::unexpected(again.error());
    if (*again) {
      out.faults.push_back(std::move(**again));
      continue;
    }
    out.withdrawn.push_back({f.signature, f.reduced, f.detail});
  }
  return out;
}

}  // namespace fencepost::hunt
