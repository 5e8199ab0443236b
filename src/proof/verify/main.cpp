// fencepost-verify: checks certificates of `fencepost check --certificate`. It
// stands alone: nothing of fencepost is linked to it but the room proof/verify,
// which includes no other room. docs/certificates.md is its manual.
#include <cstdio>
#include <cstring>
#include <iostream>

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

int print_clauses(const std::filesystem::path& folder) {
  Problem p;
  p.test_text = read_file(folder / "test.litmus");
  p.model_text = read_file(folder / "model.cat");
  p.prelude_text = read_file(folder / "prelude.cat");
  const std::string text = "\n" + read_file(folder / "statement.txt");
  p.question.races = text.find("\nproperty: races\n") != std::string::npos;
  p.question.use_filter = text.find("\nfilter: ignored\n") == std::string::npos;
  const size_t bound = text.find("\nbound: ");
  p.question.bound = bound == std::string::npos ? 1 : std::strtoull(text.c_str() + bound + 8, nullptr, 10);
  std::cout << dimacs(build(p, text.find("\nanswer: reachable\n") != std::string::npos));
  return std::cout.flush() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::string folder;
  Given given;
  bool clauses = false, quiet = false;
  for (int k = 1; k < argc; ++k) {
    const std::string a = argv[k];
    std::string* file = a == "--test"      ? &given.test
                        : a == "--model"   ? &given.model
                        : a == "--prelude" ? &given.prelude
                                           : nullptr;
    if (a == "--help" || a == "-h") {
      std::cout << k_usage;
      return 0;
    }
    if (file != nullptr && k + 1 < argc) {
      *file = argv[++k];
    } else if (a == "--clauses") {
      clauses = true;
    } else if (a == "--quiet") {
      quiet = true;
    } else if (folder.empty() && !a.starts_with("-")) {
      folder = a;
    } else {
      std::cerr << k_usage;
      return 2;
    }
  }
  if (folder.empty()) {
    std::cerr << k_usage;
    return 2;
  }
  try {
    if (clauses) return print_clauses(folder);
    const Outcome o = verify(folder, given);
    if (!quiet) std::cout << o.statement;
    std::cout << (o.accepted ? "accepted\n" : "rejected: " + o.why + "\n");
    if (!std::cout.flush()) return 1;
    return o.accepted ? 0 : 1;
  } catch (const std::exception& e) {
    std::cerr << "fencepost-verify: " << e.what() << "\n";
    return 1;
  }
}
