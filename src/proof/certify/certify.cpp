// CaDiCaL on the verifier's clauses, with its defaults but for the text form of the proof: the clauses of a published
// test are solved in a few milliseconds.
#include "certify/certify.h"

#include <fmt/format.h>

#include <cadical.hpp>
#include <fstream>
#include <map>
#include <set>

#include "base/write_file.h"
#include "verify/certificate.h"

namespace fencepost::certify {
namespace {

namespace fs = std::filesystem;

class Deadline : public CaDiCaL::Terminator {
 public:
  explicit Deadline(const Job& job) : job_(job) {}
  bool terminate() override { return job_.out_of_time(); }

 private:
  const Job& job_;
};

constexpr const char* k_files[] = {"statement.txt", "test.litmus", "model.cat",
                                   "prelude.cat",   "proof.drat",  "execution.txt"};

constexpr std::string_view k_mark = "format: fencepost certificate";

void clear(const fs::path& folder) {
  std::error_code ignored;
  for (const char* f : k_files) fs::remove(folder / f, ignored);
}

bool is_certificate(const fs::path& folder) {
  std::error_code failed;
  const fs::path statement = folder / k_files[0];
  if (!fs::is_regular_file(statement, failed)) return false;
  std::ifstream in(statement, std::ios::binary);
  std::string begin(k_mark.size(), ' ');
  return in.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == k_mark;
}

// Makes the folder, and what an older certificate left in it is gone. Files of the same names that are none stay: they
// may be the test that is asked about. The mark is there first, so that what a killed run leaves can be replaced.
Expected<void> emptied(const fs::path& folder, bool looked_at) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder))
    return error_at({}, "the folder '" + folder.string() + "' cannot be made: " + error.message());
  if (!looked_at)
    if (const auto ok = may_be_written(folder); !ok) return ok;
  clear(folder);
  if (!write_file((folder / k_files[0]).string(), std::string(k_mark) + "\n"))
    return error_at({}, "the certificate cannot be written: " + (folder / k_files[0]).string());
  return {};
}

verify::Problem problem_of(const Request& r) {
  verify::Problem p;
  p.test_name = r.test_name;
  p.test_text = r.test_text;
  p.model_name = r.model_name;
  p.model_text = r.model_text;
  p.prelude_text = r.prelude_text;
  p.version = r.version;
  p.question = {r.races, r.use_filter, r.bound};
  return p;
}

struct Solved {
  int answer = 0;  // as CaDiCaL says: 10 satisfiable, 20 not, 0 unknown
  std::vector<bool> model;
};

Solved solve(const verify::Cnf& cnf, const fs::path& proof, Job& job) {
  Solved out;
  CaDiCaL::Solver solver;
  solver.set("binary", 0);
  solver.set("quiet", 1);
  if (!proof.empty() && !solver.trace_proof(proof.c_str())) return out;
  Deadline deadline(job);
  solver.connect_terminator(&deadline);
  for (const auto& clause : cnf.clauses) {
    for (const int32_t l : clause) solver.add(l);
    solver.add(0);
  }
  out.answer = solver.solve();
  if (!proof.empty()) solver.close_proof_trace();
  solver.disconnect_terminator();
  if (out.answer == 10) {
    out.model.assign(cnf.variables + 1, false);
    for (uint32_t v = 1; v <= cnf.variables; ++v) out.model[v] = solver.val(static_cast<int>(v)) > 0;
  }
  return out;
}

// The text of execution.txt: the choices that the solution makes true, "bit NAME K" of one read as one number, and for
// people the events.
std::string execution(verify::Built& b, const std::vector<bool>& model) {
  verify::Circuit& c = b.encoding.circuit;
  std::set<std::string> chosen;
  std::map<std::string, uint64_t> values;
  std::string out = "# the choices of one execution. Lines with # are for people.\n";
  for (size_t k = 0; k < c.inputs().size(); ++k) {
    const std::string& name = c.inputs()[k];
    if (c.variable(k) == 0 || !model[c.variable(k)] || !chosen.insert(name).second) continue;
    const size_t blank = name.rfind(' ');
    if (name.starts_with("bit "))
      values[name.substr(4, blank - 4)] |= uint64_t{1} << std::stoul(name.substr(blank + 1));
    else
      out += "choose " + name + "\n";
  }
  for (const auto& [name, v] : values) out += fmt::format("value {} {}\n", name, v);
  c.failures(chosen);
  for (const verify::Event& e : b.encoding.events) {
    if (!c.holds(e.exec)) continue;
    out += fmt::format("# {}: {}", e.name, verify::one_line(e.text));
    if (e.read || e.write) {
      uint64_t v = 0;
      for (size_t k = 0; k < 64; ++k)
        if (c.holds(e.value[k])) v |= uint64_t{1} << k;
      out += fmt::format(", {} {}", e.read ? "reads" : "writes", static_cast<int64_t>(v));
    }
    out += "\n";
  }
  return out;
}

Expected<Made> written(const Request& r, bool reachable, const fs::path& folder, Job& job) {
  const verify::Problem p = problem_of(r);
  verify::Built b = verify::build(p, reachable);
  Made out;
  out.variables = b.cnf.variables;
  out.clauses = b.cnf.clauses.size();
  if (const auto ok = emptied(folder, r.looked_at); !ok) return std::unexpected(ok.error());
  const Solved s = solve(b.cnf, reachable ? fs::path() : folder / "proof.drat", job);
  if (s.answer == 0 || s.answer != (reachable ? 10 : 20)) {
    clear(folder);
    if (s.answer == 0) {
      out.kind = Made::Kind::gave_up;
      out.why = "the time is over";
      return out;
    }
    // Where threads may be left behind in loops, the clauses speak of other executions than the answer: of fewer where
    // one is looked for, and of more where there is none.
    const bool loops = p.question.races && b.encoding.partial != verify::k_false;
    out.kind = loops ? Made::Kind::not_certified : Made::Kind::disagrees;
    out.why = loops ? "a race in an execution whose loops go on is not in the certified part"
                    : fmt::format("the clauses have {} solution", reachable ? "no" : "a");
    return out;
  }
  std::vector<std::pair<const char*, std::string>> files = {
      {"test.litmus", p.test_text}, {"model.cat", p.model_text}, {"prelude.cat", p.prelude_text}};
  if (reachable) files.emplace_back("execution.txt", execution(b, s.model));
  files.emplace_back("statement.txt", verify::statement(p, b, reachable));
  out.statement = files.back().second;
  for (const auto& [name, text] : files)
    if (const auto ok = write_file((folder / name).string(), text); !ok) {
      clear(folder);
      return error_at({}, "the certificate cannot be written: " + (folder / name).string());
    }
  if (std::string why = verify::refusal(b, reachable, folder); !why.empty()) {
    clear(folder);
    out.kind = Made::Kind::faulty;
    out.why = std::move(why);
  }
  return out;
}

}  // namespace

Expected<void> may_be_written(const fs::path& folder) {
  std::error_code error;
  if (!is_certificate(folder))
    for (const char* f : k_files)
      if (fs::symlink_status(folder / f, error).type() != fs::file_type::not_found)
        return error_at(
            {}, fmt::format("'{}' is there already, and the folder is not a certificate", (folder / f).string()),
            "name a folder of its own");
  return {};
}

void forget(const fs::path& folder) {
  if (is_certificate(folder)) clear(folder);
}

Expected<Made> certify(const Request& request, bool expect_reachable, const fs::path& folder, Job& job) {
  try {
    return written(request, expect_reachable, folder, job);
  } catch (const verify::NotCertified& e) {
    return Made{Made::Kind::not_certified, std::string(e.what()) + " is not in the certified part", {}, 0, 0};
  } catch (const verify::BadText& e) {
    return Made{
        Made::Kind::not_certified, std::string("a text that the verifier cannot read (") + e.what() + ")", {}, 0, 0};
  }
}

}  // namespace fencepost::certify
