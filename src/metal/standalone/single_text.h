#pragma once
// A single instance as a text of its own: a GLSL shader or SPIR-V assembly with launch, initial memory and question in
// its comments, as `check` reads them (docs/glsl.md, docs/spirv.md); an OpenCL C kernel; PTX is printed by its own
// printer. GLSL and SPIR-V read back give the verdict of the test.
#include <functional>
#include <string>

#include "base/diagnostic.h"
#include "standalone/single.h"

namespace fencepost::standalone {

Expected<std::string> glsl_text(const Single& s);
Expected<std::string> spirv_text(const Single& s);

// The test's question over places of buffers: "exists (b_out[0] == 1 and b_x[0] == 2)". `place` names a place.
std::string question_text(const Single& s, const std::function<std::string(const Single::Where&)>& place);

}  // namespace fencepost::standalone
