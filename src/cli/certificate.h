#pragma once
// check --certificate: the answer that was given, with what a third party needs to check it (docs/certificates.md).
#include <string>

#include "cat/model.h"
#include "check/check.h"
#include "cli/file_report.h"
#include "cli/options.h"
#include "prog/test.h"

namespace fencepost::cli {

// With --certificate, before the test is decided: a certificate that is there is removed, since it would be taken for
// this answer's where none is made. An error: the test or the model would be overwritten.
Expected<void> begin_certificate(const Settings& s, const std::string& path);
// Writes the certificate of `result` and says so. Where none can be made, the report says why, and its code is that of
// an answer which is not decided. An answer that the verifier's clauses contradict is an internal error.
void write_certificate(FileReport& r, const Settings& s, const std::string& path, const prog::Test& test,
                       const cat::Model& model, const check::Options& options, const check::Result& result);

}  // namespace fencepost::cli
