#pragma once
// Makes certificates (docs/certificates.md): takes the clauses of the verifier, not those of the engines, solves them
// with CaDiCaL and writes the proof or the execution. So a certificate says nothing about the engine that gave the
// answer, and all about the answer: the caller compares the two. What has been written is checked with the verifier's
// own code before it is called written.
#include <filesystem>
#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "base/job.h"

namespace fencepost::certify {

struct Request {
  std::string test_name, test_text;
  std::string model_name, model_text, prelude_text;
  std::string version;
  bool races = false;  // else the test's condition
  bool use_filter = true;
  uint32_t bound = 1;
  bool looked_at = false;  // may_be_written(folder) was asked: nothing in it is read
};

struct Made {
  enum class Kind : uint8_t {
    written,
    not_certified,  // `why` names what is not in the certified part
    gave_up,        // the job's time is over
    disagrees,      // the answer of the clauses is not the one that was expected; nothing is written
    faulty,         // the verifier does not accept what was written, which is removed again
  } kind = Kind::written;
  std::string why;
  std::string statement;
  uint64_t variables = 0, clauses = 0;
};

// Writes the certificate into `folder`, which is made; a certificate that is there is replaced. An error: the folder
// cannot be written, or has files of the same names and is no certificate.
Expected<Made> certify(const Request& request, bool expect_reachable, const std::filesystem::path& folder, Job& job);

// An error: the folder has files of a certificate's names and is none. For who cannot read there later.
Expected<void> may_be_written(const std::filesystem::path& folder);

// A certificate in the folder is removed: where none could be made, an older one would be taken for the answer's.
void forget(const std::filesystem::path& folder);

}  // namespace fencepost::certify
