#include "prog/shape.h"

#include <algorithm>

#include "prog/shape_cuda.h"
#include "prog/syntax.h"

namespace fencepost::prog {

const char* name(Aspect a) {
  switch (a) {
    case Aspect::order:
      return "order";
    case Aspect::scope:
      return "scope";
    case Aspect::semantics:
      return "semantics";
    case Aspect::access:
      return "access";
    case Aspect::presence:
      return "presence";
  }
  return "order";
}

std::vector<std::string> words_of(const std::string& dotted) {
  std::vector<std::string> out;
  for (size_t at = 0; at <= dotted.size();) {
    const size_t end = std::min(dotted.find('.', at), dotted.size());
    out.push_back(dotted.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

Shape shape_of(const Test& test, const Instr& i) {
  Shape s;
  s.kind = i.kind;
  s.mnemonic = i.mnemonic;
  if (test.syntax == Syntax::opencl || test.syntax == Syntax::cuda) s.spelling = i.spelling;
  s.tags = i.tags;
  s.store_tags = i.store_tags;
  return s;
}

void set_shape(const Test& test, Instr& i, const Shape& s) {
  i.mnemonic = s.mnemonic;
  if (test.syntax == Syntax::opencl || test.syntax == Syntax::cuda) i.spelling = s.spelling;
  // A failed compare-exchange may not be ordered more than a successful one: what that loses, this loses too.
  if (test.syntax == Syntax::opencl && s.mnemonic.starts_with("atomic_compare_exchange")) {
    i.failed_tags = opencl_failed_tags(s.tags, s.spelling);
  } else if (i.failed_tags) {
    for (Tag t : {Tag::ACQ, Tag::SEMVIS, Tag::SEMSC0, Tag::SEMSC1, Tag::SEMSC2, Tag::SEMSC3, Tag::SG, Tag::WG, Tag::QF,
                  Tag::DV, Tag::ALL}) {
      const bool scope = t == Tag::SG || t == Tag::WG || t == Tag::QF || t == Tag::DV || t == Tag::ALL;
      if (i.tags.has(t) && !s.tags.has(t)) i.failed_tags->remove(t);
      if (scope && !i.tags.has(t) && s.tags.has(t)) i.failed_tags->add(t);
    }
  }
  i.tags = s.tags;
  i.store_tags = s.store_tags;
}

Surroundings surroundings_of(const Test& test) {
  Surroundings out;
  const auto add = [](std::vector<Tag>& to, Tag t) {
    if (std::find(to.begin(), to.end(), t) == to.end()) to.push_back(t);
  };
  for (Tag t : {Tag::SC0, Tag::SC1, Tag::SC2, Tag::SC3, Tag::TEX, Tag::SUR, Tag::CON, Tag::ASYNC})
    for (const Template& code : test.templates)
      for (const Instr& i : code.code)
        if ((i.kind == Kind::load || i.kind == Kind::store || i.kind == Kind::rmw) && i.tags.has(t))
          add(t == Tag::TEX || t == Tag::SUR || t == Tag::CON || t == Tag::ASYNC ? out.proxies : out.classes, t);
  for (const Symbol& s : test.symbols)
    if (s.aliased != k_none) add(out.proxies, Tag::ALIAS);
  out.clusters = has_clusters(test);
  out.global = false;
  for (const Object& o : test.objects) (o.tags.has(Tag::LOCAL) ? out.local : out.global) = true;
  return out;
}

std::vector<Step> weaker(Syntax syntax, const Shape& s, bool clusters) {
  if (s.absent) return {};
  switch (syntax) {
    case Syntax::ptx:
      return ptx_steps(s, false, clusters);
    case Syntax::gpu_ptx:
      return gpu_ptx_steps(s, false);
    case Syntax::vulkan:
      return vulkan_steps(s, false, {});
    case Syntax::opencl:
      return opencl_steps(s, false, {});
    case Syntax::spirv:
      return spirv_steps(s, false, {});
    case Syntax::cuda:
      return cuda_steps(s, false);
    default:
      return {};
  }
}

std::vector<Step> stronger(Syntax syntax, const Shape& s, const Surroundings& around) {
  if (s.absent) {
    std::vector<Step> out;
    if (s.kind == Kind::fence)
      for (Shape& f : weakest_fences(syntax, around)) out.push_back({Aspect::presence, std::move(f)});
    return out;
  }
  switch (syntax) {
    case Syntax::ptx:
      return ptx_steps(s, true, around.clusters);
    case Syntax::gpu_ptx:
      return gpu_ptx_steps(s, true);
    case Syntax::vulkan:
      return vulkan_steps(s, true, around.classes);
    case Syntax::opencl:
      return opencl_steps(s, true, around);
    case Syntax::spirv:
      return spirv_steps(s, true, around.classes);
    case Syntax::cuda:
      return cuda_steps(s, true);
    default:
      return {};
  }
}

std::vector<Shape> weakest_fences(Syntax syntax, const Surroundings& around) {
  std::vector<Shape> out;
  switch (syntax) {
    case Syntax::ptx:
      if (around.host) {
        out.push_back(ptx_fence("mfence", {Tag::F, Tag::GEN, Tag::SC, Tag::SYS, Tag::HOST}));
        break;
      }
      out.push_back(ptx_fence("fence.acq_rel.cta", {Tag::F, Tag::GEN, Tag::ACQ_REL, Tag::CTA}));
      for (Tag t : around.proxies)
        out.push_back(ptx_fence(t == Tag::TEX     ? "fence.proxy.texture"
                                : t == Tag::SUR   ? "fence.proxy.surface"
                                : t == Tag::CON   ? "fence.proxy.constant"
                                : t == Tag::ASYNC ? "fence.proxy.async"
                                                  : "fence.proxy.alias",
                                {Tag::F, t}));
      break;
    case Syntax::gpu_ptx:
      out.push_back(ptx_fence("membar.cta", {Tag::F, Tag::SC, Tag::GEN, Tag::CTA}));
      break;
    case Syntax::vulkan:
    case Syntax::spirv:
      for (bool acquire : {true, false})
        for (Tag t : around.classes) {
          out.push_back(vulkan_fence(acquire, t));
          if (syntax == Syntax::spirv) out.back().mnemonic = "OpMemoryBarrier: " + out.back().mnemonic;
        }
      break;
    case Syntax::opencl:
      for (bool acquire : {true, false}) {
        if (around.global) out.push_back(opencl_fence(acquire, false));
        if (around.local) out.push_back(opencl_fence(acquire, true));
      }
      break;
    case Syntax::cuda:
      for (bool acquire : {true, false}) out.push_back(cuda_fence(acquire));
      break;
    default:
      break;
  }
  return out;
}

}  // namespace fencepost::prog
