#pragma once
// Small modules for the tests of the SPIR-V front end: a frame with types, constants and variables, and the code of
// each invocation.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cat/library.h"
#include "check/check.h"
#include "prog/test.h"
#include "read/read.h"
#include "record.h"

namespace spirv_test {

using namespace fencepost;
using vocab::Tag;
using vocab::TagSet;

// Vulkan: buffers %x %y %z %out (arrays of 8, starting at 0), %shared (workgroup array of 4), ids in %id (global) and
// %local. Numbers %n0 .. %n9; scopes %dv %wg %sg %qf; semantics by name.
inline std::string vulkan_frame(const std::string& header, const std::string& code, const std::string& more = "") {
  std::string text = header;
  for (const char* v : {"x", "y", "z", "out"})
    text += std::string("; @Input: %") + v + " = {{0, 0, 0, 0, 0, 0, 0, 0}}\n";
  text += R"(
OpCapability Shader
OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %gids %lids
OpDecorate %gids BuiltIn GlobalInvocationId
OpDecorate %lids BuiltIn LocalInvocationId
OpDecorate %ints ArrayStride 4
OpMemberDecorate %buffer 0 Offset 0
OpDecorate %buffer Block
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%v2 = OpTypeVector %uint 2
%v3 = OpTypeVector %uint 3
%fn = OpTypeFunction %void
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%n2 = OpConstant %uint 2
%n3 = OpConstant %uint 3
%n4 = OpConstant %uint 4
%n5 = OpConstant %uint 5
%n6 = OpConstant %uint 6
%n7 = OpConstant %uint 7
%n8 = OpConstant %uint 8
%n9 = OpConstant %uint 9
%true = OpConstantTrue %bool
%false = OpConstantFalse %bool
%dv = OpConstant %uint 1
%wg = OpConstant %uint 2
%sg = OpConstant %uint 3
%qf = OpConstant %uint 5
%relaxed = OpConstant %uint 0
%acquire = OpConstant %uint 0x4042
%release = OpConstant %uint 0x2044
%both = OpConstant %uint 0x6048
%acquire_plain = OpConstant %uint 0x42
%release_plain = OpConstant %uint 0x44
%acquire_wg = OpConstant %uint 0x4102
%release_wg = OpConstant %uint 0x2104
%both_wg = OpConstant %uint 0x6108
%ints = OpTypeRuntimeArray %uint
%buffer = OpTypeStruct %ints
%four = OpTypeArray %uint %n4
%p_buffer = OpTypePointer StorageBuffer %buffer
%p = OpTypePointer StorageBuffer %uint
%p_four = OpTypePointer Workgroup %four
%pw = OpTypePointer Workgroup %uint
%p_v3 = OpTypePointer Input %v3
%pf = OpTypePointer Function %uint
%pf_four = OpTypePointer Function %four
%gids = OpVariable %p_v3 Input
%lids = OpVariable %p_v3 Input
%x = OpVariable %p_buffer StorageBuffer
%y = OpVariable %p_buffer StorageBuffer
%z = OpVariable %p_buffer StorageBuffer
%out = OpVariable %p_buffer StorageBuffer
%shared = OpVariable %p_four Workgroup
)" + more +
          R"(
%main = OpFunction %void None %fn
%entry = OpLabel
%fv = OpVariable %pf Function
%fa = OpVariable %pf_four Function
%gid3 = OpLoad %v3 %gids
%id = OpCompositeExtract %uint %gid3 0
%lid3 = OpLoad %v3 %lids
%local = OpCompositeExtract %uint %lid3 0
%px = OpAccessChain %p %x %n0 %n0
%py = OpAccessChain %p %y %n0 %n0
%pz = OpAccessChain %p %z %n0 %n0
%pout = OpAccessChain %p %out %n0 %id
%out0 = OpAccessChain %p %out %n0 %n0
%out1 = OpAccessChain %p %out %n0 %n1
%out2 = OpAccessChain %p %out %n0 %n2
%out3 = OpAccessChain %p %out %n0 %n3
%ps = OpAccessChain %pw %shared %n0
)" + code;
  return text;
}

// The same code for every invocation.
inline std::string vulkan_all(const std::string& header, const std::string& code, const std::string& more = "") {
  return vulkan_frame(header, code + "OpReturn\nOpFunctionEnd\n", more);
}

// One piece of code for each invocation, by global id.
inline std::string vulkan_threads(const std::string& header, const std::vector<std::string>& threads,
                                  const std::string& more = "") {
  std::string code = "OpSelectionMerge %join None\nOpSwitch %id %join";
  for (size_t k = 0; k < threads.size(); ++k) code += " " + std::to_string(k) + " %t" + std::to_string(k);
  code += "\n";
  for (size_t k = 0; k < threads.size(); ++k)
    code += "%t" + std::to_string(k) + " = OpLabel\n" + threads[k] + "OpBranch %join\n";
  code += "%join = OpLabel\nOpReturn\nOpFunctionEnd\n";
  return vulkan_frame(header, code, more);
}

// OpenCL: a kernel with global buffers %x %y %out and a local one %l; numbers, scopes and semantics as above.
inline std::string opencl_frame(const std::string& header, const std::string& code, const std::string& functions = "") {
  std::string text = header;
  for (const char* v : {"x", "y", "out"}) text += std::string("; @Input: %") + v + " = {0, 0, 0, 0, 0, 0, 0, 0}\n";
  text += "; @Input: %l = {0, 0, 0, 0}\n";
  text += R"(
OpCapability Addresses
OpCapability Kernel
OpMemoryModel Physical32 OpenCL
OpEntryPoint Kernel %main "kernel" %gids %lids
OpDecorate %gids BuiltIn GlobalInvocationId
OpDecorate %lids BuiltIn LocalInvocationId
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%v3 = OpTypeVector %uint 3
%p_v3 = OpTypePointer Input %v3
%p = OpTypePointer CrossWorkgroup %uint
%pw = OpTypePointer Workgroup %uint
%pp = OpTypePointer Function %p
%pf = OpTypePointer Function %uint
%fn = OpTypeFunction %void %p %p %p %pw
%fn1 = OpTypeFunction %void %p
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%n2 = OpConstant %uint 2
%n3 = OpConstant %uint 3
%n4 = OpConstant %uint 4
%all = OpConstant %uint 0
%dv = OpConstant %uint 1
%wg = OpConstant %uint 2
%relaxed = OpConstant %uint 0
%acquire = OpConstant %uint 0x202
%release = OpConstant %uint 0x204
%both = OpConstant %uint 0x208
%sc = OpConstant %uint 0x210
%both_local = OpConstant %uint 0x108
%gids = OpVariable %p_v3 Input
%lids = OpVariable %p_v3 Input
)" + functions +
          R"(
%main = OpFunction %void None %fn
%x = OpFunctionParameter %p
%y = OpFunctionParameter %p
%out = OpFunctionParameter %p
%l = OpFunctionParameter %pw
%entry = OpLabel
%gid3 = OpLoad %v3 %gids
%id = OpCompositeExtract %uint %gid3 0
%lid3 = OpLoad %v3 %lids
%local = OpCompositeExtract %uint %lid3 0
%pout = OpInBoundsPtrAccessChain %p %out %id
)" + code;
  return text;
}
inline std::string opencl_all(const std::string& header, const std::string& code, const std::string& functions = "") {
  return opencl_frame(header, code + "OpReturn\nOpFunctionEnd\n", functions);
}
inline std::string opencl_threads(const std::string& header, const std::vector<std::string>& threads) {
  std::string code = "OpSwitch %id %join";
  for (size_t k = 0; k < threads.size(); ++k) code += " " + std::to_string(k) + " %t" + std::to_string(k);
  code += "\n";
  for (size_t k = 0; k < threads.size(); ++k)
    code += "%t" + std::to_string(k) + " = OpLabel\n" + threads[k] + "OpBranch %join\n";
  return opencl_frame(header, code + "%join = OpLabel\nOpReturn\nOpFunctionEnd\n");
}

inline prog::Test read(const std::string& text, const spirv::LaunchOptions& launch = {}) {
  auto t = spirv::parse_spirv(make_source("t.spvasm", text), launch);
  EXPECT_TRUE(t.has_value()) << (t ? "" : render(t.error()));
  if (t) record(text, *t);
  return t ? std::move(*t) : prog::Test{};
}

// A line for a module: counts and a digest of its listing, or what is said of it and the hint.
inline std::string said_or_made(const std::string& what, const std::string& text, const spirv::LaunchOptions& o = {}) {
  const auto t = spirv::parse_spirv(make_source("t", text), o);
  std::string out = what + ": ";
  std::replace(out.begin(), out.end(), '\n', ';');
  if (t) return out + summary(*t) + "\n";
  for (const Diagnostic& d : t.error().list)
    out += place_of(d.span) + " " + (d.fault == Fault::unsupported ? "unsupported: " : "") + d.message + " | " + d.hint;
  return out + "\n";
}

inline Status verdict(const prog::Test& t, check::Property property, uint32_t bound = 2,
                      check::Engine engine = check::Engine::automatic) {
  const auto model = cat::load_model(cat::default_model(t.dialect), t.dialect);
  EXPECT_TRUE(model.has_value()) << (model ? "" : render(model.error()));
  check::Options o;
  o.property = property;
  o.bound = bound;
  o.engine = engine;
  Job job;
  const check::Result r = check::check(t, *model, o, job);
  return r.verdict.status;
}
inline Status ask(const std::string& text, uint32_t bound = 2, check::Engine engine = check::Engine::automatic) {
  return verdict(read(text), check::Property::condition, bound, engine);
}
inline Status races(const std::string& text, uint32_t bound = 2, check::Engine engine = check::Engine::automatic) {
  return verdict(read(text), check::Property::races, bound, engine);
}

}  // namespace spirv_test
