#include "looped.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "read/read.h"

namespace fencepost::fuzz {
namespace {

const char* k_names[] = {"x", "y"};

std::string label(size_t thread, size_t at) { return fmt::format("LC{}{}", thread, at); }

// What an access looks like; the same for all when there is no generator.
class Accents {
 public:
  Accents(Machine m, Rng* rng) : machine_(m), rng_(rng) {}

  std::string place(size_t thread) {
    const uint64_t group = rng_ != nullptr ? rng_->below(2) : 0;
    return machine_ == Machine::vulkan ? fmt::format("P{}@sg {}, wg {}, qf 0", thread, thread, group)
                                       : fmt::format("P{}@cta {}, gpu 0", thread, group);
  }

  std::string load(const std::string& r, const std::string& x) {
    if (machine_ == Machine::vulkan) {
      if (odd(8)) return fmt::format("ld.vis.dv.sc0 {}, {}", r, x);
      return odd(3) ? fmt::format("ld.atom.acq{}.sc0.semsc0 {}, {}", scope(), r, x)
                    : fmt::format("ld.atom{}.sc0 {}, {}", scope(), r, x);
    }
    if (odd(8)) return fmt::format("ld.weak {}, {}", r, x);
    return fmt::format("ld.{}{} {}, {}", odd(3) ? "acquire" : "relaxed", scope(), r, x);
  }

  std::string store(const std::string& x, uint32_t v) {
    if (machine_ == Machine::vulkan) {
      if (odd(8)) return fmt::format("st.av.dv.sc0 {}, {}", x, v);
      return odd(3) ? fmt::format("st.atom.rel{}.sc0.semsc0 {}, {}", scope(), x, v)
                    : fmt::format("st.atom{}.sc0 {}, {}", scope(), x, v);
    }
    if (odd(8)) return fmt::format("st.weak {}, {}", x, v);
    return fmt::format("st.{}{} {}, {}", odd(3) ? "release" : "relaxed", scope(), x, v);
  }

  std::string exchange(const std::string& r, const std::string& x, uint32_t v) {
    if (machine_ == Machine::vulkan)
      return odd(3) ? fmt::format("rmw.atom.acq_rel{}.sc0.semsc0 {}, {}, {}", scope(), r, x, v)
                    : fmt::format("rmw.atom{}.sc0 {}, {}, {}", scope(), r, x, v);
    return fmt::format("atom.{}{}.exch {}, {}, {}", odd(3) ? "acq_rel" : "relaxed", scope(), r, x, v);
  }

  // A fence or a barrier before an instruction, or nothing.
  std::string between() {
    if (odd(7))
      return machine_ == Machine::vulkan ? "membar.acq_rel.dv.semsc0"
             : odd(2)                    ? "fence.acq_rel.gpu"
                                         : "fence.sc" + scope();
    if (odd(24)) return machine_ == Machine::vulkan ? "cbar.wg 1" : "bar.cta.sync 1";
    return "";
  }

 private:
  bool odd(uint64_t one_in) { return rng_ != nullptr && rng_->below(one_in) == 0; }
  std::string scope() {
    const bool wide = rng_ == nullptr || rng_->below(3) != 0;
    if (machine_ == Machine::vulkan) return wide ? ".dv" : ".wg";
    return wide ? ".gpu" : ".cta";
  }
  Machine machine_;
  Rng* rng_;
};

std::string make(const axb::Test& test, Machine machine, Rng* rng) {
  Accents accents(machine, rng);
  std::vector<std::string> heads;
  std::vector<std::vector<std::string>> cells;
  size_t rows = 0;
  for (size_t t = 0; t < test.threads.size(); ++t) {
    heads.push_back(accents.place(t));
    auto& c = cells.emplace_back();
    const auto& code = test.threads[t].code;
    for (size_t k = 0; k < code.size(); ++k) {
      const axb::Instr& in = code[k];
      const std::string x = k_names[in.location];
      const std::string r = fmt::format("r{}", k);
      c.push_back(label(t, k) + ":");
      if (const std::string extra = accents.between(); !extra.empty()) c.push_back(extra);
      if (axb::is_store(in, static_cast<uint32_t>(k))) {
        c.push_back(accents.store(x, in.value));
        continue;
      }
      c.push_back(in.exchanges ? accents.exchange(r, x, in.value) : accents.load(r, x));
      c.push_back(fmt::format("beq {}, {}, {}", r, in.check, label(t, in.jump)));
    }
    c.push_back(label(t, code.size()) + ":");
    rows = std::max(rows, c.size());
  }
  std::string out = machine == Machine::vulkan ? "VULKAN looped\n{ " : "PTX looped\n{ ";
  for (size_t l = 0; l < test.locations.size(); ++l)
    out += fmt::format("{} = {}; ", k_names[l], test.locations[l].init);
  out += "}\n";
  for (size_t t = 0; t < heads.size(); ++t) out += (t == 0 ? " " : " | ") + heads[t];
  out += " ;\n";
  for (size_t i = 0; i < rows; ++i) {
    for (size_t t = 0; t < cells.size(); ++t)
      out += (t == 0 ? " " : " | ") + (i < cells[t].size() ? cells[t][i] : std::string());
    out += " ;\n";
  }
  return out + "exists (x == 0)\n";
}

}  // namespace

axb::Test random_looped(Rng& rng, const LoopedShape& shape) {
  axb::Test test;
  for (uint32_t l = 0; l < shape.locations; ++l) test.locations.push_back({k_names[l], 0});
  test.threads.resize(shape.threads);
  for (uint32_t k = 0; k < shape.instructions; ++k) {
    auto& code = test.threads[k < shape.threads ? k : rng.below(shape.threads)].code;
    code.emplace_back();
  }
  for (axb::Thread& t : test.threads)
    for (uint32_t k = 0; k < t.code.size(); ++k) {
      axb::Instr& in = t.code[k];
      in.location = static_cast<uint32_t>(rng.below(shape.locations));
      in.exchanges = rng.below(2) == 0;
      in.value = in.exchanges ? static_cast<uint32_t>(rng.below(2)) : 0;
      in.jump = static_cast<uint32_t>(rng.below(t.code.size() + 1));
      if (in.exchanges && rng.below(3) == 0) in.jump = k + 1;
      in.check = in.exchanges && in.jump == k + 1 ? 0 : static_cast<uint32_t>(rng.below(2));
    }
  return test;
}

std::string litmus_of(const axb::Test& test, Machine machine) { return make(test, machine, nullptr); }
std::string litmus_of(const axb::Test& test, Machine machine, Rng& rng) { return make(test, machine, &rng); }

std::string random_opencl(Rng& rng) {
  const auto order = [&](const char* strong) {
    const uint64_t k = rng.below(4);
    return k == 0   ? std::string("memory_order_seq_cst")
           : k == 1 ? std::string(strong)
                    : std::string("memory_order_relaxed");
  };
  const auto scope = [&] { return rng.below(3) == 0 ? "memory_scope_work_group" : "memory_scope_device"; };
  const auto place = [&] { return k_names[rng.below(2)]; };
  const auto store = [&] {
    return fmt::format("atomic_store_explicit({}, {}, {}, {});", place(), rng.below(2), order("memory_order_release"),
                       scope());
  };
  std::string out = "OPENCL looped\n{ x = 0; y = 0; }\n";
  const uint64_t threads = 2 + (rng.below(4) == 0 ? 1 : 0);
  for (uint64_t t = 0; t < threads; ++t) {
    out += fmt::format("P{}@wg {}, dev 0 (global atomic_int* x, global atomic_int* y) {{\n", t, rng.below(2));
    const uint64_t statements = 1 + rng.below(3);
    for (uint64_t k = 0; k < statements; ++k) {
      const std::string r = fmt::format("r{}", k);
      switch (rng.below(6)) {
        case 0:
        case 1:
          out += "  " + store() + "\n";
          break;
        case 2: {
          const std::string load =
              fmt::format("{} = atomic_load_explicit({}, {}, {});", r, place(), order("memory_order_acquire"), scope());
          out += fmt::format(
              "  int {}\n  while ({} == {}) {{ {}{} }}\n", load, r, rng.below(2),
              rng.below(4) == 0
                  ? "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device); "
                  : "",
              load);
          break;
        }
        case 3: {
          const std::string swap = fmt::format("{} = atomic_exchange_explicit({}, {}, {}, {});", r, place(),
                                               rng.below(2), order("memory_order_acq_rel"), scope());
          out += fmt::format("  int {}\n  while ({} == {}) {{ {} }}\n", swap, r, rng.below(2), swap);
          break;
        }
        case 4:
          out += fmt::format("  int {} = atomic_load_explicit({}, {}, {});\n  if ({} == {}) {{ {} }}\n", r, place(),
                             order("memory_order_acquire"), scope(), r, rng.below(2), store());
          break;
        default:
          out += rng.below(4) == 0
                     ? "  barrier(CLK_GLOBAL_MEM_FENCE);\n"
                     : "  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);\n";
      }
    }
    out += "}\n";
  }
  return out + "exists (x == 0)\n";
}

std::string random_lock(Rng& rng, Machine machine) {
  const uint64_t threads = 2 + (rng.below(4) == 0 ? 1 : 0);
  const bool looks = rng.below(4) == 0, reads = rng.below(4) != 0, writes = rng.below(4) != 0,
             fences = rng.below(4) == 0;
  const uint64_t take = rng.below(3), give = rng.below(5), narrow = rng.below(4), op = rng.below(3);
  const uint64_t group = rng.below(3) == 0 ? 2 : 1;
  // The question: who found what in y, and what is there in the end.
  std::string question = rng.below(2) == 0 ? "exists (" : "forall (";
  for (uint64_t t = 0; t < 2; ++t)
    question += reads && rng.below(4) != 0
                    ? fmt::format("{}{}:r1 == {}",
                                  t == 0              ? ""
                                  : rng.below(2) == 0 ? " /\\ "
                                                      : " \\/ ",
                                  machine == Machine::ptx ? fmt::format("P{}", t) : fmt::format("{}", t), rng.below(3))
                    : fmt::format("{}{} == {}",
                                  t == 0              ? ""
                                  : rng.below(2) == 0 ? " /\\ "
                                                      : " \\/ ",
                                  rng.below(2) == 0 ? "x" : "y", rng.below(3));
  question += ")\n";
  if (machine == Machine::opencl) {
    const char* orders[] = {"memory_order_acquire", "memory_order_relaxed", "memory_order_seq_cst"};
    const char* back[] = {"memory_order_release", "memory_order_relaxed", "memory_order_seq_cst"};
    const auto scope = [&](uint64_t which) {
      return narrow == which ? "memory_scope_work_group" : "memory_scope_device";
    };
    std::string out = "OPENCL lock\n{ x = 0; y = 0; }\n";
    for (uint64_t t = 0; t < threads; ++t) {
      out += fmt::format("P{}@wg {}, dev 0 (global atomic_int* x, global int* y) {{\n", t, t / group);
      const std::string swap = fmt::format("r0 = atomic_exchange_explicit(x, 1, {}, {});", orders[take], scope(0));
      const std::string look = "r2 = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device); ";
      if (looks) out += "  int r2 = 0;\n";
      out += fmt::format("  int {}\n  while (r0 == 1) {{ {}{} }}\n", swap, looks ? look : "", swap);
      if (fences) out += "  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);\n";
      if (reads) out += "  int r1 = *y;\n";
      if (writes) out += reads ? "  *y = r1 + 1;\n" : "  *y = 1;\n";
      if (give < 3) out += fmt::format("  atomic_store_explicit(x, 0, {}, {});\n", back[give], scope(1));
      if (give == 3) out += fmt::format("  int r3 = atomic_exchange_explicit(x, 0, {}, {});\n", back[0], scope(1));
      out += "}\n";
    }
    return out + question;
  }
  const char* orders[] = {"acquire", "relaxed", "acq_rel"};
  const char* back[] = {"st.release.{} x, 0", "st.relaxed.{} x, 0", "atom.release.{}.exch r3, x, 0", "st.weak x, 0"};
  const auto scope = [&](uint64_t which) { return narrow == which ? "cta" : "gpu"; };
  std::vector<std::vector<std::string>> rows;
  for (uint64_t t = 0; t < threads; ++t) {
    std::vector<std::string> code{fmt::format("P{}@cta {},gpu 0", t, t / group), fmt::format("LC{}0:", t)};
    if (looks) code.push_back(fmt::format("ld.relaxed.gpu r2, x"));
    code.push_back(fmt::format("atom.{}.{}.{}", orders[take], scope(0), op == 0 ? "exch r0, x, 1" : "cas r0, x, 0, 1"));
    code.push_back(fmt::format("bne r0, 0, LC{}0", t));
    if (fences) code.push_back("fence.acq_rel.gpu");
    if (reads) code.push_back("ld.weak r1, y");
    if (reads && writes) code.push_back("add r4, r1, 1");
    if (writes) code.push_back(reads ? "st.weak y, r4" : "st.weak y, 1");
    if (give < 4) code.push_back(fmt::format(fmt::runtime(back[give]), scope(1)));
    rows.push_back(std::move(code));
  }
  std::string out = "PTX lock\n{ x = 0; y = 0; }\n";
  for (size_t k = 0; k < rows[0].size(); ++k) {
    for (size_t t = 0; t < rows.size(); ++t) out += (t == 0 ? " " : " | ") + rows[t][k];
    out += " ;\n";
  }
  return out + question;
}

prog::Test looped_test(const std::string& text) {
  auto t = read::parse_one(make_source("looped", text));
  if (t) return *std::move(t);
  fmt::print(stderr, "a generated program cannot be read: {}{}\n", render(t.error()), text);
  std::exit(2);
}

}  // namespace fencepost::fuzz
