#include "spirv/flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

#include "spirv/order.h"

namespace fencepost::spirv {

using spv::Op;

namespace {

constexpr size_t k_most_segments = 20000;

class Inliner {
 public:
  explicit Inliner(const Module& m) : m_(m) {}

  Flow run() {
    for (const Instruction& i : m_.words().instructions)
      if (static_cast<Op>(i.op) == Op::OpControlBarrier)
        flow_.barriers.emplace(&i, static_cast<uint32_t>(flow_.barriers.size()));
    frame(m_.entry(), k_nowhere, nullptr, "");
    order();
    return std::move(flow_);
  }

 private:
  uint32_t frame(const Function& f, uint32_t caller, const Instruction* call, std::string path) {
    for (uint32_t c = caller; c != k_nowhere; c = flow_.frames[c].caller)
      if (flow_.frames[c].function == &f)
        m_.fail(*call, fmt::format("{} calls itself", m_.name(f.id)), "SPIR-V has no recursion");
    if (f.blocks.empty())
      m_.refuse(*call, fmt::format("{} has no body", m_.name(f.id)), "only functions of this module can be called");
    const auto id = static_cast<uint32_t>(flow_.frames.size());
    flow_.frames.push_back({&f, caller, call, k_nowhere, k_nowhere, std::move(path)});
    std::map<Id, uint32_t> first;
    struct Piece {
      uint32_t segment;
      const Instruction* last;
    };
    std::vector<Piece> ends;  // terminators
    uint32_t calls = 0;
    for (const Block& b : f.blocks) {
      size_t begin = 0;
      uint32_t segment = open(id, b, begin);
      first[b.label] = segment;
      if (flow_.frames[id].entry == k_nowhere) flow_.frames[id].entry = segment;
      for (size_t k = 0; k < b.code.size(); ++k) {
        if (static_cast<Op>(b.code[k]->op) != Op::OpFunctionCall) continue;
        flow_.segments[segment].end = k + 1;
        const uint32_t before = segment;
        segment = open(id, b, k + 1);
        const std::string here = fmt::format("{}c{}.", flow_.frames[id].path, ++calls);
        const uint32_t callee = frame(m_.function(b.code[k]->word(0), *b.code[k]), id, b.code[k], here);
        flow_.segments[before].callee = callee;
        flow_.frames[callee].resume = segment;
        flow_.segments[before].next = {flow_.frames[callee].entry};
        for (const uint32_t r : returns_[callee]) flow_.segments[r].next = {segment};
      }
      flow_.segments[segment].end = b.code.size();
      ends.push_back({segment, b.code.back()});
    }
    for (const Piece& p : ends) {
      std::vector<uint32_t>& next = flow_.segments[p.segment].next;
      const auto to = [&](Id label) {
        const auto it = first.find(label);
        if (it == first.end()) m_.fail(*p.last, fmt::format("{} is not a block of this function", m_.name(label)));
        if (std::find(next.begin(), next.end(), it->second) == next.end()) next.push_back(it->second);
      };
      switch (static_cast<Op>(p.last->op)) {
        case Op::OpBranch:
          to(p.last->word(0));
          break;
        case Op::OpBranchConditional:
          to(p.last->word(1));
          to(p.last->word(2));
          break;
        case Op::OpSwitch:
          for (size_t k = 2; k < p.last->size(); k += 2) to(p.last->word(k + 1));
          to(p.last->word(1));
          break;
        case Op::OpReturn:
        case Op::OpReturnValue:
          returns_[id].push_back(p.segment);
          break;
        default:
          break;
      }
    }
    return id;
  }

  uint32_t open(uint32_t frame, const Block& b, size_t begin) {
    if (flow_.segments.size() > k_most_segments)
      m_.refuse(*b.code.front(), "the kernel is too large once its calls are inlined");
    flow_.segments.push_back({frame, &b, begin, begin, k_nowhere, {}});
    return static_cast<uint32_t>(flow_.segments.size() - 1);
  }

  void order() {
    std::vector<std::vector<uint32_t>> next;
    for (const Segment& g : flow_.segments) next.push_back(g.next);
    flow_.order = loops_together(next, flow_.frames[0].entry);
    flow_.rank.assign(next.size(), k_nowhere);
    for (uint32_t k = 0; k < flow_.order.size(); ++k) flow_.rank[flow_.order[k]] = k;
  }

  const Module& m_;
  Flow flow_;
  std::map<uint32_t, std::vector<uint32_t>> returns_;
};

}  // namespace

Flow inline_calls(const Module& m) { return Inliner(m).run(); }

}  // namespace fencepost::spirv
