// libFuzzer target: any bytes as a memory model. Loading must answer with a model whose analyses work, or with
// diagnostics that can be shown. Includes are not followed: there is no folder to look in.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "cat/model.h"

using namespace fencepost;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  cat::LoadOptions options;
  options.dialect = static_cast<vocab::Dialect>(data[0] % 3);
  options.sibling_stdlib = false;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto model = cat::load_text(make_source("/nowhere/fuzz.cat", text), options);
  if (!model) {
    if (render(model.error()).empty()) std::abort();
    return 0;
  }
  if (cat::polarities(*model).size() != model->nodes.size()) std::abort();
  return 0;
}
