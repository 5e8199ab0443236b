#pragma once
// The synchronising part of one instruction, apart from its operands: its mnemonic (OPENCL: also the spelt orders,
// scopes and flags) and the event tags that these give. One step weaker or stronger is a cover of the order of the
// dialect's specification: nothing lies between the two. Tags and text change together, as the front end would read
// the new text (tests/unit/weaken holds the two to each other).
//
//   PTX      ld acquire > relaxed > weak, st release > relaxed > weak, atom and red acq_rel > acquire, release >
//            relaxed, fence sc > acq_rel > absent, scopes sys > gpu > cta, and gpu > cluster > cta in a test that has
//            clusters; an order is taken away at the narrowest scope only, which is what makes steps covers. volatile
//            is relaxed at sys.
//   GPU_PTX  membar.sys > .gl > .cta > absent; volatile > none. atom and red have no orders there.
//   VULKAN   acq_rel > acq, rel > none; scopes dv > qf > wg > sg; every semscN, semav and semvis is a step; of plain
//            accesses av and vis > nonpriv > none. Atomic accesses stay atomic.
//   OPENCL   seq_cst > acq_rel > acquire, release > relaxed; all_svm_devices > device > work_group; a fence without
//            an order is absent; CLK_..._MEM_FENCE flags. Atomic accesses stay atomic, plain ones plain.
//   SPIR-V   for Vulkan (GLSL too) as VULKAN; what fails of a compare-exchange keeps no more than what succeeds.
//            Kernels of the OpenCL model have no steps yet.
// `.test` notations have no steps.
#include <string>
#include <vector>

#include "prog/test.h"

namespace fencepost::prog {

enum class Aspect : uint8_t { order, scope, semantics, access, presence };
const char* name(Aspect a);

struct Shape {
  Kind kind = Kind::fence;
  bool absent = false;
  std::string mnemonic;
  std::vector<std::string> spelling;  // OPENCL only; elsewhere operands live there
  TagSet tags, store_tags;
  bool operator==(const Shape&) const = default;
};
Shape shape_of(const Test& test, const Instr& i);
void set_shape(const Test& test, Instr& i, const Shape& s);  // not for absent ones

struct Step {
  Aspect aspect = Aspect::order;
  Shape to;
};

// What a strengthening may make use of: the storage classes and memory regions that the program has.
struct Surroundings {
  std::vector<Tag> classes;           // VULKAN: SC0.. of its accesses
  bool global = true, local = false;  // OPENCL
  std::vector<Tag> proxies;           // PTX: of its accesses, without GEN; ALIAS where a location has two names
  bool clusters = false;              // PTX: has_clusters, and the steps of a scope go through .cluster
  bool host = false;                  // PTX: the thread is on the host, and its fences are x86's
};
Surroundings surroundings_of(const Test& test);

std::vector<Step> weaker(Syntax syntax, const Shape& s, bool clusters = false);
std::vector<Step> stronger(Syntax syntax, const Shape& s, const Surroundings& around);
std::vector<Shape> weakest_fences(Syntax syntax, const Surroundings& around);  // one step above `absent`

// ---- by dialect --------------------------------------------------------------------------------------
std::vector<Step> ptx_steps(const Shape& s, bool up, bool clusters);
std::vector<Step> gpu_ptx_steps(const Shape& s, bool up);
std::vector<Step> vulkan_steps(const Shape& s, bool up, const std::vector<Tag>& classes);
// SPIR-V of the Vulkan model: the steps of the VULKAN form with the same tags; the form's text is "OPERATION: that
// form".
std::vector<Step> spirv_steps(const Shape& s, bool up, const std::vector<Tag>& classes);
std::vector<Step> opencl_steps(const Shape& s, bool up, const Surroundings& around);
Shape ptx_fence(const std::string& mnemonic, TagSet tags);
Shape vulkan_fence(bool acquire, Tag storage_class);
Shape opencl_fence(bool acquire, bool local);
// Of a compare-exchange: the tags of its read where it fails, by its spelling (order, failure order, ...); none where
// they are those of success.
std::optional<TagSet> opencl_failed_tags(const TagSet& success, const std::vector<std::string>& spelling);
std::vector<std::string> words_of(const std::string& dotted);

}  // namespace fencepost::prog
