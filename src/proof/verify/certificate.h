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

struct Outcome {
  bool accepted = false;
  std::string statement;  // what was checked
  std::string why;        // not accepted: one sentence
};

// What a folder claims. Files given beside it must be those of the certificate.
struct Given {
  std::string test, model, prelude;  // paths, or empty
};
struct Certificate {
  Problem problem;
  bool reachable = false;
  std::string claimed;  // statement.txt
};
Certificate read_certificate(const std::filesystem::path& folder, const Given& given);

// Why the folder's execution or proof does not bear out the answer, in one sentence; "" if it does.
std::string refusal(Built& b, bool reachable, const std::filesystem::path& folder);

// Reads and checks a certificate.
Outcome verify(const std::filesystem::path& folder, const Given& given);

std::string sha256(const std::string& text);
std::string one_line(const std::string& text);  // without control characters, and blanks at its ends
std::string dimacs(const Built& b);             // with a comment for each clause: its rule and events

// The contents of a file of at most 1 GiB; BadText where it cannot be read.
std::string read_file(const std::filesystem::path& path);

}  // namespace fencepost::verify
