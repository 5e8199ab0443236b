#include "verifier/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "base/read_file.h"
#include "base/trace.h"
#include "clangfe/clangfe.h"
#include "formula/second.h"
#include "ir/print.h"
#include "verifier/arguments.h"
#include "verifier/decide.h"
#include "verifier/reference.h"
#include "verifier/report.h"
#include "verifier/rows.h"
#include "verifier/understand.h"

namespace fencepost::verifier {
namespace {

using launch::Answer;
using launch::Ending;

bool has_atomics(const ir::Module& m) {
  for (const ir::Function& f : m.functions)
    for (const ir::Block& b : f.blocks)
      for (const ir::Instruction& i : b.instructions)
        if (std::holds_alternative<ir::Atomic>(i.action)) return true;
  return false;
}

// A path as the name of one folder.
std::string flat(std::string path) {
  std::replace(path.begin(), path.end(), '/', '_');
  return path;
}

// "foo<float>" is meant by "foo" too.
bool is_entry(const std::string& name, const std::string& entry) {
  return entry.empty() || name == entry || (name.starts_with(entry) && name[entry.size()] == '<');
}

// A row for each kernel that was not read and was asked for.
void add_unread(const clangfe::Unit& unit, const launch::Options& o, Report& report) {
  for (const clangfe::HostKernel& k : unit.kernels)
    if (k.not_read && is_entry(k.name, o.entry))
      report.kernels.push_back({.name = k.name,
                                .symbol = k.symbol,
                                .place = k.place,
                                .not_read = k.not_read,
                                .status = Status::unsupported,
                                .why = k.not_read->message});
}

// What is said of a file, while it is made.
class File {
 public:
  File(const launch::Options& given, const SourcePtr& file) : file_(file), o_(given) {
    report_ = {.file = file->name, .options = &o_};
  }

  Answer answer() {
    trace::turn_off();  // of an earlier file; this library has rooms of its own
    if (o_.trace) trace::turn_on(trace::Room::prove);
    if (const auto ok = launch::settle(o_, *file_); !ok) return refuse(ok.error(), Ending::command_line_error);
    if (auto read = understand(file_, o_, beside_))
      unit_ = std::move(*read);
    else
      return refuse(read.error(), stage(read.error()));
    report_.not_found = unit_.missing;
    warn();
    if (const Diagnostics none = nothing_read(unit_); !none.list.empty()) {
      add_unread(unit_, o_, report_);
      return refuse(none, stage(none));
    }
    if (*o_.dialect == ir::Dialect::cuda) o_.cuda_arch = unit_.cuda_arch;
    fill_structures(unit_.module, o_);
    set_lengths(unit_.module, o_);
    report_.module = &unit_.module;
    if (o_.print_ir) return finish({.exit_code = 0, .ending = Ending::success, .out = ir::print(unit_.module)});
    if (const Diagnostics wrong = wrong_options(); !wrong.list.empty())
      return refuse(wrong, Ending::gpuverifyvcgen_error);
    const flow::Effects effects(unit_.module);
    const std::vector<ir::FunctionId> kernels = entries(effects);
    if (kernels.empty()) {
      const Diagnostics why = no_entry();
      return refuse(why, stage(why));
    }
    FileInput in{.file = *file_, .unit = unit_, .beside = beside_, .effects = effects, .begin = begin_};
    for (const std::string& path : o_.axiom_files) {
      const auto text = read_file(path);
      auto parsed = text ? prove::parse_axioms(*text) : std::unexpected(text.error());
      if (!parsed) return refuse(parsed.error(), Ending::boogie_other_error);
      in.axioms.insert(in.axioms.end(), parsed->begin(), parsed->end());
    }
    if (!o_.second_opinion.empty() || !o_.smt_dump.empty()) {
      auto made = formula::Second::make(
          {.solver = o_.second_opinion, .dump = o_.smt_dump.empty() ? "" : o_.smt_dump + "/" + flat(file_->name)});
      if (!made) return refuse(made.error(), Ending::command_line_error);
      in.second = *made;
    }
    const std::shared_ptr<formula::Second> second = in.second;
    decide(kernels, std::move(in));
    if (second != nullptr) report_.second = second->told();
    return finish(counted());
  }

 private:
  void warn() {
    for (const std::string& folder : o_.include_folders)
      if (std::error_code none; !std::filesystem::is_directory(folder, none))
        report_.warnings.add({.message = fmt::format("-I names '{}', which is no folder", folder)});
    for (const BuildMacro& m : beside_.macros) report_.warnings.add(taken_from_build(m));
    if (!beside_.includer.empty()) report_.warnings.add(read_as_part(beside_.includer));
  }

  // What the options ask of this module and cannot have.
  Diagnostics wrong_options() const {
    const ir::Module& m = unit_.module;
    Diagnostics wrong;
    check_arguments(m, o_.kernel_args, false, wrong);
    check_arguments(m, o_.kernel_arrays, true, wrong);
    for (const std::string& name : o_.check_arrays)
      if (std::none_of(m.regions.begin(), m.regions.end(), [&](const ir::Region& r) { return r.name == name; }))
        wrong.add({.message = fmt::format("Array name '{}' specified for restricted checking is not found", name),
                   .hint = "the arrays are the pointer parameters and the shared variables"});
    if (o_.abstraction == launch::Abstraction::equality && has_atomics(m))
      wrong.add({.message = "--equality-abstraction cannot be used with atomics.",
                 .hint = "leave the option out: arrays that atomics touch are then seen adversarially"});
    return wrong;
  }

  // What is asked about. Functions that others call come last, when their calls are known.
  std::vector<ir::FunctionId> entries(const flow::Effects& effects) const {
    const ir::Module& m = unit_.module;
    std::vector<ir::FunctionId> out;
    for (uint32_t i = 0; i < m.functions.size(); ++i) {
      const ir::Function& f = m.functions[i];
      if (!f.body || f.axiom || (o_.inline_calls && !f.kernel) || !is_entry(f.name, o_.entry)) continue;
      if (!beside_.includer.empty() && f.kernel && host_kernel(unit_, f) == nullptr) continue;  // of another file
      out.push_back({i});
    }
    std::stable_partition(out.begin(), out.end(),
                          [&](ir::FunctionId f) { return m.function(f).kernel || !effects.called(f); });
    return out;
  }

  Diagnostics no_entry() {
    // A toolkit may have kernels of its own that are read and not asked about.
    Diagnostics ds = reasons(unit_);
    add_unread(unit_, o_, report_);
    if (!report_.kernels.empty()) return ds;
    ds = {};
    ds.add({.span = {file_, 0, 0},
            .message =
                o_.entry.empty() ? "this file has no kernel" : fmt::format("this file has no kernel '{}'", o_.entry),
            .hint = *o_.dialect == ir::Dialect::cuda ? "a kernel is a __global__ function"
                                                     : "a kernel is a __kernel function"});
    return ds;
  }

  void decide(const std::vector<ir::FunctionId>& kernels, FileInput in) {
    const ir::Module& m = unit_.module;
    std::vector<std::pair<ir::FunctionId, Question>> asked;
    for (const ir::FunctionId f : kernels) {
      const clangfe::HostKernel* host = host_kernel(unit_, m.function(f));
      for (Question& q : questions(o_, m, m.function(f), in.effects, host)) asked.emplace_back(f, std::move(q));
      if (host != nullptr)
        for (std::string& c : contradictions(o_, *host)) report_.contradictions.push_back(std::move(c));
    }
    Decider decider(std::move(in));
    for (const auto& [f, question] : asked) decider.asked(m.function(f).symbol);
    for (const auto& [f, question] : asked)
      report_.kernels.push_back(decider.decide(report_.kernels.size(), f, question));
    for (auto& [row, why] : decider.broken()) {
      report_.kernels[row].status = Status::unknown;
      report_.kernels[row].why = why;
      report_.kernels[row].assumptions.clear();
    }
    add_unread(unit_, o_, report_);
    if (o_.compat) drop_callees_findings(m, report_.kernels);
    for (KernelReport& k : report_.kernels)
      for (FindingReport& x : k.findings) {
        x.title = finding_title(m, x.finding, *k.options);
        x.text = finding_text(m, k.function, x, *k.options);
      }
    report_.proves_nothing = o_.loop_unwind && report_.verdict() == 0;
    if (report_.proves_nothing)
      for (KernelReport& k : report_.kernels) {
        k.status = Status::unknown;
        k.why = "--findbugs proves nothing";
      }
  }

  // The answer's numbers.
  Answer counted() const {
    Answer a;
    a.exit_code = report_.verdict();
    a.ending = a.exit_code == 0   ? Ending::success
               : a.exit_code == 1 ? Ending::not_all_verified
                                  : Ending::boogie_other_error;
    a.mutants = report_.mutants();
    for (const KernelReport& k : report_.kernels) {
      if (!k.our_fault.empty()) a.ending = Ending::boogie_internal_error;
      for (const FindingReport& x : k.findings) {
        ++a.findings;
        a.confirmed += x.confirmed ? 1 : 0;
        if (launch_text(unit_.module, *k.options, x.finding).empty()) continue;
        if (launch::Launch l = launched(*k.options, x.finding).launch;
            std::find(a.launches.begin(), a.launches.end(), l) == a.launches.end())
          a.launches.push_back(std::move(l));
      }
    }
    if (report_.second)
      a.second = {report_.second->agreed, report_.second->disagreed, report_.second->unanswered,
                  report_.second->seconds};
    return a;
  }

  Answer refuse(const Diagnostics& why, Ending ending) {
    report_.refusal = why;
    return finish({.exit_code = report_.verdict(), .ending = ending});
  }

  // With the form that was asked for.
  Answer finish(Answer a) {
    a.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    report_.exit_code = a.exit_code;
    report_.seconds = a.seconds;
    if (a.out.empty()) put_into_form(report_, a);
    if (o_.form != launch::Form::text && !o_.print_ir) return a;
    if (o_.time) a.out += fmt::format("time: {:.3f} s\n", a.seconds);
    if (!o_.time_label.empty()) a.out += fmt::format("{},{:.3f}\n", o_.time_label, a.seconds);
    return a;
  }

  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  const SourcePtr& file_;
  launch::Options o_;
  clangfe::Unit unit_;
  Beside beside_;
  Report report_;
};

}  // namespace

Answer answer(const launch::Options& options, const SourcePtr& file) { return File(options, file).answer(); }

Answer unreadable(const launch::Options& o, const Diagnostics& why) {
  const Report report{.file = o.files.empty() ? "" : o.files.front(), .options = &o, .exit_code = 2, .refusal = why};
  Answer a{.exit_code = report.verdict(), .ending = Ending::command_line_error};
  put_into_form(report, a);
  return a;
}

}  // namespace fencepost::verifier
