#include "cli/certificate.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "base/read_file.h"
#include "cat/library.h"
#include "certify/certify.h"
#include "cli/inputs.h"
#include "cli/output.h"

namespace fencepost::cli {
namespace {

using certify::Made;

// What is asked and answered that no certificate speaks of; "" for nothing.
std::string refusal(const Settings& s, const cat::Model& model, const check::Options& options,
                    const check::Result& result) {
  if (options.property == check::Property::termination) return "termination is not in the certified part";
  if (result.verdict.status != Status::holds && result.verdict.status != Status::fails)
    return fmt::format("the answer is {}", name(result.verdict.status));
  for (const char* option :
       {"--condition", "--exists", "--filter", "--grid", "--input", "--entry", "--variant", "--no-spurious-failures"})
    if (s.has(option)) return fmt::format("{} is not in the certified part", option);
  const auto beside = std::filesystem::path(model.path).parent_path() / "stdlib.cat";
  if (std::filesystem::exists(beside)) return "a model with a stdlib.cat beside it is not in the certified part";
  return "";
}

Expected<certify::Request> request_of(const std::string& path, const prog::Test& test, const cat::Model& model,
                                      const check::Options& options, uint32_t bound) {
  certify::Request out;
  const auto text = read_file(path);
  if (!text) return std::unexpected(text.error());
  const auto model_text = read_file(model.path);
  if (!model_text) return std::unexpected(model_text.error());
  const std::string prelude = cat::options_for(model.path, test.dialect).prelude;
  if (!prelude.empty()) {
    const auto prelude_text = read_file(prelude);
    if (!prelude_text) return std::unexpected(prelude_text.error());
    out.prelude_text = (*prelude_text)->text;
  }
  out.test_name = std::filesystem::path(path).filename().string();
  out.test_text = (*text)->text;
  out.model_name = std::filesystem::path(model.path).stem().string();
  out.model_text = (*model_text)->text;
  out.version = "fencepost " FENCEPOST_VERSION;
  out.races = options.property == check::Property::races;
  out.use_filter = options.filter;
  out.bound = bound;
  return out;
}

}  // namespace

Expected<void> begin_certificate(const Settings& s, const std::string& path) {
  if (s.output.empty()) return {};
  std::error_code failed;
  for (const std::string& read : {path, s.model})
    for (const char* kept : {"test.litmus", "model.cat", "prelude.cat"})
      if (const auto there = std::filesystem::path(s.output) / kept; std::filesystem::equivalent(read, there, failed))
        return error_at({}, fmt::format("'{}' is read, and is in the folder of the certificate", there.string()),
                        "name another folder");
  certify::forget(s.output);
  return {};
}

void write_certificate(FileReport& r, const Settings& s, const std::string& path, const prog::Test& test,
                       const cat::Model& model, const check::Options& options, const check::Result& result) {
  const auto none = [&](const std::string& why) {
    r.err += fmt::format("{}: no certificate: {}\n", path, why);
    r.code = worse(r.code, k_exit_undecided);
  };
  if (path == "-") return none("a test of standard input is not in the certified part");
  if (const std::string why = refusal(s, model, options, result); !why.empty()) return none(why);
  auto request = request_of(path, test, model, options, result.bound.largest());
  if (!request) return refuse(r, s, path, request.error());
  request->looked_at = s.untrusted;
  const bool reachable = request->races ? result.verdict.status == Status::fails : result.reachable;
  Job job = Job::with_budget(s.budget);
  const auto made = certify::certify(*request, reachable, s.output, job);
  if (!made) return refuse(r, s, path, made.error());
  switch (made->kind) {
    case Made::Kind::written:
      (s.json ? r.err : r.out) +=
          fmt::format("{}: certificate in {}: {}, {} clauses{}\n", path, s.output,
                      reachable ? "reachable" : "unreachable", made->clauses, reachable ? "" : " refuted");
      return;
    case Made::Kind::not_certified:
    case Made::Kind::gave_up:
      return none(made->why);
    case Made::Kind::disagrees:
    case Made::Kind::faulty:
      r.err += fmt::format("{}: internal error: the certificate does not bear out the answer '{}': {}\n", path,
                           reachable ? "reachable" : "unreachable", made->why);
      r.code = k_exit_internal;
      return;
  }
}

}  // namespace fencepost::cli
