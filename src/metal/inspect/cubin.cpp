// Reads sections, line rows (DWARF 2 to 4, section 6.2: the state machine of .debug_line) and instructions of 128 bits.
// NVIDIA publishes no encoding. The bits below were found by assembling one instruction at a time for sm_80 and sm_90
// and comparing with NVIDIA's disassembler, so each is a fact about what was assembled: an instruction whose bits were
// not seen there gets another text, and the gate (ptx_gate.h) then says that it does not know it.
//
// Code that stands in several copies must have all of the test in each. Looking for each instruction somewhere was not
// enough: a test whose code was there twice, once without its fence, passed as written.
#include "inspect/cubin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

namespace fencepost::inspect {
namespace {

// Thrown inside this file for whatever does not fit; read_cubin makes it a diagnostic.
struct Damaged {
  std::string what;
};

class Bytes {
 public:
  explicit Bytes(std::string_view all) : all_(all) {}
  std::string_view part(uint64_t at, uint64_t size) const {
    if (at > all_.size() || size > all_.size() - at) throw Damaged{"a part lies outside the file"};
    return all_.substr(at, size);
  }
  uint64_t number(uint64_t at, unsigned size) const {
    const std::string_view s = part(at, size);
    uint64_t out = 0;
    for (unsigned k = 0; k < size; ++k) out |= uint64_t{static_cast<unsigned char>(s[k])} << (8 * k);
    return out;
  }
  std::string text(uint64_t at) const {
    const std::string_view s = part(at, all_.size() - std::min<uint64_t>(at, all_.size()));
    const size_t end = s.find('\0');
    if (end == std::string_view::npos) throw Damaged{"a name does not end"};
    return std::string(s.substr(0, end));
  }
  uint64_t size() const { return all_.size(); }

 private:
  std::string_view all_;
};

struct Section {
  std::string name;
  uint32_t type = 0, info = 0;
  std::string_view data;
};

// Reads a section from its begin to its end.
class Stream {
 public:
  explicit Stream(std::string_view data) : bytes_(data) {}
  bool at_end(uint64_t end) const { return at >= end; }
  uint64_t number(unsigned size) {
    const uint64_t v = bytes_.number(at, size);
    at += size;
    return v;
  }
  uint64_t leb() {
    uint64_t out = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const uint64_t b = number(1);
      out |= (b & 0x7f) << shift;
      if ((b & 0x80) == 0) return out;
    }
    throw Damaged{"a number does not end"};
  }
  int64_t signed_leb() {
    uint64_t out = 0;
    for (unsigned shift = 0; shift < 64;) {
      const uint64_t b = number(1);
      out |= (b & 0x7f) << shift;
      shift += 7;
      if ((b & 0x80) == 0)
        return static_cast<int64_t>((b & 0x40) != 0 && shift < 64 ? out | (~uint64_t{0} << shift) : out);
    }
    throw Damaged{"a number does not end"};
  }
  std::string text() {
    std::string s = bytes_.text(at);
    at += s.size() + 1;
    return s;
  }
  uint64_t at = 0;

 private:
  Bytes bytes_;
};

struct Row {
  uint64_t address = 0;
  uint32_t line = 0;
  bool end = false;
};
using Lines = std::map<uint64_t, std::vector<Row>>;  // by section index of the code

std::vector<Section> sections_of(const Bytes& file) {
  if (file.size() < 64 || file.part(0, 4) != std::string_view("\177ELF", 4)) throw Damaged{"it is not an ELF file"};
  if (file.number(4, 1) != 2 || file.number(5, 1) != 1) throw Damaged{"it is not a 64-bit little-endian ELF file"};
  constexpr uint64_t k_cuda = 190;
  if (file.number(18, 2) != k_cuda) throw Damaged{"its machine is not CUDA"};
  const uint64_t table = file.number(40, 8), entry = file.number(58, 2), count = file.number(60, 2),
                 names = file.number(62, 2);
  if (entry < 64 || count > 100'000 || names >= count) throw Damaged{"its section table is damaged"};
  const auto header = [&](uint64_t k) { return table + k * entry; };
  constexpr uint64_t k_nobits = 8;
  const auto data = [&](uint64_t k) {
    if (file.number(header(k) + 4, 4) == k_nobits) return std::string_view();
    return file.part(file.number(header(k) + 24, 8), file.number(header(k) + 32, 8));
  };
  const Bytes text(data(names));
  std::vector<Section> out;
  for (uint64_t k = 0; k < count; ++k)
    out.push_back({text.text(file.number(header(k), 4)), static_cast<uint32_t>(file.number(header(k) + 4, 4)),
                   static_cast<uint32_t>(file.number(header(k) + 44, 4)), data(k)});
  return out;
}

const Section* find(const std::vector<Section>& sections, std::string_view name) {
  const auto at = std::find_if(sections.begin(), sections.end(), [&](const Section& s) { return s.name == name; });
  return at == sections.end() ? nullptr : &*at;
}

// Where the addresses of .debug_line point: offset in it -> (section, address).
std::map<uint64_t, std::pair<uint64_t, uint64_t>> targets_of(const std::vector<Section>& sections) {
  std::map<uint64_t, std::pair<uint64_t, uint64_t>> out;
  const Section* symbols = find(sections, ".symtab");
  if (symbols == nullptr) return out;
  const Bytes table(symbols->data);
  for (const auto& [name, entry] : {std::pair{".rela.debug_line", 24u}, std::pair{".rel.debug_line", 16u}}) {
    const Section* s = find(sections, name);
    if (s == nullptr) continue;
    const Bytes b(s->data);
    for (uint64_t at = 0; at + entry <= b.size(); at += entry) {
      const uint64_t symbol = b.number(at + 8, 8) >> 32, addend = entry == 24 ? b.number(at + 16, 8) : 0;
      out[b.number(at, 8)] = {table.number(symbol * 24 + 6, 2), table.number(symbol * 24 + 8, 8) + addend};
    }
  }
  return out;
}

// One unit of .debug_line, DWARF 2 to 4, section 6.2.
void read_unit(Stream& s, uint64_t end, const std::map<uint64_t, std::pair<uint64_t, uint64_t>>& targets, Lines& out) {
  const uint64_t version = s.number(2);
  if (version < 2 || version > 4) throw Damaged{fmt::format("its line information has version {}", version)};
  const uint64_t header = s.number(4), program = s.at + header;
  const uint64_t least = s.number(1);
  if (version == 4) s.number(1);
  s.number(1);
  const auto base = static_cast<int8_t>(s.number(1));
  const uint64_t range = s.number(1), opcodes = s.number(1);
  if (range == 0 || opcodes == 0) throw Damaged{"its line information is damaged"};
  std::vector<uint64_t> lengths(opcodes, 0);
  for (uint64_t k = 1; k < opcodes; ++k) lengths[k] = s.number(1);
  s.at = program;
  uint64_t section = ~uint64_t{0}, address = 0;
  int64_t line = 1;
  const auto row = [&](bool last) {
    out[section].push_back({address, static_cast<uint32_t>(std::max<int64_t>(line, 0)), last});
  };
  while (!s.at_end(end)) {
    const uint64_t op = s.number(1);
    if (op >= opcodes) {
      address += (op - opcodes) / range * least;
      line += base + static_cast<int64_t>((op - opcodes) % range);
      row(false);
      continue;
    }
    switch (op) {
      case 0: {  // extended
        const uint64_t size = s.leb(), next = s.at + size;
        const uint64_t which = size > 0 ? s.number(1) : 0;
        if (which == 1) {
          row(true);
          address = 0;
          line = 1;
          section = ~uint64_t{0};
        } else if (which == 2) {
          const auto target = targets.find(s.at);
          address = s.number(static_cast<unsigned>(std::min<uint64_t>(size - 1, 8)));
          if (target != targets.end()) section = target->second.first, address = target->second.second;
        }
        s.at = next;
        break;
      }
      case 1:
        row(false);
        break;
      case 2:
        address += s.leb() * least;
        break;
      case 3:
        line += s.signed_leb();
        break;
      case 8:
        address += (255 - opcodes) / range * least;
        break;
      case 9:
        address += s.number(2);
        break;
      default:
        for (uint64_t k = 0; k < lengths[op]; ++k) s.leb();
    }
  }
}

Lines lines_of(const std::vector<Section>& sections) {
  Lines out;
  const Section* s = find(sections, ".debug_line");
  if (s == nullptr || s->data.empty()) return out;
  const auto targets = targets_of(sections);
  Stream stream(s->data);
  while (!stream.at_end(s->data.size())) {
    const uint64_t size = stream.number(4), end = stream.at + size;
    if (end > s->data.size()) throw Damaged{"its line information is cut off"};
    read_unit(stream, end, targets, out);
    stream.at = end;
  }
  return out;
}

// The row with the greatest address that is not beyond.
uint32_t line_at(const std::vector<Row>& rows, uint64_t address) {
  const Row* best = nullptr;
  for (const Row& r : rows)
    if (r.address <= address && (best == nullptr || r.address >= best->address)) best = &r;
  return best == nullptr || best->end ? 0 : best->line;
}

}  // namespace

Expected<std::vector<CubinKernel>> read_cubin(std::string_view bytes) {
  try {
    const Bytes file(bytes);
    const std::vector<Section> sections = sections_of(file);
    const Lines lines = lines_of(sections);
    // ABI 8 (CUDA 13) has the architecture in the second byte of the flags, older ones in the first.
    const uint64_t flags = file.number(48, 4), abi = file.number(8, 1);
    const auto sm = static_cast<uint32_t>((abi >= 8 ? flags >> 8 : flags) & 0xff);
    std::vector<CubinKernel> out;
    for (size_t k = 0; k < sections.size(); ++k) {
      const Section& s = sections[k];
      if (!s.name.starts_with(".text.") || s.data.empty()) continue;
      CubinKernel kernel{s.name.substr(6), sm, false, {}};
      const auto rows = lines.find(k);
      kernel.has_lines = rows != lines.end() && !rows->second.empty();
      const Bytes code(s.data);
      for (uint64_t at = 0; at + 16 <= code.size(); at += 16)
        kernel.code.push_back(
            {at, code.number(at, 8), code.number(at + 8, 8), kernel.has_lines ? line_at(rows->second, at) : 0});
      out.push_back(std::move(kernel));
    }
    return out;
  } catch (const Damaged& d) {
    return error_at({}, "the binary of the device cannot be read: " + d.what);
  }
}

// ---- instructions ----------------------------------------------------------------------------------------------
// Bits 0..8 are the operation; bit 9 and up say which operands are constants or uniform registers. Of the high word:
// bits 9..11 size of an access or type of an atomic, 12..16 how it is ordered, 23..26 which atomic operation.
namespace {

uint64_t field(uint64_t word, unsigned at, unsigned size) { return (word >> at) & ((uint64_t{1} << size) - 1); }

std::string size_of(uint64_t high) {
  static constexpr const char* names[] = {"U8", "S8", "U16", "S16", "32", "64", "128", "U128"};
  return names[field(high, 9, 3)];
}

// Loads and stores carry bit 12, atomics do not.
std::string order_of(uint64_t high) {
  switch (field(high, 12, 5) | 1) {
    case 0x01:
      return field(high, 12, 5) == 0 ? "?0" : "WEAK";
    case 0x09:
      return "CONSTANT";
    case 0x0b:
      return "STRONG.SM";
    case 0x0f:
      return "STRONG.GPU";
    case 0x15:
      return "STRONG.SYS";
    case 0x19:
      return "MMIO.SYS";
    default:
      return fmt::format("?{:x}", field(high, 12, 5));
  }
}

std::string atomic_of(uint64_t high) {
  static constexpr const char* names[] = {"ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH"};
  const uint64_t op = field(high, 23, 4);
  if (op == 11) return "POPC.INC";  // adds the number of lanes that name one place
  return op < 9 ? names[op] : fmt::format("?{}", op);
}

std::string type_of(uint64_t high) {
  static constexpr const char* names[] = {"U32", "S32", "U64", "S64"};
  const uint64_t t = field(high, 9, 3);
  return t < 4 ? names[t] : fmt::format("?{}", t);
}

// Of accesses by generic addresses, and of asynchronous copies, none means weak.
std::string weak_order_of(uint64_t high) {
  const std::string order = order_of(high | uint64_t{1} << 12);
  return order == "WEAK" ? "" : "." + order;
}

// Destination and source, S or G.
std::string direction_of(uint64_t high) {
  static constexpr const char* names[] = {".?", ".S.G", ".G.S", ".S.S"};
  return names[field(high, 9, 2)];
}

std::string syncs(const SassInstruction& i) {
  const uint64_t h = i.high;
  static constexpr const char* counts[] = {"", ".A1T0", ".A0T1", ".A0TR", ".A0TX", ".ART0", ".?6", ".?7"};
  if (field(i.low, 9, 3) == 2) return fmt::format("SYNCS.PHASECHK.TRANS64{}", field(h, 8, 1) != 0 ? ".TRYWAIT" : "");
  if (field(i.low, 9, 3) != 4) return "SYNCS.?";
  return fmt::format("SYNCS.ARRIVE.TRANS64{}{}{}{}", field(h, 10, 1) != 0 ? ".RED" : "",
                     field(h, 9, 1) != 0 ? ".TMASK" : "", field(h, 11, 1) != 0 ? ".OPTOUT" : "",
                     counts[field(h, 20, 3)]);
}

// What came with asynchronous PTX (sm_90; LDGSTS and what waits for it: sm_80); "" for others.
std::string asynchronous(const SassInstruction& i) {
  const uint64_t h = i.high;
  switch (field(i.low, 0, 9)) {
    case 0x1ae:
      return fmt::format("LDGSTS{}.{}{}", field(h, 17, 1) != 0 ? "" : ".BYPASS", size_of(h), weak_order_of(h));
    case 0x1af:
      return "LDGDEPBAR";
    case 0x11a:  // without .LE it waits for its own results
      return field(i.low, 47, 1) != 0 ? fmt::format("DEPBAR.LE.{}", field(i.low, 38, 6)) : "";
    case 0x1ba:
      return fmt::format("UBLKCP{}{}{}", direction_of(h), field(h, 11, 1) != 0 ? ".MULTICAST" : "", weak_order_of(h));
    case 0x1bb:
      return fmt::format("UBLKRED{}.{}.{}", direction_of(h), atomic_of(h), type_of(field(h, 17, 2) << 9));
    case 0x1b4:
      return fmt::format("UTMALDG.{}D{}{}", field(h, 15, 3) + 1, field(h, 18, 2) != 0 ? ".IM2COL" : "",
                         field(h, 11, 1) != 0 ? ".MULTICAST" : "");
    case 0x1b7:
      return "UTMACMDFLUSH";
    case 0x1b9:
      return field(h, 18, 2) == 0 ? "UTMACCTL.IV" : "UTMACCTL.?";
    case 0x1bd:
      return "STAS." + size_of(h);
    case 0x1be:
      return fmt::format("REDAS.{}.{}", atomic_of(h), type_of(h));
    case 0x177:
      return fmt::format("USTGR.{}.{}", size_of(h), order_of(h));
    case 0x178:
      return fmt::format("UREDGR.{}.{}.{}", atomic_of(h), type_of(h), order_of(h));
    case 0x1b2:
      return field(h, 8, 1) != 0 ? "SYNCS.EXCH.64" : "SYNCS.?";
    case 0x1b1:
      return "SYNCS.CCTL.IV";
    case 0x1b0:
      return fmt::format("ARRIVES.LDGSTSBAR.64.{}", field(h, 6, 2) == 1   ? "ARVCNT"
                                                    : field(h, 6, 2) == 2 ? "TRANSCNT"
                                                                          : "?");
    case 0x1a7:
      return syncs(i);
    case 0x1c7:
      return field(i.low, 9, 3) == 4 ? "UCGABAR_ARV" : field(i.low, 9, 3) == 6 ? "UCGABAR_WAIT" : "UCGABAR_?";
    default:
      return {};
  }
}

std::string membar(uint64_t high) {
  static constexpr const char* scopes[] = {"CTA", "SM", "GPU", "SYS"};
  return fmt::format("MEMBAR.{}.{}", field(high, 15, 1) != 0 ? "ALL" : "SC", scopes[field(high, 12, 2)]);
}

}  // namespace

std::optional<uint64_t> branch_target(const SassInstruction& i, uint32_t sm) {
  if (field(i.low, 0, 9) != 0x147) return std::nullopt;
  // A signed distance from the next instruction, in words: bits 34 to 81, and since sm_90 eight lower bits at 16.
  const uint64_t upper = field(i.low, 34, 30) | field(i.high, 0, 18) << 30;
  int64_t words = static_cast<int64_t>(upper << 16) >> 16;
  if (sm >= 90) words = words * 256 + static_cast<int64_t>(field(i.low, 16, 8));
  return i.address + 16 + static_cast<uint64_t>(words * 4);
}

bool branches_always(const SassInstruction& i) {
  return field(i.low, 0, 12) == 0x947 && field(i.low, 32, 2) == 0 && field(i.high, 23, 4) == 7;
}

uint32_t result_scoreboard(const SassInstruction& i) { return static_cast<uint32_t>(field(i.high, 46, 3)); }
uint32_t awaited_scoreboards(const SassInstruction& i) { return static_cast<uint32_t>(field(i.high, 52, 6)); }

bool is_warp_wide(const SassInstruction& i) {
  const uint64_t op = field(i.low, 0, 12);
  return op == 0x806 || op == 0x886 || op == 0x3c4 || op == 0x3a1;
}

bool is_warp_sync(const SassInstruction& i) { return field(i.low, 0, 12) == 0x348; }
bool is_branch_of_divergent(const SassInstruction& i) {
  return field(i.low, 0, 12) == 0x947 && field(i.low, 32, 2) == 2;
}

std::string memory_instruction(const SassInstruction& i) {
  const uint64_t h = i.high;
  if (field(i.low, 12, 4) == 0xf) return {};  // @!PT: never executed
  switch (field(i.low, 0, 9)) {
    case 0x181:
      return fmt::format("LDG.{}.{}", size_of(h), order_of(h));
    case 0x186:
      return fmt::format("STG.{}.{}", size_of(h), order_of(h));
    case 0x180:
      return fmt::format("LD.{}.{}", size_of(h), order_of(h | uint64_t{1} << 12));
    case 0x185:
      return fmt::format("ST.{}.{}", size_of(h), order_of(h | uint64_t{1} << 12));
    case 0x184:
      return field(i.low, 9, 3) == 4 ? "LDS." + size_of(h) : "";
    case 0x188:
      return "STS." + size_of(h);
    case 0x1a8:
      return fmt::format("ATOMG.{}.{}.{}", atomic_of(h), type_of(h), order_of(h));
    case 0x1a9:
      return fmt::format("ATOMG.CAS.{}.{}", field(h, 10, 1) != 0 ? 64 : 32, order_of(h));
    case 0x18e:
      return fmt::format("REDG.{}.{}.{}", atomic_of(field(h, 23, 3) << 23), type_of(h), order_of(h));
    case 0x18a:
    case 0x18b:
      return "ATOM";
    case 0x18c:
      return fmt::format("ATOMS.{}.{}", atomic_of(h), type_of(h));
    case 0x18d:
      return fmt::format("ATOMS.{}.{}", field(h, 23, 2) == 3 ? "CAST" : "CAS", field(h, 10, 1) != 0 ? 64 : 32);
    case 0x192:
      return membar(h);
    case 0x18f:
      return field(h, 23, 5) == 4 ? "CCTL.IVALL" : fmt::format("CCTL.{}", field(h, 23, 5));
    case 0x1ab:
      return "ERRBAR";
    case 0x1c6:
      return fmt::format("FENCE.VIEW.ASYNC.{}", field(h, 8, 1) != 0 ? "G" : "S");
    case 0x11d:
      return field(h, 13, 1) != 0 ? "BAR.ARV" : "BAR.SYNC";
    default:
      return asynchronous(i);
  }
}

}  // namespace fencepost::inspect
