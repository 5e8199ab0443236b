#include "async/ptx9.h"

#include <fmt/format.h>

#include <algorithm>

#include "async/ptx9_code.h"
#include "async/ptx9_layout.h"
#include "emit/ptx_code.h"
#include "prog/mbarrier.h"

namespace fencepost::async {
namespace {

using namespace ptx9;

constexpr uint32_t k_parameter_limit = 4096;

class Maker {
 public:
  Maker(const prog::Test& test, uint32_t sm) : t_(test), sm_(sm), layout_(layout_of(test)) {}

  Ptx9Module run() {
    shape();
    records();
    std::string threads;
    for (const prog::Thread& th : t_.threads) threads += thread(th.id);
    out_.opaque_bytes = 8 * slots_;
    if (out_.opaque_bytes + 56 > k_parameter_limit)
      refuse(t_.span, "the test has more instructions than the parameters of one kernel can serve");
    if (sm_ != 0 && needs_.sm > sm_)
      refuse(t_.span, fmt::format("the test has instructions of sm_{}, and the device is sm_{}", needs_.sm, sm_));
    needs_.also({sm_ >= 120 ? 87u : sm_ >= 100 ? 86u : 80u, sm_});
    out_.version = needs_.version;
    out_.sm = needs_.sm;
    out_.text = head() + dispatch() + threads + traffic() + "END:\n\tret;\n}\n";
    return std::move(out_);
  }

 private:
  void shape() {
    out_.lanes = 32 * layout_.tree.warps;
    out_.clusters = layout_.tree.clusters;
    out_.ranks = layout_.ranks;
    if (layout_.tree.positions > 32)
      refuse(t_.span, fmt::format("{} threads share a warp of 32", layout_.tree.positions));
    if (out_.lanes > 1024) refuse(t_.span, fmt::format("{} warps share a CTA", layout_.tree.warps), "32 are the most");
    out_.memory_bytes = layout_.memory_bytes;
    out_.memory.assign(layout_.memory_bytes / 8, 0);
    for (size_t o = 0; o < t_.objects.size(); ++o) {
      const Place& p = layout_.objects[o];
      if (p.shared) continue;
      out_.memory[p.at / 8] = t_.objects[o].init.front();
      if (layout_.maps[o]) {
        out_.map_at.push_back(p.at);
        needs_.also({83, 90});
      }
    }
    out_.no_program = layout_.no_program;
    for (const prog::Symbol& s : t_.symbols) out_.aliases = out_.aliases || s.aliased != prog::k_none;
  }

  void records() {
    uint32_t at = 0;
    const auto next = [&] {
      at += 8;
      return at - 8;
    };
    for (size_t t = 0; t < t_.threads.size(); ++t) out_.status_at.push_back(next());
    out_.observables = layout_.observables;
    out_.untold = layout_.untold;
    told_.resize(t_.threads.size());
    for (const prog::Observable& o : out_.observables) {
      if (o.is_register) {
        out_.where.push_back({false, next()});
        told_[o.thread].push_back({o.reg, out_.where.back().at});
        continue;
      }
      const Place& p = layout_.objects[t_.symbols[o.symbol].object];
      out_.where.push_back({!p.shared, p.shared ? next() : p.at});
      if (p.shared) copied_.push_back({t_.symbols[o.symbol].object, out_.where.back().at});
    }
    out_.out_bytes = at;
  }

  uint32_t key(uint32_t thread) const {
    const plan::Seat& s = layout_.tree.seats[thread];
    return ((s.cluster * layout_.ranks + s.rank) * layout_.tree.warps + s.warp) * 32 + s.position;
  }

  std::string head() const {
    std::string out = fmt::format(".version {}.{}\n.target sm_{}a\n.address_size 64\n.file 1 \"test\"\n\n",
                                  needs_.version / 10, needs_.version % 10, needs_.sm);
    out += ".visible .entry test(\n";
    for (const char* p : {"memory", "aliases", "values", "out", "sync", "scratch", "settings"})
      out += fmt::format("\t.param .u64 {},\n", p);
    out += fmt::format("\t.param .align 8 .b8 opaque[{}]\n)\n", 8 * slots_);
    out += fmt::format(".explicitcluster\n.reqnctapercluster {}, 1, 1\n.maxntid {}, 1, 1\n{{\n", layout_.ranks,
                       out_.lanes);
    if (layout_.shared_bytes > 0)
      out += fmt::format("\t.shared .align 128 .b8 shared_memory[{}];\n", layout_.shared_bytes);
    return out;
  }

  // Which thread of which instance this lane is.
  std::string dispatch() const {
    std::string out = fmt::format("\t.loc 1 {} 0\n", emit::k_frame_line) + R"PTX(	.reg .pred %p, %stress, %few;
	.reg .b32 %lane, %cluster, %rank, %instances, %instance, %part, %key, %poll, %count, %word, %seed, %gaveup;
	.reg .b64 %memory, %aliases, %values, %out, %sync, %scratch, %settings, %limit, %at, %now, %until, %data;
	mov.u32 %lane, %tid.x;
	mov.u32 %cluster, %clusterid.x;
	mov.u32 %rank, %cluster_ctarank;
	mov.u32 %gaveup, 0;
	ld.param.u64 %settings, [settings];
	cvta.to.global.u64 %settings, %settings;
	ld.weak.global.u32 %instances, [%settings];
)PTX";
    out += fmt::format("\tdiv.u32 %instance, %cluster, {0};\n\trem.u32 %part, %cluster, {0};\n", out_.clusters);
    out += R"PTX(	setp.ge.u32 %stress, %instance, %instances;
	@%stress bra TRAFFIC;
)PTX";
    const auto record = [&](const char* name, uint32_t bytes) {
      out += fmt::format("\tld.param.u64 %{0}, [{0}];\n\tcvta.to.global.u64 %{0}, %{0};\n", name);
      if (bytes > 0) out += fmt::format("\tmad.wide.u32 %{0}, %instance, {1}, %{0};\n", name, bytes);
    };
    record("memory", out_.memory_bytes), record("aliases", out_.memory_bytes), record("values", 0);
    record("out", out_.out_bytes), record("sync", k_ptx9_sync_bytes);
    out += fmt::format("\tmad.lo.u32 %key, %part, {}, %rank;\n\tmad.lo.u32 %key, %key, {}, %lane;\n", layout_.ranks,
                       out_.lanes);
    for (const prog::Thread& th : t_.threads)
      out += fmt::format("\tsetp.eq.u32 %p, %key, {};\n\t@%p bra P{};\n", key(th.id), th.id);
    return out + "\tbra END;\n";
  }

  std::string thread(uint32_t t) {
    std::string out = fmt::format("P{}:\n", t);
    const std::string ready = initialise(t);
    Code code = code_of(t_, layout_, t, told_[t], slots_);
    slots_ = code.slots;
    needs_.also(code.needs);
    out_.sites.insert(out_.sites.end(), code.sites.begin(), code.sites.end());
    out += ready + meet(t) + code.text;
    out += "\tnanosleep.u32 2000;\n\tbarrier.cluster.arrive;\n\tbarrier.cluster.wait;\n";
    bool any = false;
    for (const auto& [object, at] : copied_) {
      if (t_.objects[object].home != t) continue;
      if (!any) out += "\tfence.proxy.async;\n";
      any = true;
      out +=
          fmt::format("\tld.volatile.shared.b64 %data, [shared_memory+{}];\n\tst.weak.global.b64 [%out+{}], %data;\n",
                      layout_.objects[object].at, at);
    }
    out += fmt::format(
        "\tmad.lo.u32 %word, %gaveup, 2, 1;\n\tcvt.u64.u32 %data, %word;\n\tst.weak.global.b64 [%out+{}], %data;\n"
        "\tbra END;\n",
        out_.status_at[t]);
    return out;
  }

  // The first values of the objects of this thread.
  std::string initialise(uint32_t t) const {
    std::string out;
    bool mbarriers = false;
    for (size_t o = 0; o < t_.objects.size(); ++o) {
      if (t_.objects[o].home != t) continue;
      const uint64_t v = t_.objects[o].init.front();
      const uint32_t at = layout_.objects[o].at;
      if (!t_.objects[o].mbarrier) {
        out += fmt::format("\tmov.b64 %data, {};\n\tst.weak.shared.b64 [shared_memory+{}], %data;\n",
                           static_cast<int64_t>(v), at);
      } else if (v != 0) {
        out += fmt::format("\tmbarrier.init.shared::cta.b64 [shared_memory+{}], {};\n", at, prog::mbarrier_expected(v));
        mbarriers = true;
      }
    }
    if (mbarriers) out += "\tfence.mbarrier_init.release.cluster;\n";
    return out + "\tfence.proxy.async;\n\tbarrier.cluster.arrive;\n\tbarrier.cluster.wait;\n";
  }

  // The threads of an instance begin together, then each waits a number of cycles of its own.
  std::string meet(uint32_t t) const {
    std::string out = "\tld.weak.global.u32 %word, [%settings+16];\n\tsetp.eq.u32 %p, %word, 0;\n";
    out += fmt::format("\t@%p bra COLD{};\n", t);
    for (size_t o = 0; o < t_.objects.size(); ++o)
      if (!layout_.objects[o].shared && !layout_.maps[o])
        out += fmt::format("\tld.weak.global.b64 %data, [%memory+{}];\n\tst.weak.global.b64 [%out+{}], %data;\n",
                           layout_.objects[o].at, out_.status_at[t]);
    out += fmt::format("COLD{}:\n", t);
    out += fmt::format(R"PTX(	red.relaxed.gpu.global.add.u32 [%sync], 1;
	mov.u32 %poll, 0;
MEET{0}:
	ld.relaxed.gpu.global.u32 %count, [%sync];
	add.u32 %poll, %poll, 1;
	setp.lt.u32 %few, %count, {1};
	setp.lt.and.u32 %p, %poll, 4096, %few;
	@%p bra MEET{0};
	ld.weak.global.u32 %seed, [%settings+8];
	mad.lo.u32 %word, %instance, 0x9E3779B1, %seed;
	add.u32 %word, %word, {2};
	mul.lo.u32 %word, %word, 0x85EBCA77;
	shr.u32 %count, %word, 15;
	xor.b32 %word, %word, %count;
	mul.lo.u32 %word, %word, 0xC2B2AE3D;
	shr.u32 %word, %word, 8;
	ld.weak.global.u32 %count, [%settings+4];
	add.u32 %count, %count, 1;
	rem.u32 %word, %word, %count;
	cvt.u64.u32 %until, %word;
	mov.u64 %now, %clock64;
	add.u64 %until, %until, %now;
DELAY{0}:
	mov.u64 %now, %clock64;
	setp.lt.u64 %p, %now, %until;
	@%p bra DELAY{0};
	mov.u64 %now, %globaltimer;
	ld.weak.global.u64 %limit, [%settings+24];
	add.u64 %limit, %limit, %now;
)PTX",
                       t, t_.threads.size(), static_cast<uint32_t>(0x27D4EB2Fu * (t + 1)));
    return out;
  }

  static std::string traffic() {
    return fmt::format(R"PTX(TRAFFIC:
	ld.param.u64 %scratch, [scratch];
	cvta.to.global.u64 %scratch, %scratch;
	ld.weak.global.u32 %count, [%settings+12];
	mov.u32 %poll, %ctaid.x;
	mad.lo.u32 %word, %poll, 977, %lane;
AGAIN:
	setp.eq.u32 %p, %count, 0;
	@%p bra END;
	sub.u32 %count, %count, 1;
	mad.lo.u32 %word, %word, 1664525, 1013904223;
	shr.u32 %poll, %word, 9;
	and.b32 %poll, %poll, {0};
	mad.wide.u32 %at, %poll, 8, %scratch;
	ld.relaxed.gpu.global.b64 %data, [%at];
	st.relaxed.gpu.global.b64 [%at], %data;
	bra AGAIN;
)PTX",
                       k_ptx9_scratch_bytes / 8 - 1);
  }

  const prog::Test& t_;
  uint32_t sm_;
  Layout layout_;
  Ptx9Module out_;
  Needs needs_;
  uint32_t slots_ = k_first_slot;
  std::vector<std::vector<Told>> told_;
  std::vector<std::pair<prog::ObjectId, uint32_t>> copied_;
};

}  // namespace

bool is_ptx9(const prog::Test& test) {
  return prog::needs_ptx9(test) != nullptr ||
         (test.dialect == prog::Dialect::ptx &&
          std::any_of(test.objects.begin(), test.objects.end(),
                      [](const prog::Object& o) { return o.home != prog::k_none; }));
}

std::vector<uint32_t> Ptx9Settings::words() const {
  return {instances,
          delay,
          seed,
          traffic,
          touch,
          0,
          static_cast<uint32_t>(limit_ns),
          static_cast<uint32_t>(limit_ns >> 32)};
}

uint32_t ptx9_groups(const Ptx9Module& m, uint32_t instances, uint32_t traffic) {
  const uint32_t one = m.clusters * m.ranks;
  return (instances + (traffic + one - 1) / one) * one;
}

Expected<Ptx9Module> ptx9_module(const prog::Test& test, uint32_t sm) {
  try {
    return Maker(test, sm).run();
  } catch (const Refused& r) {
    return std::unexpected(r.why);
  } catch (const emit::PtxUnsupported& u) {
    return unsupported_at(test.span, u.what, u.hint);
  }
}

}  // namespace fencepost::async
