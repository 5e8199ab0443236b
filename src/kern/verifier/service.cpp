#include "verifier/service.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>

#include "base/read_file.h"
#include "base/trace.h"
#include "base/write_file.h"
#include "clangfe/clangfe.h"
#include "flow/endings.h"
#include "formula/second.h"
#include "ir/print.h"
#include "launch/toolkit.h"
#include "verifier/arguments.h"
#include "verifier/attack.h"
#include "verifier/bounds.h"
#include "verifier/mutants.h"
#include "verifier/report.h"
#include "verifier/rows.h"
#include "verifier/strict.h"
#include "verifier/understand.h"

namespace fencepost::verifier {
namespace {

using launch::Answer;
using launch::Ending;

constexpr double k_replay_seconds = 10;  // for all findings of a kernel
constexpr double k_patience = 8;         // wall time for one second of processor time, at most
constexpr double k_own_part = 0.9;       // of the --budget: after it no kernel is begun; what is over is for the report

prove::Options engine_options(const launch::Options& o, const ir::Module& m, const ir::Function& f) {
  prove::Options p;
  for (uint32_t d = 0; d < 3; ++d) {
    p.launch.local_size[d] = o.launch.local(d).value_or(0);
    p.launch.num_groups[d] = o.launch.groups(d).value_or(0);
    p.global_offset[d] = o.launch.offset(d);
    if (d < o.launch.global_size.size()) p.global_size[d] = o.launch.global_size[d].value_or(0);
  }
  p.work_dim = std::max(1u, o.launch.dimensions());
  p.abstraction = o.abstraction == launch::Abstraction::adversarial ? prove::Abstraction::adversarial
                  : o.abstraction == launch::Abstraction::equality  ? prove::Abstraction::equality
                                                                    : prove::Abstraction::automatic;
  p.benign = o.benign_races;
  p.check_bounds = o.check_array_bounds;
  p.races = !o.only_divergence && !o.only_log;
  p.across_groups = !o.only_intra_group;
  p.infer = o.infer;
  p.k_induction = std::max(1u, o.k_induction_depth);
  p.asymmetric = o.asymmetric_asserts;
  p.barrier_access_checks = o.barrier_access_checks;
  p.refined_atomics = o.atomics == launch::Atomics::refined;
  p.warp_sync = o.volta ? 0 : o.warp_size.value_or(0);
  // OpenCL does not say how large a sub-group is, nor which work items it has.
  p.warp_size = *o.dialect == ir::Dialect::cuda ? 32 : 0;
  if (o.sub_group_size) p.warp_size = *o.sub_group_size;
  if (o.warp_size) p.warp_size = *o.warp_size;
  p.warp_barriers = true;
  p.nullable = p.element_aligned = o.profile == launch::Profile::standard;
  p.both_fences = o.profile == launch::Profile::standard;
  p.group_waits = p.both_fences;
  p.counters_end = o.profile == launch::Profile::standard && !o.strict;
  p.bodiless = o.profile == launch::Profile::gpuverify;
  p.warp_divergence = o.check_warp_divergence;
  p.warp_method = o.warp_method == launch::WarpMethod::resync     ? prove::WarpMethod::resync
                  : o.warp_method == launch::WarpMethod::two_pass ? prove::WarpMethod::two_pass
                  : o.warp_method == launch::WarpMethod::both     ? prove::WarpMethod::both
                                                                  : prove::WarpMethod::automatic;
  if (o.error_limit > 0) p.max_findings = o.error_limit;
  for (const launch::Arguments& a : o.kernel_args) {
    if (a.kernel != f.name) continue;
    if (p.nullable) p.null_arguments = a.null;
    size_t next = 0;
    for (const ir::Parameter& parameter : f.parameters) {
      const bool structure = parameter.region && m.region(parameter.region).origin == ir::Origin::by_value;
      if ((parameter.region && !structure) || next >= a.values.size()) continue;
      const launch::Size v = a.values[next++];
      if (structure) continue;
      if (p.arguments.size() <= parameter.source_index) p.arguments.resize(parameter.source_index + 1);
      p.arguments[parameter.source_index] = v;
    }
  }
  return p;
}

bool has_atomics(const ir::Module& m) {
  for (const ir::Function& f : m.functions)
    for (const ir::Block& b : f.blocks)
      for (const ir::Instruction& i : b.instructions)
        if (std::holds_alternative<ir::Atomic>(i.action)) return true;
  return false;
}

// --compat: races on one array that differ in the place of one access are one, with several sources.
void merge_sources(const ir::Module& m, std::vector<FindingReport>& findings) {
  const auto kinds = [](const prove::Finding& f) { return std::pair(f.threads[0].access, f.threads[1].access); };
  for (size_t i = 0; i < findings.size(); ++i) {
    const prove::Finding& a = findings[i].finding;
    if (a.kind != prove::Kind::race || a.threads.size() != 2) continue;
    for (size_t j = i + 1; j < findings.size();) {
      const prove::Finding& b = findings[j].finding;
      bool taken = false;
      if (b.kind == prove::Kind::race && b.threads.size() == 2 && a.region == b.region && kinds(a) == kinds(b))
        for (size_t t = 0; t < 2 && !taken; ++t)
          if (ir::where(m, a.threads[1 - t].place) == ir::where(m, b.threads[1 - t].place) &&
              findings[i].sources[1 - t].empty()) {
            findings[i].sources[t].push_back(b.threads[t].place);
            findings[i].confirmed = findings[i].confirmed || findings[j].confirmed;
            taken = true;
          }
      if (taken)
        findings.erase(findings.begin() + static_cast<ptrdiff_t>(j));
      else
        ++j;
    }
  }
}

// A race that no run shows, and that something may exclude which the proof does not decide, is no finding: the kernel
// is not decided, by the name of that.
void leave_open(const ir::Module& m, std::vector<FindingReport>& findings, prove::Result& r) {
  const auto open = [](const FindingReport& f) {
    return !f.confirmed && (!f.finding.perhaps.empty() || !f.finding.apart.empty());
  };
  for (const FindingReport& x : findings) {
    if (!open(x)) continue;
    const prove::Finding& f = x.finding;
    const std::string first = ir::where(m, f.place), second = ir::where(m, f.other_place);
    if (f.kind == prove::Kind::barrier_divergence)
      r.unsupported.insert(fmt::format("whether {} at {}", f.apart, first));
    else if (f.perhaps.empty())
      r.unsupported.insert(fmt::format("whether {} {} and {} apart", f.apart, first, second));
    else
      r.unsupported.insert(fmt::format("whether {} order{} {} and {}", f.perhaps,
                                       f.perhaps.starts_with("messages") ? "" : "s", first, second));
  }
  if (std::erase_if(findings, open) == 0 || !findings.empty()) return;
  r.findings.clear();
  r.verdict = {.status = Status::unsupported};
}

// --compat: what is found in a function that is verified for itself is not said again of those who call it. How many
// have nothing left that was said of them.
uint32_t drop_callees_findings(const ir::Module& m, std::vector<KernelReport>& kernels) {
  const auto same = [&](const prove::Finding& a, const prove::Finding& b) {
    return a.kind == b.kind && ir::where(m, a.place) == ir::where(m, b.place) &&
           ir::where(m, a.other_place) == ir::where(m, b.other_place);
  };
  uint32_t clean = 0;
  // Callers come before those that they call.
  for (size_t i = 0; i < kernels.size(); ++i) {
    const size_t before = kernels[i].findings.size();
    std::erase_if(kernels[i].findings, [&](const FindingReport& x) {
      for (size_t j = i + 1; j < kernels.size(); ++j)
        for (FindingReport& y : kernels[j].findings)
          if (same(x.finding, y.finding)) {
            y.confirmed = y.confirmed || x.confirmed;
            return true;
          }
      return false;
    });
    if (before > 0 && kernels[i].findings.empty()) {
      kernels[i].status = Status::holds;
      ++clean;
    }
  }
  return clean;
}

void set(Answer& a, int code, Ending e) {
  a.exit_code = code;
  a.ending = e;
}

Answer refuse(const Diagnostics& ds, Ending ending) {
  Answer a;
  const bool unsupported = !ds.list.empty() && ds.list.front().fault == Fault::unsupported;
  set(a, unsupported ? 3 : 2, ending);
  for (const Diagnostic& d : ds.list) a.err += (d.span.source ? "" : "fencepost: ") + render(d);
  return a;
}

// --compat: what the reference says where it refuses the same.
std::string reference_wording(const Diagnostics& ds) {
  std::string out;
  for (const Diagnostic& d : ds.list) {
    const auto says = [&](const char* part) { return d.message.find(part) != std::string::npos; };
    if (says("does not appear at loop head")) out += fmt::format("{}: {}\n", d.span.location(), d.message);
    // Older versions of clang called this a declaration.
    if (says("use of undeclared identifier '")) {
      const size_t at = d.message.find('\'');
      const std::string name = d.message.substr(at, d.message.find('\'', at + 1) - at + 1);
      out += fmt::format("{}: error: implicit declaration of function {} is invalid\n", d.span.location(), name);
    }
    if (says("does not match return type")) out += "error: Type of __return_val function does not match return type\n";
    if (says("the address of the built-in function")) out += "error: Unsupported function pointer\n";
    if (!d.span.source) out += fmt::format("GPUVerify: error: {}\n", d.message);
  }
  return out;
}

// Which stage of the reference would have refused this: its tests tell the stages apart.
Ending stage(const Diagnostics& ds) {
  const Diagnostic& d = ds.list.front();
  if (d.message.find("does not appear at loop head") != std::string::npos) return Ending::gpuverifyvcgen_error;
  if (d.fault == Fault::unsupported || d.message.find("function-wide invariant") != std::string::npos ||
      d.message.find("does not match return type") != std::string::npos)
    return Ending::bugle_error;
  return Ending::clang_error;
}

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
         ", signed overflow undefined and assumed absent, offsets below 2^46 bytes, no two pointers that a kernel is "
         "given (parameters, and in structures by value) of one array" +
         (cuda ? ", and none of an array of file scope or of a texture\n" : "\n");
}

// A proof that a run contradicts is our fault: what is needed to see it again, as a file in the folder for temporary
// files. What to say of it.
std::string reproducer(const launch::Options& o, const Source& file, const std::string& kernel, std::string run) {
  const bool cuda = *o.dialect == ir::Dialect::cuda;
  const auto sizes = [](const std::vector<launch::Size>& list) {
    std::string text;
    for (const launch::Size& s : list) text += (text.empty() ? "" : ",") + (s ? std::to_string(*s) : std::string("*"));
    return text;
  };
  std::string words =
      fmt::format("--{}={} --{}={} --pointer-bitwidth={}", cuda ? "blockDim" : "local_size", sizes(o.launch.local_size),
                  cuda ? "gridDim" : "num_groups", sizes(o.launch.num_groups), o.pointer_bits);
  for (const std::string& d : o.defines) words += " -D" + d;
  if (!o.inline_calls) words += " --no-inline";
  for (const launch::Arguments& a : o.kernel_args)
    words += fmt::format(" --kernel-args={},{}", a.kernel, sizes(a.values));
  if (o.sub_group_size) words += fmt::format(" --sub-group-size={}", *o.sub_group_size);
  if (o.warp_size) words += o.volta ? " --warp-sync=volta" : fmt::format(" --warp-sync={}", *o.warp_size);
  if (!o.cuda_path.empty()) run += fmt::format("; with --cuda-path={}", o.cuda_path);
  const std::string text =
      fmt::format("//xfail:NOT_ALL_VERIFIED\n//{}\n\n// kernel {}, profile {}, seed {}\n// {}\n{}", words, kernel,
                  o.profile == launch::Profile::standard ? "standard" : "gpuverify", o.seed, run, file.text);
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(failed);
  const std::string path =
      (folder / fmt::format("fencepost-reproducer-{:016x}.{}", std::hash<std::string>{}(text), cuda ? "cu" : "cl"))
          .string();
  if (failed || !write_file(path, text)) return "please report the file and the options";
  return fmt::format("please report {}", path);
}

// A path as the name of one folder.
std::string flat(std::string path) {
  std::replace(path.begin(), path.end(), '/', '_');
  return path;
}

// What another solver said. A disagreement is a fault of ours, whatever the verdict.
void say_second(const launch::Options& o, const Source& file, const formula::Second::Told& t, Answer& a) {
  if (!o.second_opinion.empty() && (!o.silent || t.disagreed > 0)) {
    if (!a.out.empty() && !a.out.ends_with('\n')) a.out += '\n';
    a.out += fmt::format(
        "second opinion: {} of {} questions answered alike by {}, {} otherwise, {} not answered; {:.1f} s\n", t.agreed,
        t.agreed + t.disagreed + t.unanswered, o.second_opinion, t.disagreed, t.unanswered, t.seconds);
  }
  a.second = {t.agreed, t.disagreed, t.unanswered, t.seconds};
  if (!o.second_opinion.empty() && t.agreed + t.disagreed == 0)
    a.err += t.unanswered > 0
                 ? fmt::format("{}: warning: {} answered none of {} questions: there is no second opinion\n", file.name,
                               o.second_opinion, t.unanswered)
                 : fmt::format("{}: warning: no question was left for {}: there is no second opinion\n", file.name,
                               o.second_opinion);
  if (!t.fault.empty())
    a.err += fmt::format("{}: warning: {} did not understand a question: {}\n", file.name, o.second_opinion, t.fault);
  if (!t.lost.empty()) {
    a.err += fmt::format("{}: error: {}\n", file.name, t.lost);
    set(a, 4, Ending::boogie_other_error);
  }
  if (t.disagreed == 0) return;
  for (const std::string& d : t.disagreements) a.err += fmt::format("{}: internal error: {}\n", file.name, d);
  a.err += "fencepost: the verdict above is not to be trusted; please report the file and the options\n";
  set(a, 4, Ending::boogie_other_error);
}

// In the form that was asked for, where that is not text.
Answer in_form(const launch::Options& o, const Report& report, Answer a) {
  if (o.form == launch::Form::text || o.print_ir) return a;
  a.out = o.form == launch::Form::json ? json(report) : o.form == launch::Form::sarif ? sarif(report) : html(report);
  a.err.clear();
  return a;
}

}  // namespace

Answer unreadable(const launch::Options& o, const Diagnostics& why) {
  Report report{.file = o.files.empty() ? "" : o.files.front(), .options = &o, .exit_code = 2};
  report.diagnostics.append(why);
  return in_form(o, report, refuse(why, Ending::command_line_error));
}

namespace {

// "foo<float>" is meant by "foo" too.
bool is_entry(const std::string& name, const std::string& entry) {
  return entry.empty() || name == entry || (name.starts_with(entry) && name[entry.size()] == '<');
}

// A row for each kernel that was not read and was asked for.
std::vector<const clangfe::HostKernel*> add_unread(const clangfe::Unit& unit, const launch::Options& o,
                                                   Report& report) {
  std::vector<const clangfe::HostKernel*> unread;
  for (const clangfe::HostKernel& k : unit.kernels) {
    if (!k.not_read || !is_entry(k.name, o.entry)) continue;
    report.kernels.push_back({.name = k.name,
                              .symbol = k.symbol,
                              .place = k.place,
                              .not_read = k.not_read,
                              .status = Status::unsupported,
                              .why = k.not_read->message});
    unread.push_back(&k);
  }
  return unread;
}

const clangfe::HostKernel* host_kernel(const clangfe::Unit& unit, const ir::Function& f) {
  for (const clangfe::HostKernel& k : unit.kernels)
    if (k.symbol == f.symbol) return &k;
  return nullptr;
}

std::vector<clangfe::OtherText> other_text(const clangfe::Unit& unit, const clangfe::HostKernel* host,
                                           const std::string& name) {
  if (host != nullptr) return host->other_text;
  const auto it = unit.other_text.find(name);
  return it == unit.other_text.end() ? std::vector<clangfe::OtherText>() : it->second;
}

bool asks_source(const launch::Options& o) { return o.launch.local_size.empty() || o.launch.num_groups.empty(); }

// The length of `extern __shared__` arrays at this launch.
void set_shared(ir::Module& m, const launch::Size& bytes) {
  if (!bytes) return;
  for (ir::Region& r : m.regions)
    if (r.space == ir::Space::group && r.origin == ir::Origin::variable && !r.size) r.size = *bytes;
}

}  // namespace

Answer answer(const launch::Options& given, const SourcePtr& file) {
  const auto begin = std::chrono::steady_clock::now();
  launch::Options o = given;
  trace::turn_off();  // of an earlier file; this library has rooms of its own
  if (o.trace) trace::turn_on(trace::Room::prove);
  Answer a;
  Report report{.file = file->name, .options = &o};
  const auto rejected = [&](const Diagnostics& ds, Ending e) {
    report.diagnostics.append(ds);
    Answer r = refuse(ds, e);
    if (o.compat) r.err += reference_wording(ds);
    return r;
  };
  const auto done = [&](Answer r) {
    r.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    report.exit_code = r.exit_code;
    report.seconds = r.seconds;
    if (o.form != launch::Form::text && !o.print_ir) return in_form(o, report, std::move(r));
    if (o.time) r.out += fmt::format("time: {:.3f} s\n", r.seconds);
    if (!o.time_label.empty()) r.out += fmt::format("{},{:.3f}\n", o.time_label, r.seconds);
    return r;
  };
  if (const auto ok = launch::settle(o, *file); !ok) return done(rejected(ok.error(), Ending::command_line_error));
  clangfe::Unit unit;
  Beside beside;
  if (auto read = understand(file, o, beside))
    unit = std::move(*read);
  else
    return done(rejected(read.error(), stage(read.error())));
  report.not_found = unit.missing;
  const auto warn = [&](Diagnostic d) {
    a.err += fmt::format("{}: warning: {}\n", file->name, d.message);
    report.diagnostics.add(std::move(d));
  };
  for (const std::string& folder : o.include_folders)
    if (std::error_code none; !std::filesystem::is_directory(folder, none))
      warn({.message = fmt::format("-I names '{}', which is no folder", folder)});
  for (const BuildMacro& m : beside.macros) warn(taken_from_build(m));
  if (!beside.includer.empty()) warn(read_as_part(beside.includer));
  if (const Diagnostics none = nothing_read(unit); !none.list.empty()) {
    add_unread(unit, o, report);
    return done(rejected(none, stage(none)));
  }
  if (*o.dialect == ir::Dialect::cuda) o.cuda_arch = unit.cuda_arch;
  ir::Module* const module = &unit.module;
  fill_structures(*module, o);
  set_lengths(*module, o);
  report.module = module;
  if (o.print_ir) {
    set(a, 0, Ending::success);
    a.out = ir::print(*module);
    return done(std::move(a));
  }
  // What the options ask of this module and cannot have.
  Diagnostics wrong;
  check_arguments(*module, o.kernel_args, false, wrong);
  check_arguments(*module, o.kernel_arrays, true, wrong);
  for (const std::string& name : o.check_arrays)
    if (std::none_of(module->regions.begin(), module->regions.end(),
                     [&](const ir::Region& r) { return r.name == name; }))
      wrong.add({.message = fmt::format("Array name '{}' specified for restricted checking is not found", name),
                 .hint = "the arrays are the pointer parameters and the shared variables"});
  if (o.abstraction == launch::Abstraction::equality && has_atomics(*module))
    wrong.add({.message = "--equality-abstraction cannot be used with atomics.",
               .hint = "leave the option out: arrays that atomics touch are then seen adversarially"});
  if (!wrong.list.empty()) return done(rejected(wrong, Ending::gpuverifyvcgen_error));
  std::vector<ir::FunctionId> entries;
  for (uint32_t i = 0; i < module->functions.size(); ++i) {
    const ir::Function& f = module->functions[i];
    if (!f.body || f.axiom || (o.inline_calls && !f.kernel) || !is_entry(f.name, o.entry)) continue;
    if (!beside.includer.empty() && f.kernel && host_kernel(unit, f) == nullptr) continue;  // of another file
    entries.push_back({i});
  }
  // Functions that others call come last, when their calls are known.
  const flow::Effects effects(*module);
  std::stable_partition(entries.begin(), entries.end(),
                        [&](ir::FunctionId f) { return module->function(f).kernel || !effects.called(f); });
  prove::Contracts contracts;
  if (entries.empty()) {
    // A toolkit may have kernels of its own that are read and not asked about.
    Diagnostics ds = reasons(unit);
    add_unread(unit, o, report);
    if (!report.kernels.empty()) return done(rejected(ds, stage(ds)));
    ds = {};
    ds.add(
        {.span = {file, 0, 0},
         .message = o.entry.empty() ? "this file has no kernel" : fmt::format("this file has no kernel '{}'", o.entry),
         .hint = *o.dialect == ir::Dialect::cuda ? "a kernel is a __global__ function"
                                                 : "a kernel is a __kernel function"});
    return done(rejected(ds, Ending::clang_error));
  }
  if (!o.silent)
    for (const Diagnostic& w : module->warnings)
      if (o.verbose) a.err += render(w);
  std::vector<prove::Axiom> axioms;
  for (const std::string& path : o.axiom_files) {
    const auto text = read_file(path);
    auto parsed = text ? prove::parse_axioms(*text) : std::unexpected(text.error());
    if (!parsed) return done(rejected(parsed.error(), Ending::boogie_other_error));
    axioms.insert(axioms.end(), parsed->begin(), parsed->end());
  }
  std::shared_ptr<formula::Second> second;
  if (!o.second_opinion.empty() || !o.smt_dump.empty()) {
    auto made = formula::Second::make(
        {.solver = o.second_opinion, .dump = o.smt_dump.empty() ? "" : o.smt_dump + "/" + flat(file->name)});
    if (!made) return done(rejected(made.error(), Ending::command_line_error));
    second = *made;
  }
  uint32_t verified = 0, errors = 0, possible = 0;  // possible: races that no run shows
  bool refuted = false;                             // a proof, by a run
  std::vector<std::string> undecided;
  std::vector<std::pair<ir::FunctionId, Question>> asked;
  for (const ir::FunctionId f : entries) {
    const clangfe::HostKernel* host = host_kernel(unit, module->function(f));
    for (Question& q : questions(o, *module, module->function(f), effects, host)) asked.emplace_back(f, std::move(q));
    if (host != nullptr)
      for (const std::string& c : contradictions(o, *host)) a.err += c + "\n";
  }
  HandedOn handed_on;
  std::map<size_t, std::pair<size_t, size_t>> warned;  // by row of the report: where in a.err
  for (const auto& [f, question] : asked) handed_on.asked(module->function(f).symbol);
  for (const auto& [f, question] : asked) {
    const std::string& name = module->function(f).name;
    launch::Options o = *question.options;
    const clangfe::HostKernel* host = host_kernel(unit, module->function(f));
    report.kernels.push_back({.function = f,
                              .name = name,
                              .symbol = module->function(f).symbol,
                              .place = host != nullptr ? host->place : Span{},
                              .options = question.options,
                              .launched_at = question.places,
                              .any_size = question.any_size,
                              .named_only = question.named_only});
    KernelReport& said = report.kernels.back();
    const bool limits =
        *o.dialect == ir::Dialect::cuda && o.profile == launch::Profile::standard && module->function(f).kernel;
    const bool bounds = host != nullptr && host->most_threads && module->function(f).kernel;
    std::string no_launch = limits || bounds ? impossible(o.launch, host) : "";
    if (no_launch.empty() && module->function(f).kernel && o.profile == launch::Profile::standard)
      no_launch = excluded(o.launch, *module, f);
    if (!no_launch.empty()) {
      said.status = Status::unknown;
      said.why = no_launch;
      undecided.push_back(fmt::format("'{}': {}", name, no_launch));
      continue;
    }
    if (o.budget > 0) {
      const double left =
          k_own_part * o.budget - std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      if (left <= 0) {
        said.status = Status::gave_up;
        said.why = fmt::format("gave up: the --budget of {:g} s is spent", o.budget);
        undecided.push_back(fmt::format("'{}': {}", name, said.why));
        continue;
      }
      o.timeout = o.timeout > 0 ? std::min(o.timeout, left) : left;
    }
    ir::Module sized = *module;
    const bool bounded = limits && bound_sizes(sized, f, o.launch, host);
    const bool lengths = o.check_array_bounds && question.shared;
    if (lengths) set_shared(sized, question.shared);
    const ir::Module* const module = bounded || lengths ? &sized : report.module;
    std::optional<std::string> shown;  // what is found was found by a run, with these values
    // What is not wall time passes more slowly: a deadline stands for the case that it does not pass at all.
    Job job = Job::with_budget(o.spent != nullptr ? k_patience * o.timeout : o.timeout);
    job.cancelled = o.spent;
    job.seed = o.seed;
    prove::Options engine = engine_options(o, *module, module->function(f));
    engine.axioms = axioms;
    engine.second = second;
    if (o.spent != nullptr) engine.seconds = o.timeout;
    if (!module->function(f).kernel && effects.called(f))
      if (const auto it = contracts.find(f.index); it != contracts.end()) engine.contract = it->second;
    if (!o.check_arrays.empty()) engine.max_findings = 1u << 20;
    prove::Result r = prove::prove(*module, f, engine, job);
    if (o.infer_info) {
      // In the words of the reference: the conjunction of what was found.
      std::string axiom;
      for (const auto& [candidate, kept] : r.candidates)
        axiom += (axiom.empty() ? "" : " && ") + fmt::format("{}{}", kept ? "" : "!", candidate);
      a.out += fmt::format("{}Houdini assignment axiom: {}\n", entries.size() > 1 ? name + ": " : "",
                           axiom.empty() ? "true" : axiom);
    }
    if (module->function(f).kernel || !effects.called(f))
      for (const auto& [g, c] : r.contracts) contracts[g].join(c);
    if (o.debug) a.out += fmt::format("Found {} barrier interval(s)\n", r.barrier_intervals);
    // --check-arrays: races on other arrays do not count.
    if (!o.check_arrays.empty() && r.verdict.status == Status::fails) {
      std::erase_if(r.findings, [&](const prove::Finding& x) {
        return x.kind == prove::Kind::race && std::find(o.check_arrays.begin(), o.check_arrays.end(),
                                                        module->region(x.region).name) == o.check_arrays.end();
      });
      if (r.findings.empty())
        r.verdict = {.status = !r.unsupported.empty() ? Status::unsupported
                               : r.gave_up            ? Status::gave_up
                                                      : Status::holds};
    }
    for (const std::string& path : o.axiom_files) r.assumptions.insert(fmt::format("the axioms of '{}' hold", path));
    if (o.attack && r.verdict.status != Status::fails && !r.verdict.vacuous) {
      Attack found = attack(*module, f, o, engine, r, o.timeout > 0 ? o.timeout : 300);
      if (found.finding) {
        // A proof that says what it takes for granted (a counter that does not wrap) is refuted by a run in which that
        // does not hold.
        if (r.verdict.status == Status::holds && o.barrier_access_checks && prove::holds_in_runs(r.assumptions)) {
          refuted = true;
          const std::string what = fmt::format("internal error: the proof of '{}' missed what a run shows ({}); {}",
                                               name, found.run, reproducer(o, *file, name, found.run));
          a.err += fmt::format("{}: {}\n", file->name, what);
          report.diagnostics.add({.message = what});
        } else if (r.verdict.status == Status::holds) {
          a.err += fmt::format("{}: warning: what the proof of '{}' takes for granted does not hold in a run ({})\n",
                               file->name, name, found.run);
        }
        r.verdict = {.status = Status::fails};
        r.findings = {*found.finding};
        shown = found.values;
      }
    }
    said.status = r.verdict.status;
    said.vacuous = r.verdict.vacuous;
    said.seconds = r.effort.seconds;
    said.effort = r.effort;
    said.ends = r.verdict.status == Status::holds && flow::ends_by_itself(*module, effects, f);
    if (r.verdict.vacuous && o.profile == launch::Profile::standard) {
      said.why = "vacuous: no two threads meet the preconditions, so nothing is proved";
      said.status = Status::unknown;
      undecided.push_back(fmt::format("'{}': {}", name, said.why));
      continue;
    }
    if (limits && !question.cooperative.value_or(false) && question.no_proof.empty() && meets_grid(*module, f))
      r.assumptions.insert({"the launch is cooperative: else a barrier of the grid is not defined"});
    if (bounded && host != nullptr && !host->needs.empty())
      r.assumptions.insert(fmt::format("blocks have the size that '{}' asks for", host->needs.front().what));
    if (const std::string why = other_start(*module, r, question); r.verdict.status == Status::holds && !why.empty()) {
      said.status = Status::unknown;
      said.why = why;
      undecided.push_back(fmt::format("'{}': {}", name, said.why));
      continue;
    }
    if (r.verdict.status == Status::holds && !question.no_proof.empty()) {
      said.status = Status::unknown;
      said.why = question.no_proof;
      undecided.push_back(fmt::format("'{}': {}", name, said.why));
      continue;
    }
    const bool idle = module->function(f).kernel && without_effect(*module, f);
    const std::vector<clangfe::OtherText> other = other_text(unit, host, name);
    if (r.verdict.status == Status::holds)
      if (const std::string why = left_out(other, unit.arch_given, idle); !why.empty()) {
        said.status = Status::unknown;
        said.why = why;
        undecided.push_back(fmt::format("'{}': {}", name, said.why));
        continue;
      }
    if (o.model == launch::Model::ptx) std::erase_if(r.assumptions, prove::said_by_ptx);
    if (r.verdict.status == Status::holds) {
      // Such a file could have a macro of a name that the text defines otherwise.
      const std::string absent =
          unit.missing.empty() ? ""
                               : fmt::format("what it uses is defined in none of the files that were not found ({})",
                                             fmt::join(unit.missing, ", "));
      for (const clangfe::OtherText& t : other)
        if (t.by_compiler || !unit.arch_given) r.assumptions.insert(assumption(t));
      std::vector<std::string> granted;
      if (o.profile == launch::Profile::standard && !o.strict)
        for (const std::string& a : assumed_by_user(*module, f)) r.assumptions.insert(a);
      if (o.strict) granted = taken_for_granted(*module, f, o, r, unit.arch_given ? "" : file->text);
      if (o.strict && !absent.empty()) granted.push_back(absent);
      const std::string missing = not_granted(o, r);
      if (!granted.empty() || !missing.empty()) {
        said.status = Status::unknown;
        said.why = !missing.empty()
                       ? missing
                       : fmt::format("under --strict: a proof assumes that {}", fmt::join(granted, "; that "));
        undecided.push_back(fmt::format("'{}': {}", name, said.why));
        continue;
      }
      ++verified;
      const size_t row = report.kernels.size() - 1;
      handed_on.proved(row, said.symbol, *module, r, question);
      warned[row] = {a.err.size(), 0};
      for (const prove::Assumption& assumed : r.assumptions) {
        said.assumptions.push_back(assumed.text);
        a.err += fmt::format("{}: warning: the proof of '{}' assumes that {}\n", file->name, name, assumed.text);
      }
      std::ranges::copy(assumptions(beside), std::back_inserter(said.assumptions));
      if (!absent.empty()) {
        said.assumptions.push_back(absent);
        a.err += fmt::format("{}: warning: the proof of '{}' assumes that {}\n", file->name, name, absent);
      }
      if (!r.warps.empty())
        a.err += fmt::format(
            "{}: warning: the proof of '{}' relies on warps: without lock-step there may be a race on {}{}\n",
            file->name, name, *r.warps.begin(),
            r.warps.size() == 1 ? "" : fmt::format(", and at {} other pairs of places", r.warps.size() - 1));
      if (idle) {
        said.note = "the kernel makes no access";
        for (const clangfe::OtherText& t : other) said.note += "; " + t.text;
        a.err += fmt::format("{}: note: '{}' is verified: {}\n", file->name, name, said.note);
      }
      if (r.verdict.vacuous)
        a.err += fmt::format("{}: warning: the preconditions of '{}' contradict each other: nothing is proved\n",
                             file->name, name);
      if (o.mutants && !r.verdict.vacuous) {
        const MutantReport tried = try_mutants(*module, f, engine, job, o.timeout);
        a.mutants.kernels += tried.counts.kernels;
        a.mutants.made += tried.counts.made;
        a.mutants.wrong += tried.counts.wrong;
        a.mutants.refuted += tried.counts.refuted;
        a.mutants.undecided += tried.counts.undecided;
        a.mutants.verified += tried.counts.verified;
        a.err += tried.text;
      }
      warned[row].second = a.err.size();
      continue;
    }
    // Runs count into the time, of which a little is left for them in any case.
    double runs = o.timeout > 0
                      ? std::max(0.05 * o.timeout, std::min(k_replay_seconds, 0.9 * o.timeout - r.effort.seconds))
                      : k_replay_seconds;
    for (const prove::Finding& finding : r.findings) {
      const auto start = std::chrono::steady_clock::now();
      if (!shown) {
        const std::optional<Shown> run = confirm(*module, f, finding, o, engine, runs);
        said.findings.push_back({.finding = finding, .confirmed = run.has_value()});
        if (run) {
          said.findings.back().values = values_text(run->defect);
          if (!o.compat) tell_as_run(*module, module->function(f), *run, said.findings.back().finding);
        }
      } else {
        said.findings.push_back({.finding = finding, .confirmed = true, .values = *shown});
      }
      runs -= std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    leave_open(*module, said.findings, r);
    said.status = r.verdict.status;
    if (o.compat) merge_sources(*module, said.findings);
    if (r.verdict.status != Status::fails || r.findings.empty()) {
      std::string why = r.verdict.detail;
      for (const std::string& u : r.unsupported)
        if (u != r.verdict.detail) why += (why.empty() ? "" : ", ") + u;
      said.why = fmt::format("{}{}", fencepost::name(r.verdict.status), why.empty() ? "" : ": " + why);
      undecided.push_back(fmt::format("'{}': {}", name, said.why));
    } else if (const std::string rest = not_looked_at(r, job.out_of_time(), o.timeout); !rest.empty() && !o.compat) {
      said.why = "further defects: " + rest;
      undecided.push_back(fmt::format("'{}': {}", name, said.why));
    }
  }
  for (const auto& [row, why] : handed_on.broken()) {
    KernelReport& said = report.kernels[row];
    said.status = Status::unknown;
    said.why = why;
    said.assumptions.clear();
    undecided.push_back(fmt::format("'{}': {}", said.name, why));
    a.err.erase(warned[row].first, warned[row].second - warned[row].first);
    --verified;
  }
  const auto unread = add_unread(unit, o, report);
  if (o.compat) verified += drop_callees_findings(*module, report.kernels);
  for (KernelReport& k : report.kernels)
    for (FindingReport& x : k.findings) {
      const launch::Options& o = *k.options;
      ++(x.only_possible() && !o.compat ? possible : errors);
      ++a.findings;
      a.confirmed += x.confirmed ? 1 : 0;
      if (!launch_text(*module, o, x.finding).empty())
        if (launch::Launch l = launched(o, x.finding).launch;
            std::find(a.launches.begin(), a.launches.end(), l) == a.launches.end())
          a.launches.push_back(std::move(l));
      x.title = finding_title(*module, x.finding, o);
      x.text = finding_text(*module, k.function, x, o);
      a.err += x.text + "\n";
    }
  if (o.loop_unwind && errors + possible == 0 && undecided.empty()) {
    undecided.push_back("--findbugs proves nothing");
    if (!o.compat) verified = 0;
    for (KernelReport& k : report.kernels) {
      k.status = Status::unknown;
      k.why = "--findbugs proves nothing";
    }
  }
  if (errors + possible > 0) {
    set(a, 1, Ending::not_all_verified);
  } else if (!undecided.empty() || !unread.empty()) {
    set(a, 3, Ending::boogie_other_error);
  } else {
    set(a, 0, Ending::success);
  }
  const size_t open = undecided.size() + unread.size();
  if (!o.silent || a.exit_code != 0)
    a.out += fmt::format(
        "{}{} verified, {}{}\n", o.compat ? "GPUVerify kernel analyser finished with " : "", verified,
        errors > 0 || possible == 0 ? defects_text(errors, possible) : "0 errors, " + defects_text(0, possible),
        o.compat || open == 0 ? "" : fmt::format(", {} not decided", open));
  for (const std::string& u : undecided)
    a.err += fmt::format("{}: not decided: {}\n{}", file->name, u, o.compat ? "" : way_on(u, file->name));
  for (const clangfe::HostKernel* k : unread)
    a.err += fmt::format("{}: not read: '{}': {}\n", k->not_read->span.location(), k->name, k->not_read->message);
  if (!unit.missing.empty() && (!unread.empty() || !undecided.empty() || verified > 0) && !o.silent)
    a.err += fmt::format("{}: warning: not found, and taken to hold nothing that a kernel needs: {}\n", file->name,
                         fmt::join(unit.missing, ", "));
  if (!o.silent && !o.compat && (asks_source(o) || !unread.empty())) a.out += rows(report);
  if (a.exit_code == 0 && !o.silent) a.out += fmt::format("Verified: {}\n{}", file->name, properties(o));
  if ((!o.silent || a.exit_code != 0) && !o.compat) a.out += profile(o);
  if (a.exit_code == 0 && o.silent) a.out.clear();
  if (refuted) set(a, 4, Ending::boogie_internal_error);
  if (second != nullptr) {
    say_second(o, *file, second->told(), a);
    if (!o.second_opinion.empty()) report.second = a.second;
  }
  if (o.mutants && o.suite.empty())
    a.out += fmt::format("{} mutants, {} go wrong in a run, {} of these refuted\n", a.mutants.made, a.mutants.wrong,
                         a.mutants.refuted);
  return done(std::move(a));
}

}  // namespace fencepost::verifier
