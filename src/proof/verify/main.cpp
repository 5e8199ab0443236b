// fencepost-verify: checks certificates of `fencepost check --certificate`. It
// stands alone: nothing of fencepost is linked to it but the room proof/verify,
// which includes no other room. docs/certificates.md is its manual.
#include <cstdio>
#include <cstring>
#include <iostream>
#include <map>

#include "verify/certificate.h"

namespace {

using namespace fencepost::verify;

constexpr const char* k_usage =
    "usage: fencepost-verify FOLDER [--test FILE] [--model FILE] [--prelude "
    "FILE] [--quiet]\n"
    "       fencepost-verify --clauses FOLDER\n"
    "Checks a certificate and prints the statement that it proves. Files that "
    "are given must be the certificate's.\n"
    "--clauses prints the clauses in DIMACS, each with its rule.\n"
    "Exit status: 0 accepted, 1 rejected, 2 wrong arguments.\n";

}  // namespace

int main(int argc, char** argv) {
  std::string folder;
  Given given;
  bool clauses = false, quiet = false, fits = true;
  const std::map<std::string, std::string*> files = {
      {"--test", &given.test}, {"--model", &given.model}, {"--prelude", &given.prelude}};
  for (int k = 1; k < argc; ++k) {
    const std::string a = argv[k];
    if (a == "--help" || a == "-h") return std::cout << k_usage << std::flush ? 0 : 1;
    if (files.contains(a) && k + 1 < argc)
      *files.at(a) = argv[++k];
    else if (a == "--clauses" || a == "--quiet")
      (a == "--quiet" ? quiet : clauses) = true;
    else if (folder.empty() && !a.starts_with("-"))
      folder = a;
    else
      fits = false;
  }
  for (int k = 1; k < argc; ++k) fits = fits && *argv[k] != 0;  // an empty name would be no name, and compare nothing
  if (folder.empty() || !fits) {
    std::cerr << k_usage;
    return 2;
  }
  try {
    if (clauses) {
      const Certificate c = read_certificate(folder, {});
      std::cout << dimacs(build(c.problem, c.reachable));
      return std::cout.flush() ? 0 : 1;
    }
    const Outcome o = verify(folder, given);
    if (!quiet) std::cout << o.statement;
    std::cout << (o.accepted ? "accepted\n" : "rejected: " + o.why + "\n");
    if (!std::cout.flush()) return 1;
    return o.accepted ? 0 : 1;
  } catch (const std::exception& e) {
    std::cerr << "fencepost-verify: " << one_line(e.what()) << "\n";
    return 1;
  }
}
