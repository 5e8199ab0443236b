#pragma once
// How events, places, threads and questions are called in every report. Internal to the room.
#include <string>
#include <vector>

#include "cat/model.h"
#include "check/check.h"
#include "prog/names.h"
#include "reference/execution.h"
#include "reference/run.h"

namespace fencepost::report {

std::string location_of(const prog::Test& test, const reference::Execution& x,
                        uint32_t event);  // "x", "a[2]"; "" for fences
std::string event_body(const prog::Test& test, const reference::Execution& x, uint32_t event);    // "W x = 1", "fence"
std::string value_text(const prog::Test& test, uint64_t value, uint8_t width, bool is_unsigned);  // decimal, or "&x"
std::string number_text(const prog::Test& test, const reference::Event& e);  // the value read or written, in decimal
const prog::Instr* instruction_of(const prog::Test& test, const reference::Execution& x, uint32_t event);  // null: Init
std::string instruction_text(const prog::Test& test, const reference::Execution& x, uint32_t event);
std::string base_name(const std::string& path);
std::string place_of(const Span& span);  // "mp.litmus:4"
std::string place_of(const prog::Test& test, const reference::Execution& x, uint32_t event);
std::string scope_text(const prog::Test& test, uint32_t thread);                                  // "cta 0, gpu 0"
std::string stop_text(const prog::Test& test, uint32_t thread, const reference::ThreadRun& run);  // "" at its end
std::string question_text(const prog::Test& test);                                                // "exists (0:r0=1)"
// What a verdict rests on besides, where it rests on a bound that is not reached: loops_text (report.h), or "".
std::string thin_air_text(const prog::Test& test, const cat::Model& model, const check::Result& result);
std::vector<std::string> assumptions(const prog::Test& test);  // of the front end, each once
// Shaders and kernels: the launch as --grid takes it, "2.1.4"; "" for other tests.
std::string launch_text(const prog::Test& test);
// "4", and whether the answer could change with more; "" for a program without loops.
std::string bound_text(const prog::Test& test, const check::Result& result);

}  // namespace fencepost::report
