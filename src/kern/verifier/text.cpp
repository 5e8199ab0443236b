// The text form of a report. Findings are worded as the reference words them (report.cpp).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "launch/toolkit.h"
#include "verifier/reference.h"
#include "verifier/report.h"
#include "verifier/rows.h"
#include "verifier/strict.h"

namespace fencepost::verifier {
namespace {

std::string properties(const launch::Options& o) {
  const bool cuda = *o.dialect == ir::Dialect::cuda;
  std::string out;
  const char* group = cuda ? "thread blocks" : "work groups";
  if (!o.only_divergence && !o.only_log) {
    const std::string where =
        o.check_arrays.empty() ? "" : fmt::format(", on {} only", fmt::join(o.check_arrays, ", "));
    out += fmt::format("- no data races within {}{}\n", group, where);
    if (!o.only_intra_group) out += fmt::format("- no data races between {}{}\n", group, where);
  }
  out += "- no barrier divergence\n- no assertion failures\n";
  if (o.check_array_bounds)
    out += "- no out-of-bounds array accesses (for arrays where size information is available)\n";
  return out;
}

// What is taken for granted of machine and caller.
std::string profile(const launch::Options& o) {
  const bool cuda = *o.dialect == ir::Dialect::cuda, standard = o.profile == launch::Profile::standard;
  std::string out = fmt::format("Model: {}\nProfile: {}: addresses of {} bits", model_name(o),
                                standard ? "standard" : "gpuverify", o.pointer_bits);
  if (cuda)
    out += fmt::format(", char signed, long of {} bits, wchar_t of 32, __CUDA_ARCH__ {}, warps of {}", o.pointer_bits,
                       launch::cuda_arch_of(o), o.warp_size.value_or(32));
  if (!o.cuda_path.empty())
    out += fmt::format(", headers of CUDA {} from {}", launch::version_name(o.cuda_version), o.cuda_path);
  const launch::Size sub_group = o.warp_size        ? launch::Size{*o.warp_size}
                                 : o.sub_group_size ? launch::Size{*o.sub_group_size}
                                                    : launch::Size{};
  if (!cuda) out += sub_group ? fmt::format(", sub-groups of {}", *sub_group) : std::string(", sub-groups of any size");
  out += standard ? ", pointers null where the kernel tests for it, addresses aligned as the elements up to 4"
                  : ", pointers not null and aligned to 16, functions without a body touch no memory";
  return out +
         (standard ? ", signed overflow and division by zero undefined and assumed absent"
                   : ", signed overflow undefined and assumed absent") +
         ", offsets below 2^46 bytes, no two pointers that a kernel is "
         "given (parameters, and in structures by value) of one array" +
         (cuda ? ", and none of an array of file scope or of a texture\n" : "\n");
}

// What another solver said. A disagreement is a fault of ours, whatever the verdict.
void say_second(const Report& r, Text& to) {
  const formula::Second::Told& t = *r.second;
  const std::string& solver = r.options->second_opinion;
  if (!solver.empty() && (!r.options->silent || t.disagreed > 0)) {
    if (!to.out.empty() && !to.out.ends_with('\n')) to.out += '\n';
    to.out += fmt::format(
        "second opinion: {} of {} questions answered alike by {}, {} otherwise, {} not answered; {:.1f} s\n", t.agreed,
        t.agreed + t.disagreed + t.unanswered, solver, t.disagreed, t.unanswered, t.seconds);
  }
  if (!solver.empty() && t.agreed + t.disagreed == 0)
    to.err +=
        t.unanswered > 0
            ? fmt::format("{}: warning: {} answered none of {} questions: there is no second opinion\n", r.file, solver,
                          t.unanswered)
            : fmt::format("{}: warning: no question was left for {}: there is no second opinion\n", r.file, solver);
  if (!t.fault.empty())
    to.err += fmt::format("{}: warning: {} did not understand a question: {}\n", r.file, solver, t.fault);
  if (!t.lost.empty()) to.err += fmt::format("{}: error: {}\n", r.file, t.lost);
  if (t.disagreed == 0) return;
  for (const std::string& d : t.disagreements) to.err += fmt::format("{}: internal error: {}\n", r.file, d);
  to.err += "fencepost: the verdict above is not to be trusted; please report the file and the options\n";
}

// What goes with the verdict of one row.
void say_row(const Report& r, const KernelReport& k, Text& to) {
  const auto warn = [&](const std::string& text) { to.err += fmt::format("{}: warning: {}\n", r.file, text); };
  if (!k.our_fault.empty()) to.err += fmt::format("{}: {}\n", r.file, k.our_fault);
  if (!k.remark.empty()) warn(k.remark);
  if (k.status != Status::holds) return;
  for (size_t i = 0; i < k.own_assumptions && i < k.assumptions.size(); ++i)
    warn(fmt::format("the proof of '{}' assumes that {}", k.name, k.assumptions[i]));
  if (!k.warps.empty())
    warn(fmt::format("the proof of '{}' relies on warps: without lock-step there may be a race on {}{}", k.name,
                     k.warps.front(),
                     k.warps.size() == 1 ? "" : fmt::format(", and at {} other pairs of places", k.warps.size() - 1)));
  if (!k.note.empty()) to.err += fmt::format("{}: note: '{}' is verified: {}\n", r.file, k.name, k.note);
  if (k.vacuous) warn(fmt::format("the preconditions of '{}' contradict each other: nothing is proved", k.name));
  to.err += k.mutants_text;
}

// In the words of the reference: the conjunction of what was found.
std::string axiom(const KernelReport& k) {
  std::string out;
  for (const auto& [candidate, kept] : k.candidates)
    out += (out.empty() ? "" : " && ") + fmt::format("{}{}", kept ? "" : "!", candidate);
  return out.empty() ? "true" : out;
}

bool asks_source(const launch::Options& o) { return o.launch.local_size.empty() || o.launch.num_groups.empty(); }

std::string summary(const Report& r) {
  const bool compat = r.options->compat;
  return fmt::format("{}{} verified, {}{}\n", compat ? "GPUVerify kernel analyser finished with " : "", r.verified(),
                     r.errors() > 0 || r.possible() == 0 ? defects_text(r.errors(), r.possible())
                                                         : "0 errors, " + defects_text(0, r.possible()),
                     compat || r.open() == 0 ? "" : fmt::format(", {} not decided", r.open()));
}

}  // namespace

Text text(const Report& r) {
  const launch::Options& o = *r.options;
  const bool passed = r.verdict() == 0, all = !o.silent || !passed;
  Text to;
  for (const Diagnostic& d : r.warnings.list) to.err += fmt::format("{}: warning: {}\n", r.file, d.message);
  if (!r.refusal.list.empty()) {
    for (const Diagnostic& d : r.refusal.list) to.err += (d.span.source ? "" : "fencepost: ") + render(d);
    if (o.compat) to.err += reference_wording(r.refusal);
    return to;
  }
  const auto unread = static_cast<size_t>(
      std::ranges::count_if(r.kernels, [](const KernelReport& k) { return k.not_read.has_value(); }));
  if (o.verbose && !o.silent)
    for (const Diagnostic& w : r.module->warnings) to.err += render(w);
  for (const std::string& c : r.contradictions) to.err += c + "\n";
  for (const KernelReport& k : r.kernels) {
    if (k.not_read) continue;
    if (o.infer_info && k.barrier_intervals)
      to.out +=
          fmt::format("{}Houdini assignment axiom: {}\n", r.kernels.size() - unread > 1 ? k.name + ": " : "", axiom(k));
    if (o.debug && k.barrier_intervals) to.out += fmt::format("Found {} barrier interval(s)\n", *k.barrier_intervals);
    say_row(r, k, to);
  }
  for (const KernelReport& k : r.kernels)
    for (const FindingReport& x : k.findings) to.err += x.text + "\n";
  if (all) to.out += summary(r);
  const auto undecided = [&](const std::string& text, const std::string& hint) {
    to.err += fmt::format("{}: not decided: {}\n{}", r.file, text, hint);
  };
  for (const KernelReport& k : r.kernels)
    if (k.open() && !r.proves_nothing)
      undecided(fmt::format("'{}': {}", k.name, k.why), o.compat ? "" : way_on(k.name, k.why, r.file));
  if (r.proves_nothing) undecided("--findbugs proves nothing", "");
  for (const KernelReport& k : r.kernels)
    if (k.not_read)
      to.err += fmt::format("{}: not read: '{}': {}\n", k.not_read->span.location(), k.name, k.not_read->message);
  if (!r.not_found.empty() && r.open() + r.verified() > 0 && !o.silent)
    to.err += fmt::format("{}: warning: not found, and taken to hold nothing that a kernel needs: {}\n", r.file,
                          fmt::join(r.not_found, ", "));
  if (!o.silent && !o.compat && (asks_source(o) || unread > 0)) to.out += rows(r);
  if (passed && !o.silent) to.out += fmt::format("Verified: {}\n{}", r.file, properties(o));
  if (all && !o.compat) to.out += profile(o);
  if (passed && o.silent) to.out.clear();
  if (r.second) say_second(r, to);
  if (o.mutants && o.suite.empty()) {
    const launch::Mutants m = r.mutants();
    to.out += fmt::format("{} mutants, {} go wrong in a run, {} of these refuted\n", m.made, m.wrong, m.refuted);
  }
  return to;
}

}  // namespace fencepost::verifier
