#include "cli/made_suite.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/parallel.h"
#include "cli/verbs.h"

namespace fencepost::cli {

vocab::Dialect dialect_of(prog::Syntax syntax) {
  return syntax == prog::Syntax::vulkan   ? vocab::Dialect::vulkan
         : syntax == prog::Syntax::opencl ? vocab::Dialect::opencl
                                          : vocab::Dialect::ptx;
}

bool of_paths(const gen::SuiteRequest& request) { return request.families == std::vector<std::string>{"async"}; }

namespace {

SuiteTests path_tests(const cat::Model& model, const Settings& s, const Console& console) {
  std::vector<gen::Path> paths;
  gen::enumerate_paths([&](const gen::Path& p) {
    paths.push_back(p);
    return true;
  });
  SuiteTests out;
  out.cycles = paths.size();
  Progress progress(console, paths.size(), "paths", true);
  in_order(
      paths.size(), s.threads, progress,
      [&](size_t i) {
        Job job = job_of(s);
        return gen::minimal_path(paths[i], model, check_options(s), job);
      },
      [&](size_t i, gen::SuitePart part) {
        if (!part.undecided.empty()) {
          ++out.undecided;
          progress.clear();
          console.err(fmt::format("{}: undecided: {}\n", gen::name(paths[i]), part.undecided));
        }
        out.unreachable += part.base_forbidden || !part.undecided.empty() ? 0 : 1;
        for (gen::SuiteEntry& e : part.entries) out.entries.push_back(std::move(e));
      });
  return out;
}

}  // namespace

Expected<SuiteTests> suite_tests(const gen::SuiteRequest& request, const cat::Model& model, const Settings& s,
                                 const Console& console) {
  if (of_paths(request)) return path_tests(model, s, console);
  gen::SuiteRequest with_hosts = request;
  with_hosts.hosts = model.knows_hosts && request.syntax == prog::Syntax::ptx;
  const auto bases = gen::suite_bases(with_hosts);
  if (!bases) return std::unexpected(bases.error());
  SuiteTests out;
  out.cycles = bases->size();
  {
    Progress progress(console, bases->size(), "cycles", true);
    in_order(
        bases->size(), s.threads, progress,
        [&](size_t i) {
          Job job = job_of(s);
          return gen::minimal_below((*bases)[i], request.syntax, model, check_options(s), job);
        },
        [&](size_t i, gen::SuitePart part) {
          if (!part.undecided.empty()) {
            ++out.undecided;
            progress.clear();
            console.err(fmt::format("{}: undecided: {}\n", gen::name((*bases)[i]), part.undecided));
          }
          out.unreachable += part.base_forbidden || !part.undecided.empty() ? 0 : 1;
          for (gen::SuiteEntry& e : part.entries)
            if (std::none_of(out.entries.begin(), out.entries.end(),
                             [&](const gen::SuiteEntry& o) { return o.name == e.name; }))
              out.entries.push_back(std::move(e));
        });
  }
  if (request.families.empty()) {
    Job job = job_of(s);
    auto coherence = gen::coherence_suite(request.syntax, model, check_options(s), job);
    if (!coherence) return std::unexpected(coherence.error());
    for (gen::SuiteEntry& e : *coherence) out.entries.push_back(std::move(e));
  }
  return out;
}

std::vector<JudgedMutant> judged_mutants(const gen::SuiteEntry& entry, const cat::Model& model, const Settings& s,
                                         prog::Syntax syntax) {
  gen::TestOptions made;
  made.syntax = syntax;
  made.quantifier = prog::Quantifier::not_exists;
  std::vector<JudgedMutant> out;
  std::vector<gen::Mutant> all = gen::mutants(entry.test, entry.spec, made);
  if (entry.path)
    for (gen::Mutant& m : gen::path_mutants(*entry.path, made))
      if (std::none_of(all.begin(), all.end(),
                       [&](const gen::Mutant& o) { return o.test.templates == m.test.templates; }))
        all.push_back(std::move(m));
  for (gen::Mutant& m : all) {
    Job job = job_of(s);
    const gen::Reach reach = gen::ask(m.test, model, check_options(s), job).reach;
    m.test.title = fmt::format("{}--{}-{}", entry.name, gen::name(m.mutator), out.size() + 1);
    m.test.quantifier = prog::Quantifier::exists;
    m.test.remarks = {fmt::format("mutant of {}: {}", entry.name, m.what)};
    out.push_back({std::move(m), reach});
  }
  return out;
}

}  // namespace fencepost::cli
