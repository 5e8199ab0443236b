#include "hunt/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>

namespace fencepost::hunt {
namespace {

std::string trimmed(std::string_view s) {
  const size_t from = s.find_first_not_of(" \t;"), to = s.find_last_not_of(" \t;");
  return from == std::string_view::npos ? std::string() : std::string(s.substr(from, to - from + 1));
}

// "@!P0 LDS.64 R4, [UR5+0x20]" into guard, opcode and operands.
void take_apart(MachineInstruction& i, const std::string& text) {
  std::string rest = text;
  if (rest.starts_with("@")) {
    const size_t end = rest.find(' ');
    i.guard = rest.substr(1, end - 1);
    rest = trimmed(std::string_view(rest).substr(std::min(end, rest.size())));
    if (i.guard == "PT" || i.guard == "UPT") i.guard.clear();
  }
  const size_t end = rest.find(' ');
  i.opcode = rest.substr(0, end);
  if (end == std::string::npos) return;
  std::string one;
  int depth = 0;
  for (const char c : rest.substr(end)) {
    if (c == '[' || c == '{' || c == '(') ++depth;
    if (c == ']' || c == '}' || c == ')') --depth;
    if (c == ',' && depth == 0) {
      i.operands.push_back(trimmed(one));
      one.clear();
    } else {
      one += c;
    }
  }
  if (!trimmed(one).empty()) i.operands.push_back(trimmed(one));
}

std::string text_of(const MachineInstruction& i) {
  std::string out = (i.guard.empty() ? "" : "@" + i.guard + " ") + i.opcode;
  for (size_t k = 0; k < i.operands.size(); ++k) out += (k == 0 ? " " : ", ") + i.operands[k];
  return out;
}

// The label that an operand names: "`(.L_x_3)", "(*\"BRANCH_TARGETS .L_x_3\"*)".
std::string label_in(const MachineInstruction& i) {
  for (const std::string& o : i.operands)
    if (const size_t at = o.find(".L_x_"); at != std::string::npos) {
      const size_t end = o.find_first_not_of("0123456789", at + 5);
      return o.substr(at, end == std::string::npos ? end : end - at);
    } else if (o.starts_with("`($") && o.ends_with(")")) {
      return o.substr(2, o.size() - 3);
    }
  return {};
}

// What may follow each instruction. A call goes to code behind the kernel, which returns to what follows a call; BSYNC
// goes on behind itself or at the place that its BSSY names.
Expected<void> connect(MachineKernel& k) {
  std::map<std::string, size_t> at;
  for (size_t n = 0; n < k.code.size(); ++n)
    if (!k.code[n].label.empty()) at[k.code[n].label] = n;
  std::vector<size_t> returns;  // what stands behind a call
  for (size_t n = 0; n + 1 < k.code.size(); ++n)
    if (k.code[n].base() == "CALL") returns.push_back(n + 1);
  std::map<std::string, size_t> meeting;  // of a barrier register, by the last BSSY
  for (size_t n = 0; n < k.code.size(); ++n) {
    MachineInstruction& i = k.code[n];
    const std::string base = i.base();
    const bool is_branch = base == "BRA" || base == "JMP" || base == "CALL";
    bool falls_through = true;
    if (base == "EXIT" || base == "RET") falls_through = !i.guard.empty();
    if (base == "RET") i.next = returns;
    if (is_branch) {
      const auto to = at.find(label_in(i));
      if (to == at.end())
        return error_at({}, fmt::format("{}: {} at {:#x} goes to an unknown place", k.name, i.opcode, i.address));
      i.next.push_back(to->second);
      // A second operand is a predicate of its own; DIV and ANY ask the warp.
      falls_through = !i.guard.empty() || i.operands.size() > 1 || i.opcode.find(".DIV") != std::string::npos ||
                      i.opcode.find(".CONV") != std::string::npos || i.opcode.find(".ANY") != std::string::npos;
    }
    if (base == "BSSY" && !i.operands.empty())
      if (const auto to = at.find(label_in(i)); to != at.end()) meeting[i.operands[0]] = to->second;
    if (base == "BSYNC" && !i.operands.empty())
      if (const auto to = meeting.find(i.operands[0]); to != meeting.end()) i.next.push_back(to->second);
    if (falls_through && n + 1 < k.code.size()) i.next.push_back(n + 1);
    std::sort(i.next.begin(), i.next.end());
    i.next.erase(std::unique(i.next.begin(), i.next.end()), i.next.end());
  }
  return {};
}

struct Listed {
  std::string label, text;
};
using ListedKernels = std::map<std::string, std::map<uint64_t, Listed>>;

// Lines such as "        /*0130*/   @!P0 LDS.64 R4, [UR5+0x20] ;" in sections ".text.NAME".
ListedKernels read_listing(const std::string& listing) {
  ListedKernels out;
  std::string kernel, label, line;
  std::istringstream lines(listing);
  while (std::getline(lines, line)) {
    if (line.starts_with(".text.") && line.ends_with(":")) {
      kernel = line.substr(6, line.size() - 7);
      label.clear();
      out[kernel];
      continue;
    }
    if ((line.starts_with(".L_") || line.starts_with("$")) && line.ends_with(":")) {
      label = line.substr(0, line.size() - 1);
      continue;
    }
    const size_t from = line.find("/*"), to = line.find("*/");
    if (kernel.empty() || from == std::string::npos || to == std::string::npos) continue;
    uint64_t address = 0;
    const auto r = std::from_chars(line.data() + from + 2, line.data() + to, address, 16);
    if (r.ec != std::errc() || r.ptr != line.data() + to) continue;
    const std::string text = trimmed(std::string_view(line).substr(to + 2));
    if (text.empty()) continue;
    out[kernel][address] = {label, text};
    label.clear();
  }
  return out;
}

// Behind the last instruction that can be reached stand a branch to itself and padding.
void cut_padding(MachineKernel& k) {
  size_t end = k.code.size();
  while (end > 0 && (k.code[end - 1].base() == "NOP" ||
                     (k.code[end - 1].base() == "BRA" && label_in(k.code[end - 1]) == k.code[end - 1].label)))
    --end;
  k.code.resize(end);
}

}  // namespace

bool MachineInstruction::has(std::string_view modifier) const {
  const std::string whole = opcode + ".", part = "." + std::string(modifier) + ".";
  return whole.find(part) != std::string::npos;
}

Expected<std::vector<MachineKernel>> read_machine(const std::vector<inspect::CubinKernel>& binary,
                                                  const std::string& listing) {
  const ListedKernels listed = read_listing(listing);
  std::vector<MachineKernel> out;
  for (const inspect::CubinKernel& b : binary) {
    const auto found = listed.find(b.name);
    if (found == listed.end()) return error_at({}, fmt::format("the listing has no kernel '{}'", b.name));
    MachineKernel k{b.name, b.sm, {}};
    for (const inspect::SassInstruction& s : b.code) {
      const auto text = found->second.find(s.address);
      if (text == found->second.end())
        return error_at({}, fmt::format("the listing of {} has nothing at {:#x}", b.name, s.address));
      MachineInstruction i;
      i.address = s.address;
      i.line = s.line;
      const auto sets = static_cast<uint32_t>(s.high >> 46 & 7);
      if (sets != 7) i.sets = sets;
      i.waits = static_cast<uint32_t>(s.high >> 52 & 0x3f);
      i.label = text->second.label;
      take_apart(i, text->second.text);
      k.code.push_back(std::move(i));
    }
    cut_padding(k);
    if (const auto ok = connect(k); !ok) return std::unexpected(ok.error());
    out.push_back(std::move(k));
  }
  return out;
}

std::string record(const MachineKernel& k) {
  std::string out;
  for (const MachineInstruction& i : k.code)
    out += fmt::format("{:04x} {} {} {:02x} {}| {}\n", i.address, i.line, i.sets ? std::to_string(*i.sets) : "-",
                       i.waits, i.label.empty() ? "" : i.label + ": ", text_of(i));
  return out;
}

Expected<MachineKernel> read_record(const std::string& name, uint32_t sm, const std::string& text) {
  MachineKernel k{name, sm, {}};
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    const size_t bar = line.find(" | "), other = line.find("| ");
    if (other == std::string::npos) continue;
    std::istringstream head(line.substr(0, bar == std::string::npos ? other : bar));
    MachineInstruction i;
    std::string sets;
    if (!(head >> std::hex >> i.address >> std::dec >> i.line >> sets >> std::hex >> i.waits))
      return error_at({}, fmt::format("'{}' is not a line of a record", line));
    if (sets != "-") i.sets = static_cast<uint32_t>(sets[0] - '0');
    if (std::string label; head >> label) i.label = label.substr(0, label.find(':'));
    take_apart(i, trimmed(std::string_view(line).substr(other + 2)));
    k.code.push_back(std::move(i));
  }
  if (const auto ok = connect(k); !ok) return std::unexpected(ok.error());
  return k;
}

}  // namespace fencepost::hunt
