// The verbs of room progress.
#include "cli/verbs.h"

namespace fencepost::cli {
namespace {
int absent(const Console& console) { return report_errors(console, unsupported_at({}, "this verb is not built in").error()); }
}  // namespace
int run_progress_check(const CommandLine&, const Console& console) { return absent(console); }
int run_progress_lts(const CommandLine&, const Console& console) { return absent(console); }
int run_progress_classify(const CommandLine&, const Console& console) { return absent(console); }
int run_progress_compare(const CommandLine&, const Console& console) { return absent(console); }
int run_progress_expect(const CommandLine&, const Console& console) { return absent(console); }
int run_progress_synth(const CommandLine&, const Console& console) { return absent(console); }
int run_progress_export(const CommandLine&, const Console& console) { return absent(console); }
int run_progress_print(const CommandLine&, const Console& console) { return absent(console); }
int run_progress_models(const CommandLine&, const Console& console) { return absent(console); }
}  // namespace fencepost::cli
