#include "inspect/async_sass.h"

#include <fmt/format.h>

#include <algorithm>

#include "prog/shape.h"

namespace fencepost::inspect {
namespace {

using Sequence = std::vector<std::string>;
using Alternatives = std::vector<Sequence>;

struct Words {
  std::vector<std::string> of;        // of the mnemonic
  std::vector<std::string> operands;  // as written
  bool has(std::string_view w) const { return std::find(of.begin(), of.end(), w) != of.end(); }
  bool begins(std::initializer_list<std::string_view> with) const {
    size_t k = 0;
    return of.size() >= with.size() &&
           std::all_of(with.begin(), with.end(), [&](std::string_view w) { return of[k++] == w; });
  }
  // The first of these words that the mnemonic has, or "".
  std::string among(std::initializer_list<const char*> words) const {
    for (const char* w : words)
      if (has(w)) return w;
    return {};
  }
};

Words split(const std::string& instruction) {
  const size_t blank = std::min(instruction.find(' '), instruction.size());
  Words out;
  out.of = prog::words_of(instruction.substr(0, blank));
  std::string word;
  int depth = 0;
  for (size_t k = blank; k < instruction.size(); ++k) {
    const char c = instruction[k];
    depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    if (c == ',' && depth == 0)
      out.operands.push_back(std::move(word)), word.clear();
    else if (c != ' ')
      word += c;
  }
  if (!word.empty()) out.operands.push_back(std::move(word));
  return out;
}

std::string upper(std::string s) {
  for (char& c : s) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return s;
}
bool is_number(const std::string& s) {
  return !s.empty() && s.size() < 4 && s.find_first_not_of("0123456789") == std::string::npos;
}

// "ADD.U64". Types without a sign in the name have bits alone.
std::string operation_of(const Words& w) {
  const std::string what = w.among({"add", "min", "max", "inc", "dec", "and", "or", "xor"});
  const std::string& type = w.of.back();
  if (w.has("noftz") || type.front() == 'f') return {};  // another type in the machine code
  if (what.empty() || type.size() != 3 || (type.substr(1) != "32" && type.substr(1) != "64")) return {};
  return fmt::format("{}.{}{}", upper(what), type[0] == 's' ? 'S' : 'U', type.substr(1));
}

Alternatives wait(const Words& w, Sequence after) {
  if (w.operands.empty() || !is_number(w.operands.front())) return {};
  after.insert(after.begin(), "DEPBAR.LE." + w.operands.front());
  return {after};
}

std::string scope_of(const Words& w) {
  const std::string s = w.among({"cta", "cluster", "gpu", "sys"});
  return s == "cta" ? "SM" : s == "sys" ? "SYS" : "GPU";
}

Alternatives bulk(const Words& w) {
  if (w.has("multicast::cluster") || w.has("prefetch") || w.has("L2::cache_hint")) return {};
  if (w.begins({"cp", "async", "bulk", "tensor"})) {
    const std::string rank = w.among({"1d", "2d", "3d", "4d", "5d"});
    const bool loads = (w.has("shared::cta") || w.has("shared::cluster")) && w.has("mbarrier::complete_tx::bytes");
    for (const std::string& s : w.of)
      if (s.starts_with("im2col") || s.starts_with("tile::")) return {};
    return rank.empty() || !loads ? Alternatives{} : Alternatives{{"UTMALDG." + upper(rank)}};
  }
  if (w.has("tensor")) return {};
  if (w.has("commit_group")) return {{"UTMACMDFLUSH"}};
  if (w.has("wait_group")) return wait(w, w.has("read") ? Sequence{} : Sequence{"CCTL.IVALL"});
  std::string way;
  for (const std::string& s : w.of)
    if (s == "global" || s.starts_with("shared")) way += s == "global" ? ".G" : ".S";
  if (way.size() != 4) return {};
  if (w.of.front() == "cp" && w.has("reduce")) {
    const std::string what = operation_of(w);
    return what.empty() || w.has("relaxed") ? Alternatives{} : Alternatives{{fmt::format("UBLKRED{}.{}", way, what)}};
  }
  return {{fmt::format("UBLKCP{}{}", way, w.has("relaxed") ? ".STRONG." + scope_of(w) : "")}};
}

Alternatives copy(const Words& w) {
  if (w.has("bulk")) return bulk(w);
  if (w.has("commit_group")) return {{"LDGDEPBAR"}};
  if (w.has("wait_all")) return {{"LDGDEPBAR", "DEPBAR.LE.0"}};
  if (w.has("wait_group")) return wait(w, {});
  if (w.begins({"cp", "async", "mbarrier", "arrive", "noinc"})) return {{"ARRIVES.LDGSTSBAR.64.ARVCNT"}};
  if (w.begins({"cp", "async", "mbarrier", "arrive"}))
    return {{"SYNCS.ARRIVE.TRANS64.RED.A0T1", "ARRIVES.LDGSTSBAR.64.TRANSCNT"}};
  if (w.operands.size() != 3 || !is_number(w.operands[2])) return {};
  const std::string bits = std::to_string(8 * std::stoul(w.operands[2]));
  if (w.begins({"cp", "async", "ca"})) return {{"LDGSTS." + bits}};
  if (w.begins({"cp", "async", "cg"})) return {{"LDGSTS.BYPASS." + bits}};
  return {};
}

Alternatives arrival(const Words& w) {
  const bool counted = w.operands.size() == (w.has("expect_tx") ? 4 : 3);
  if (w.has("expect_tx") && counted) return {};
  const std::string count = w.has("expect_tx") ? "" : counted ? ".ART0" : ".A1T0";
  const std::string drop = w.of[1] == "arrive_drop" ? ".OPTOUT" : "";
  const bool peer = w.has("shared::cluster"), generic = !peer && !w.has("shared") && !w.has("shared::cta");
  Alternatives out;
  for (const char* red : {"", ".RED"})
    for (const char* mask : {"", ".TMASK"}) {
      if (!generic && peer != (*red != 0)) continue;
      if (*mask != 0 && !w.has("noComplete")) continue;
      out.push_back({fmt::format("SYNCS.ARRIVE.TRANS64{}{}{}{}", red, mask, drop, count)});
      if (w.has("cluster") && !w.has("relaxed")) out.back().insert(out.back().begin(), "MEMBAR.ALL.GPU");
    }
  return out;
}

Alternatives mbarrier(const Words& w) {
  if (w.of.size() < 2 || w.has("layout") || w.has("phase_type")) return {};
  const std::string& what = w.of[1];
  if (what == "pending_count") return {{}};  // of a register
  if (what == "init") return {{"SYNCS.EXCH.64"}, {"FENCE.VIEW.ASYNC.S", "SYNCS.EXCH.64"}};
  if (what == "inval") return {{"SYNCS.CCTL.IV"}};
  if (what == "arrive" || what == "arrive_drop") return arrival(w);
  if (what == "expect_tx") return {{"SYNCS.ARRIVE.TRANS64.RED.A0TR"}};
  if (what == "complete_tx") return {{"SYNCS.ARRIVE.TRANS64.RED.A0TX"}};
  if (what != "test_wait" && what != "try_wait") return {};
  Sequence out = {what == "test_wait" ? "SYNCS.PHASECHK.TRANS64" : "SYNCS.PHASECHK.TRANS64.TRYWAIT"};
  if (w.operands.size() == 4) out.emplace_back("SYNCS.PHASECHK.TRANS64");
  if (w.has("cluster") && !w.has("relaxed")) out.emplace_back("CCTL.IVALL");
  return {out};
}

std::optional<Alternatives> fence(const Words& w) {
  if (w.begins({"fence", "mbarrier_init", "release", "cluster"})) return Alternatives{{}};
  if (w.begins({"fence", "acquire", "sync_restrict::shared::cluster", "cluster"})) return Alternatives{{}};
  if (w.begins({"fence", "release", "sync_restrict::shared::cta", "cluster"}))
    return Alternatives{{"MEMBAR.ALL.CTA", "FENCE.VIEW.ASYNC.S"}};
  if (!w.begins({"fence", "proxy"}) || w.of.size() < 3) return std::nullopt;
  const std::string& proxy = w.of[2];
  if (proxy == "alias" && w.of.size() > 3) {
    if (w.has("acquire") && w.has("sys")) return Alternatives{{"CCTL.IVALL"}};
    if (w.has("release") && w.has("sys")) return Alternatives{{"MEMBAR.ALL.SYS"}};
    return Alternatives{};
  }
  if (proxy == "async::generic") {
    if (w.has("acquire") || w.has("sync_restrict::shared::cluster::read")) return Alternatives{{}};
    return Alternatives{{"MEMBAR.ALL.CTA", "FENCE.VIEW.ASYNC.S"}};
  }
  if (proxy == "tensormap::generic") {
    if (w.has("release")) return Alternatives{{w.has("sys") ? "MEMBAR.ALL.SYS" : "MEMBAR.ALL.GPU"}};
    if (w.has("acquire")) return Alternatives{{"UTMACCTL.IV"}, {"UTMACCTL.IV", "UTMACMDFLUSH"}};
    return Alternatives{};
  }
  if (proxy == "async" && w.has("shared::cluster")) return Alternatives{{"MEMBAR.ALL.GPU", "FENCE.VIEW.ASYNC.S"}};
  if (proxy == "alias" || proxy == "async") return std::nullopt;
  return Alternatives{};
}

// An asynchronous write that releases.
Alternatives released(const std::string& write, const Words& w) {
  const Sequence now = {"MEMBAR.ALL.CTA", fmt::format("{}.STRONG.{}", write, scope_of(w))};
  Sequence then = now;
  then.emplace_back("DEPBAR.LE.0");
  return {now, then};
}

}  // namespace

std::optional<std::vector<std::vector<std::string>>> async_sass(const std::string& instruction) {
  const Words w = split(instruction);
  const std::string& head = w.of.front();
  if (head == "cp") return copy(w);
  if (head == "mbarrier") return mbarrier(w);
  if (head == "fence") return fence(w);
  if (w.begins({"barrier", "cluster", "arrive"}))
    return w.has("relaxed") ? Alternatives{{"UCGABAR_ARV"}} : Alternatives{{"MEMBAR.ALL.GPU", "UCGABAR_ARV"}};
  if (w.begins({"barrier", "cluster", "wait"})) return Alternatives{{"UCGABAR_WAIT", "CCTL.IVALL"}};
  if (w.begins({"st", "async"})) {
    const std::string& type = w.of.back();
    if (w.has("v2") || w.has("v4") || type.size() != 3) return Alternatives{};
    if (w.has("release")) return released("USTGR." + type.substr(1), w);
    return Alternatives{{"STAS." + type.substr(1)}};
  }
  if (w.begins({"red", "async"})) {
    const std::string what = operation_of(w);
    if (what.empty()) return Alternatives{};
    if (w.has("release") || w.has("global")) return released("UREDGR." + (what == "ADD.S64" ? "ADD.U64" : what), w);
    return Alternatives{{"REDAS." + what}};
  }
  if (w.begins({"bar", "warp", "sync"})) return Alternatives{{"WARPSYNC"}};
  if (w.begins({"tensormap", "replace", "tile", "global_address", "global", "b1024", "b64"}))
    return Alternatives{
        {"STG.64.WEAK"}, {"STG.64.WEAK", "LDG.32.WEAK", "STG.32.WEAK"}, {"LDG.32.WEAK", "STG.64.WEAK", "STG.32.WEAK"}};
  const bool known = head == "ld" || head == "st" || head == "atom" || head == "red" || head == "membar" ||
                     (head == "barrier" && w.of.size() == 2) || w.begins({"barrier", "cta"});
  return known ? std::nullopt : std::optional(Alternatives{});
}

}  // namespace fencepost::inspect
