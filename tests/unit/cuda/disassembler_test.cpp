// Our reading of machine code against NVIDIA's disassembler, where there is one that reads it (its raw mode knows
// sm_90).
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "async/ptx9.h"
#include "emit/kernel_ptx.h"
#include "inspect/cubin.h"
#include "kernels.h"
#include "plan/plan.h"
#include "read/read.h"
#include "standalone/run.h"

using namespace fencepost;
namespace fs = std::filesystem;

namespace {

std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return out;
  std::array<char, 4096> part{};
  for (size_t n = 0; (n = fread(part.data(), 1, part.size(), pipe)) > 0;) out.append(part.data(), n);
  pclose(pipe);
  return out;
}

std::vector<std::string> parts_of(const std::string& opcode) {
  std::vector<std::string> out;
  for (size_t at = 0; at <= opcode.size();) {
    const size_t end = std::min(opcode.find('.', at), opcode.size());
    out.push_back(opcode.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// "LDG.E.64.STRONG.GPU" as cubin.h writes it; "" for what is no memory instruction.
std::string ours(const std::string& opcode) {
  auto parts = parts_of(opcode);
  const std::string head = parts[0];
  parts.erase(parts.begin());
  std::erase(parts, "E");
  const auto has = [&](const char* w) { return std::find(parts.begin(), parts.end(), w) != parts.end(); };
  const auto among = [&](std::initializer_list<const char*> words, const char* otherwise) {
    for (const char* w : words)
      if (has(w)) return std::string(w);
    return std::string(otherwise);
  };
  const std::string size = among({"U8", "S8", "U16", "S16", "64", "128"}, "32");
  std::string order = has("CONSTANT") ? "CONSTANT" : "WEAK";
  for (const char* kind : {"STRONG", "MMIO"})
    if (has(kind)) order = std::string(kind) + "." + among({"SM", "GPU", "SYS"}, "?");
  if (head == "LDG" || head == "STG") return head + "." + size + "." + order;
  if (head == "LDS" || head == "STS") return head + "." + size;
  if (head == "ATOMG" || head == "REDG" || head == "ATOMS") {
    const std::string op = among({"ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH", "CAST", "CAS"}, "?");
    if (has("POPC")) return "ATOMS.POPC.INC.U32";
    const bool plain = op == "CAS" || op == "CAST";
    const std::string type = plain ? size : has("S32") ? "S32" : has("S64") ? "S64" : size == "64" ? "U64" : "U32";
    return head + "." + op + "." + type + (head == "ATOMS" ? "" : "." + order);
  }
  if (head == "MEMBAR") return "MEMBAR." + parts[0] + "." + parts[1];
  if (head == "ERRBAR" || head == "CGAERRBAR") return "ERRBAR";
  if (head == "CCTL" && has("IVALL")) return "CCTL.IVALL";
  if (head == "FENCE") return "FENCE.VIEW.ASYNC." + parts.back();
  if (head == "LD" || head == "ST") return head + "." + size + "." + order;
  if (head == "SYNCS") {
    // Of the others ours has the same words.
    const std::string what = parts[0] == "ARRIVE" || parts[0] == "PHASECHK" ? ""
                             : parts[0] == "EXCH"                           ? "EXCH.64"
                                                                            : "CCTL.IV";
    return what.empty() ? opcode : "SYNCS." + what;
  }
  if (head == "LDGSTS") return fmt::format("LDGSTS.{}{}", has("BYPASS") ? "BYPASS." : "", size);
  if (head == "UBLKRED" || head == "REDAS") {
    const std::string type = among({"S32", "S64", "U64"}, has("64") ? "U64" : "U32");
    const std::string op = among({"ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR"}, "?");
    return head + (head == "REDAS" ? "." : "." + parts[0] + "." + parts[1] + ".") + op + "." + type;
  }
  if (head == "STAS") return "STAS." + size;
  if (head == "USTGR") return fmt::format("USTGR.{}.{}", size, order);
  if (head == "UREDGR")
    return fmt::format("UREDGR.ADD.{}.{}", has("S32") ? "S32" : size == "64" ? "U64" : "U32", order);
  if (head == "DEPBAR") return has("LE") ? "DEPBAR.LE" : "";
  for (const char* same :
       {"LDGDEPBAR", "UTMACMDFLUSH", "UTMALDG", "UTMACCTL", "UBLKCP", "ARRIVES", "UCGABAR_ARV", "UCGABAR_WAIT"})
    if (head == same) return opcode;
  if (head == "BAR") return "BAR." + parts[0];
  return {};
}

void compare(const std::string& nvdisasm, const std::string& cubin, std::map<std::string, size_t>& seen) {
  const auto kernels = inspect::read_cubin(cubin);
  ASSERT_TRUE(kernels);
  const fs::path raw = fs::temp_directory_path() / fmt::format("fencepost-sass-{}", getpid());
  for (const inspect::CubinKernel& k : *kernels) {
    std::ofstream file(raw, std::ios::binary);
    for (const auto& i : k.code) {
      file.write(reinterpret_cast<const char*>(&i.low), 8);
      file.write(reinterpret_cast<const char*>(&i.high), 8);
    }
    file.close();
    std::map<uint64_t, std::string> theirs;
    const std::string text = output_of(fmt::format("'{}' -b SM90 '{}'", nvdisasm, raw.string()));
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      const std::string line = text.substr(at, end - at);
      at = end + 1;
      const size_t open = line.find("/*"), close = line.find("*/");
      if (open == std::string::npos || close == std::string::npos) continue;
      size_t begin = line.find_first_not_of(" {", close + 2);
      if (begin != std::string::npos && line[begin] == '@') begin = line.find_first_not_of(' ', line.find(' ', begin));
      if (begin == std::string::npos) continue;
      theirs[std::stoull(line.substr(open + 2), nullptr, 16)] =
          line.substr(begin, line.find_first_of(" ;", begin) - begin);
    }
    ASSERT_GT(theirs.size(), k.code.size() / 2) << "nothing was disassembled";
    for (const auto& i : k.code) {
      if (!theirs.contains(i.address)) continue;  // printed in another form
      if ((i.low >> 12 & 0xf) == 0xf) continue;   // @!PT: never executed
      std::string read = inspect::memory_instruction(i);
      if (read.starts_with("DEPBAR.LE.")) read = "DEPBAR.LE";  // the number is an operand
      EXPECT_EQ(read, ours(theirs[i.address])) << k.name << fmt::format(" {:x} ", i.address) << theirs[i.address];
      if (const std::string m = inspect::memory_instruction(i); !m.empty()) ++seen[m];
    }
  }
  fs::remove(raw);
}

}  // namespace

TEST(Disassembler, AgreesOnMemoryInstructions) {
  SKIP_WITHOUT_PTXAS();
  const char* nvdisasm = std::getenv("FENCEPOST_NVDISASM");
  if (nvdisasm == nullptr) GTEST_SKIP() << "FENCEPOST_NVDISASM does not name NVIDIA's disassembler";
  std::map<std::string, size_t> seen;
  compare(nvdisasm, device::cuda::assemble(*ptxas(), emit::kernel_ptx(every_statement())->text, 90).cubin, seen);
  for (const char* example : {"MP", "CAS-SL", "DLB-MP", "SB+membar.gls", "SB-mixed"}) {
    const auto tests = read::parse_file(fmt::format("{}/examples/thesis/{}.litmus", FENCEPOST_SOURCE_DIR, example));
    ASSERT_TRUE(tests);
    const auto program = plan::make_program(tests->front(), standalone::h200(), {});
    ASSERT_TRUE(program);
    for (const auto& k : program->kernels)
      compare(nvdisasm, device::cuda::assemble(*ptxas(), emit::kernel_ptx(k)->text, 90).cubin, seen);
  }
  std::vector<std::string> all;
  for (const char* o : {"acquire.sys", "relaxed.cta", "volatile"}) all.push_back(fmt::format("ld.{} x", o));
  for (const char* o : {"release.sys", "relaxed.cta", "volatile"}) all.push_back(fmt::format("st.{} x 1", o));
  for (const char* o : {"acq_rel.cta", "acq_rel.sys"})
    all.push_back(fmt::format("atom.{}.add x 1", o)), all.push_back(fmt::format("fence.{}", o));
  for (const char* f :
       {"ld.mmio.relaxed.sys x", "st.mmio.relaxed.sys x 1", "fence.proxy.alias", "fence.proxy.async", "bar.cta.sync"})
    all.emplace_back(f);
  for (const uint8_t width : {uint8_t{32}, uint8_t{64}})
    compare(nvdisasm, device::cuda::assemble(*ptxas(), emit::kernel_ptx(role_of(all, false, width))->text, 90).cubin,
            seen);
  for (const auto& [what, n] : seen) std::cout << "  " << n << " " << what << "\n";
  EXPECT_GE(seen.size(), 40u);
}

TEST(Disassembler, AgreesOnAsynchronousInstructions) {
  SKIP_WITHOUT_PTXAS();
  const char* nvdisasm = std::getenv("FENCEPOST_NVDISASM");
  if (nvdisasm == nullptr) GTEST_SKIP() << "FENCEPOST_NVDISASM does not name NVIDIA's disassembler";
  std::map<std::string, size_t> seen;
  for (const char* name : {"bulk+mbarrier",
                           "cp.async+two-groups-second",
                           "cp.async.mbarrier.arrive",
                           "mbarrier-drop-last",
                           "cp.async.mbarrier.arrive.noinc",
                           "red.async+mbarrier",
                           "st.async+mbarrier",
                           "reduce+group",
                           "bulk-store+both-fence",
                           "observed-group",
                           "MP+barrier.cluster",
                           "mbarrier-use-after-inval",
                           "mbarrier-expect-complete",
                           "acquire-by-observed-copy",
                           "MP+mbarrier-wait.relaxed",
                           "MP+st.v2",
                           "peer-write+issuer-fences-cluster",
                           "MP+restricted-peer-data",
                           "tensormap+acquire",
                           "bulk-source+fence.proxy.async.global",
                           "bulk-to-peer",
                           "mbarrier-too-many-arrivals"}) {
    const auto tests = read::parse_file(fmt::format("{}/examples/ptx9/{}.litmus", FENCEPOST_SOURCE_DIR, name));
    ASSERT_TRUE(tests);
    const auto m = async::ptx9_module(tests->front());
    ASSERT_TRUE(m);
    const auto out = device::cuda::assemble(*ptxas(), m->text, m->sm);
    if (!out.cubin.empty()) compare(nvdisasm, out.cubin, seen);
  }
  EXPECT_GE(seen.size(), 45u);
}
