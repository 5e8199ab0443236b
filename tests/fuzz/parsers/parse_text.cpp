// libFuzzer target: any bytes into a reader of a campaign's plan, of foreign results, of stress parameters, of loop
// bounds, or of a kernel's first lines. Each must answer with a value or with diagnostics that can be shown.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "analysis/read.h"
#include "campaign/plan_file.h"
#include "check/bounds_file.h"
#include "launch/header.h"
#include "launch/options.h"
#include "plan/parameters.h"

namespace fencepost {
namespace {

template <class T>
void look(const Expected<T>& read) {
  if (!read && render(read.error()).empty()) std::abort();  // a refusal without a word
}

[[maybe_unused]] void read_plan(const std::string& text) { look(campaign::read_plan(make_source("fuzz.toml", text))); }
[[maybe_unused]] void read_results(const std::string& text) {
  look(analysis::read_text(make_source("fuzz.log", text), "device"));
}
[[maybe_unused]] void read_parameters(const std::string& text) {
  plan::Parameters p;
  look(plan::set_parameters(p, text));
}
[[maybe_unused]] void read_bounds(const std::string& text) {
  look(check::parse_bounds(make_source("fuzz.bounds", text)));
}
[[maybe_unused]] void read_kernel(const std::string& text) {
  const auto header = launch::read_header(make_source("fuzz.cl", text));
  look(header);
  if (header && *header) look(launch::parse((*header)->words));
}

}  // namespace
}  // namespace fencepost

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fencepost::FENCEPOST_READER(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
