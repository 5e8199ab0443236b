// libFuzzer target: any bytes as a progress model. Reading must answer with a model that survives printing and can be
// put to work on two threads, or with diagnostics that can be shown.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fair/model.h"

using namespace fencepost;

namespace {

void shown(const Diagnostics& d) {
  if (render(d).empty()) std::abort();  // a refusal without a word
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto model =
      fair::parse_model(make_source("fuzz.progress", std::string(reinterpret_cast<const char*>(data), size)));
  if (!model) {
    shown(model.error());
    return 0;
  }
  const auto back = fair::parse_model(make_source("printed.progress", fair::to_text(*model)));
  if (!back || !(*back == *model)) std::abort();
  if (const auto fault = fair::find_fault(*model, 2, 200); !fault) shown(fault.error());
  return 0;
}
