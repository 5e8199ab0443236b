#pragma once
// A certificate: a folder with
//   statement.txt   what is claimed, in lines "key: value"
//   test.litmus, prelude.cat, model.cat   the texts
//   execution.txt   of a reachable answer: the choices of one execution
//   proof.drat      of an unreachable one: a proof that the clauses have no
//   solution
// docs/certificates.md describes the files.
//
// The statement is made again from the texts and must be the same, byte for
// byte; so whoever changes a text, a hash or a claim has another statement to
// prove.
#include <filesystem>
#include <functional>

#include "verify/encode.h"

namespace fencepost::verify {

struct Problem {
  std::string test_name, test_text, model_name, model_text, prelude_text;
  std::string version;  // of the program that made the certificate
  Question question;
};

struct Built {
  Program program;
  Encoding encoding;
  Cnf cnf;
};

// `whole`: executions in which a thread is left behind in a loop do not count,
// as a reachable answer wants it.
Built build(const Problem& p, bool whole);

// The text of statement.txt. `reachable` is the answer.
std::string statement(const Problem& p, const Built& b, bool reachable);

// The text of execution.txt: the choices that a solution of the clauses makes
// true (model[v] for variable v), and for people the events.
std::string execution(Built& b, const std::vector<bool>& model);

struct Outcome {
  bool accepted = false;
  std::string statement;  // what was checked
  std::string why;        // not accepted: one sentence
};

// Reads and checks a certificate. Files given beside it must be those of the
// certificate.
struct Given {
  std::string test, model, prelude;  // paths, or empty
};
Outcome verify(const std::filesystem::path& folder, const Given& given);

std::string sha256(const std::string& text);
std::string dimacs(const Built& b);  // with a comment for each clause: its rule and events

// The contents of a file of at most 1 GiB; BadText where it cannot be read.
std::string read_file(const std::filesystem::path& path);

}  // namespace fencepost::verify
