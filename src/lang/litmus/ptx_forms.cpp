#include "litmus/ptx_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

namespace fencepost::litmus {
namespace {

// PTX ISA 9.4; hints for caches, report mechanisms, masks and multicast have no rows (k_not_modelled).
constexpr Form k_forms[] = {
    // 9.7.15.4 membar / fence
    {"fence (acquire|release) (cta|cluster|gpu|sys)", Meaning::thread_fence},
    {"fence.acquire.sync_restrict::shared::cluster.cluster", Meaning::thread_fence},
    {"fence.release.sync_restrict::shared::cta.cluster", Meaning::thread_fence},
    {"fence.mbarrier_init.release.cluster", Meaning::mbarrier_fence},
    {"fence.proxy.async {global|shared::cta|shared::cluster}", Meaning::proxy_fence},
    {"membar.proxy.async {global|shared::cta|shared::cluster}", Meaning::proxy_fence},
    {"fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster", Meaning::proxy_fence},
    {"fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster", Meaning::proxy_fence},
    {"fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster", Meaning::proxy_fence},
    {"fence.proxy.tensormap::generic.release (cta|cluster|gpu|sys)", Meaning::proxy_fence},
    {"fence.proxy.tensormap::generic.acquire (cta|cluster|gpu|sys) : [x], 128", Meaning::proxy_fence},
    {"fence.proxy.alias (acquire|release) (sys)", Meaning::proxy_fence},
    {"fence.proxy.generic::fabric (alias) (acquire|release) (sys)", Meaning::refused},
    {"fence.proxy.fabric::generic (alias) (acquire|release) (sys)", Meaning::refused},
    {"fence.proxy.fabric::fabric (alias) (acquire|release) (sys)", Meaning::refused},
    // 9.7.15.16 mbarrier
    {"mbarrier.init {layout::v0} {shared|shared::cta} (b64) : [m], v", Meaning::mbarrier_init},
    {"mbarrier.inval {shared|shared::cta} (b64) : [m]", Meaning::mbarrier_inval},
    {"mbarrier (expect_tx|complete_tx) {relaxed} {cta|cluster} {shared|shared::cta|shared::cluster} (b64) : [m], v",
     Meaning::mbarrier_count},
    {"mbarrier (arrive|arrive_drop) {expect_tx} {release|relaxed} {cta|cluster} {shared|shared::cta|shared::cluster} "
     "(b64) : d, [m]{, v}",
     Meaning::mbarrier_arrive},
    {"mbarrier (arrive|arrive_drop) (noComplete) {release} {cta} {shared|shared::cta} (b64) : d, [m], v",
     Meaning::mbarrier_arrive},
    {"mbarrier (test_wait) {parity} {phase_type::primary|phase_type::conditional} {acquire|relaxed} "
     "{cta|cluster} {shared|shared::cta} (b64) : d, [m], v",
     Meaning::mbarrier_wait},
    {"mbarrier (try_wait) {parity} {phase_type::primary|phase_type::conditional} {acquire|relaxed} "
     "{cta|cluster} {shared|shared::cta} (b64) : d, [m], v{, v}",  // how long it may suspend the thread
     Meaning::mbarrier_wait},
    {"mbarrier.pending_count (b64)", Meaning::refused},
    {"mbarrier.check_layout", Meaning::refused},
    // 9.7.10.28 asynchronous copies
    {"cp.async (ca|cg) (shared|shared::cta) (global) : [x], [y], n", Meaning::copy},
    {"cp.async.commit_group", Meaning::commit},
    {"cp.async.wait_group : n", Meaning::wait_group},
    {"cp.async.wait_all", Meaning::wait_group},
    {"cp.async.mbarrier.arrive {noinc} {shared|shared::cta} (b64) : [m]", Meaning::copy_arrive},
    {"cp.async.bulk.commit_group", Meaning::commit},
    {"cp.async.bulk.wait_group {read} : n", Meaning::wait_group},
    {"cp.async.bulk {weak|relaxed} {cta|cluster|gpu|sys} (shared::cta|shared::cluster) (global) "
     "(mbarrier::complete_tx::bytes) {b128} : [x], [y], n, [m]",
     Meaning::bulk_to_shared},
    {"cp.async.bulk {weak|relaxed} {cta|cluster} (shared::cluster) (shared::cta) (mbarrier::complete_tx::bytes) {b128} "
     ": [x], [y], n, [m]",
     Meaning::bulk_peer},
    {"cp.async.bulk {weak|relaxed} {cta|cluster|gpu|sys} (global) (shared::cta) (bulk_group) {b128} : [x], [y], n",
     Meaning::bulk_to_global},
    {"cp.async.bulk.tensor.1d (shared::cta|shared::cluster) (global) {tile} (mbarrier::complete_tx::bytes) : "
     "[x], [y, 0], [m]",
     Meaning::tensor_copy},
    {"cp.reduce.async.bulk {relaxed} {cta|cluster} (shared::cluster) (shared::cta) (mbarrier::complete_tx::bytes) "
     "(and|or|xor) (b32) : [x], [y], n, [m]",
     Meaning::reduce_to_shared},
    {"cp.reduce.async.bulk {relaxed} {cta|cluster} (shared::cluster) (shared::cta) (mbarrier::complete_tx::bytes) "
     "(add) (u32|s32|u64) : [x], [y], n, [m]",
     Meaning::reduce_to_shared},
    {"cp.reduce.async.bulk {relaxed} {cta|cluster|gpu|sys} (global) (shared::cta) (bulk_group) (and|or|xor) "
     "(b32|b64) : [x], [y], n",
     Meaning::reduce_to_global},
    {"cp.reduce.async.bulk {relaxed} {cta|cluster|gpu|sys} (global) (shared::cta) (bulk_group) (add) "
     "(u32|s32|u64) : [x], [y], n",
     Meaning::reduce_to_global},
    {"cp.async.bulk.prefetch", Meaning::refused},
    {"cp.async.bulk.tensor", Meaning::refused},
    {"cp.reduce.async.bulk.tensor", Meaning::refused},
    // 9.7.10.12 st.async, 9.7.15.8 red.async
    {"st.async {weak} {shared::cluster} (mbarrier::complete_tx::bytes) (b32|u32|s32|b64|u64|s64) : [x], v, [m]",
     Meaning::store_async},
    {"st.async (release) (gpu|sys) {global} (b32|u32|s32|b64|u64|s64) : [x], v", Meaning::store_async_release},
    {"red.async (relaxed) (cluster) {shared::cluster} (mbarrier::complete_tx::bytes) (and|or|xor) (b32) : "
     "[x], v, [m]",
     Meaning::red_async},
    {"red.async (relaxed) (cluster) {shared::cluster} (mbarrier::complete_tx::bytes) (add) (u32|s32|u64) : "
     "[x], v, [m]",
     Meaning::red_async},
    {"red.async (release) (gpu|sys) {global} (add) (u32|s32|u64|s64) : [x], v", Meaning::red_async_release},
    {"multimem", Meaning::refused},
    {"tensormap", Meaning::refused},
    {"clusterlaunchcontrol", Meaning::refused},
    {"tcgen05", Meaning::refused},
    {"wgmma", Meaning::refused},
    {"griddepcontrol", Meaning::refused},
    // 9.7.15.2, 9.7.15.3 barriers of warps and clusters
    {"bar.warp.sync : n", Meaning::warp_sync},
    {"barrier.cluster.arrive {release|relaxed} {aligned}", Meaning::cluster_arrive},
    {"barrier.cluster.wait {acquire} {aligned}", Meaning::cluster_wait},
    // 8.2.4 vectors
    {"ld (weak|relaxed|acquire) {cta|cluster|gpu|sys} (v2) (b64|u64) : <d, d>, <x, x>", Meaning::vector_load},
    {"st (weak|relaxed|release) {cta|cluster|gpu|sys} (v2) (b64|u64) : <x, x>, <v, v>", Meaning::vector_store},
    {"ld.proxy::readonly", Meaning::refused},
};

// Qualifiers that the ISA has for instructions of these rows.
constexpr std::string_view k_not_modelled[] = {"multicast::cluster",
                                               "multicast::cluster::16b",
                                               "multicast::cluster::32b",
                                               "L2::cache_hint",
                                               "L2::64B",
                                               "L2::128B",
                                               "L2::256B",
                                               "layout::v1",
                                               "mmio",
                                               "v2",
                                               "v4",
                                               "v8",
                                               "b8",
                                               "b16",
                                               "b128",
                                               "u8",
                                               "u16",
                                               "s8",
                                               "s16",
                                               "f16",
                                               "bf16",
                                               "f32",
                                               "f64",
                                               "noftz",
                                               "inc",
                                               "dec",
                                               "min",
                                               "max",
                                               "cp_mask",
                                               "ignore_oob",
                                               "im2col",
                                               "im2col::w",
                                               "tile::gather4",
                                               "tile::scatter4",
                                               "im2col_no_offs",
                                               "cta_group::1",
                                               "cta_group::2"};

constexpr std::array<std::string_view, 5> k_sems = {"weak", "relaxed", "acquire", "release", "acq_rel"};
constexpr std::array<std::string_view, 4> k_scopes = {"cta", "cluster", "gpu", "sys"};
constexpr std::array<std::string_view, 4> k_operations = {"and", "or", "xor", "add"};

template <class List>
bool one_of(const List& list, std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

struct Row {
  std::vector<std::string_view> literal;  // the first words
  struct Group {
    std::vector<std::string_view> words;
    bool optional = false;
  };
  std::vector<Group> groups;
  std::string_view operands;
};

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const size_t end = std::min(text.find(at), text.size());
    if (end > 0) out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

Row row_of(const Form& f) {
  std::string_view syntax = f.syntax;
  Row out;
  if (const size_t colon = syntax.find(" : "); colon != std::string_view::npos) {
    out.operands = syntax.substr(colon + 3);
    syntax = syntax.substr(0, colon);
  }
  for (std::string_view word : split(syntax, ' ')) {
    if (word.front() == '{' || word.front() == '(')
      out.groups.push_back({split(word.substr(1, word.size() - 2), '|'), word.front() == '{'});
    else
      out.literal = split(word, '.');
  }
  return out;
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all = [] {
    std::vector<Row> out;
    for (const Form& f : k_forms) out.push_back(row_of(f));
    return out;
  }();
  return all;
}

// How many words of the mnemonic the row explains, from the left. All: it fits, if nothing mandatory is missing.
struct Fit {
  size_t explained = 0;
  bool complete = false;
  std::set<std::string_view> words;
};

Fit fit(const Row& row, const std::vector<std::string_view>& words) {
  Fit out;
  if (row.literal.size() > words.size() || !std::equal(row.literal.begin(), row.literal.end(), words.begin()))
    return out;
  size_t at = row.literal.size();
  bool missing = false;
  for (const Row::Group& g : row.groups) {
    if (at < words.size() && one_of(g.words, words[at])) {
      out.words.insert(words[at++]);
    } else if (!g.optional) {
      missing = true;
      break;
    }
  }
  out.explained = at;
  out.complete = !missing && at == words.size();
  return out;
}

class Operands {
 public:
  Operands(Cursor& c, AsmBuilder& b, ThreadBuilder& t, const Mnemonic& m, Written& w)
      : c_(c), b_(b), t_(t), m_(m), w_(w) {}

  // The cell ends where an operand might: nothing optional follows.
  void read(std::string_view pattern) {
    for (size_t i = 0; i < pattern.size();) {
      const char p = pattern[i];
      if (p == ' ') {
        ++i;
      } else if (p == '{') {
        if (!c_.at(",")) return;
        ++i;
      } else if (p == '}') {
        ++i;
      } else {
        i += one(pattern, i);
      }
    }
  }

 private:
  size_t one(std::string_view pattern, size_t i) {
    switch (pattern[i]) {
      case ',':
        parse_comma(c_, m_);
        w_.operands += ", ";
        return 1;
      case '<':
        c_.expect("{");
        w_.operands += "{";
        return 1;
      case '>':
        c_.expect("}");
        w_.operands += "}";
        return 1;
      case '[':
        return bracket(pattern, i);
      case 'd':
        destination();
        return 1;
      case 'x':
        w_.locations.push_back(location());
        return 1;
      case 'v': {
        w_.operands += spelled_value();
        return 1;
      }
      case 'n': {
        const uint64_t n = number_value(c_, c_.expect_number("a number"));
        w_.numbers.push_back(n);
        w_.operands += std::to_string(n);
        return 1;
      }
      default:
        return literal(pattern, i);
    }
  }

  size_t literal(std::string_view pattern, size_t i) {
    size_t end = i;
    while (end < pattern.size() && pattern[end] >= '0' && pattern[end] <= '9') ++end;
    const std::string_view number = pattern.substr(i, end - i);
    c_.expect(number, fmt::format("this operand of {} is {}", m_.text(), number));
    w_.operands += number;
    return end - i;
  }

  // [m], [x], [y], and "[y, 0]" of a tensor map; brackets may be left out around a single name.
  size_t bracket(std::string_view pattern, size_t i) {
    const size_t end = pattern.find(']', i);
    const bool open = c_.accept("[");
    w_.operands += "[";
    const prog::SymbolId s = location();
    if (pattern[i + 1] == 'm')
      w_.mbarrier = s;
    else
      w_.locations.push_back(s);
    if (pattern[i + 2] == ',') {
      c_.expect(",", "the coordinates stand in the brackets, as in [map, {0}]");
      c_.expect("{");
      c_.expect("0", "a tensor map of a litmus test has the one coordinate 0");
      c_.expect("}");
      w_.operands += ", {0}";
    }
    if (open) c_.expect("]");
    w_.operands += "]";
    return end + 1 - i;
  }

  prog::SymbolId location() {
    const prog::SymbolId s = parse_location(c_, b_);
    if (!w_.operands.empty() && w_.operands.back() != '[' && w_.operands.back() != '{' && w_.operands.back() != ' ')
      w_.operands += " ";
    w_.operands += b_.test.symbols[s].name;
    return s;
  }

  void destination() {
    if (c_.accept("_")) {
      w_.registers.push_back(prog::k_none);
      w_.operands += "_";
      return;
    }
    const prog::RegId r = parse_register(c_, t_);
    w_.registers.push_back(r);
    w_.operands += t_.code().registers[r].name;
  }

  std::string spelled_value() {
    const term::Expr v = parse_value(c_, t_);
    w_.values.push_back(v);
    return v.is_const() ? std::to_string(static_cast<int64_t>(v.value())) : t_.code().registers[v.value()].name;
  }

  Cursor& c_;
  AsmBuilder& b_;
  ThreadBuilder& t_;
  const Mnemonic& m_;
  Written& w_;
};

[[noreturn]] void fail_form(const Cursor& c, const Mnemonic& m, size_t best, const std::vector<size_t>& nearest) {
  std::string known;
  for (size_t k : nearest) known += (known.empty() ? "" : ", or ") + std::string(k_forms[k].syntax);
  const std::string hint = "modelled is " + known;
  if (best < m.parts.size() &&
      (one_of(k_not_modelled, m.parts[best].text) || m.parts[best].text.starts_with("mbarrier::report")))
    unsupported(c.span(m.parts[best]), fmt::format("{} of {} is not modelled", quoted(m.parts[best].text), m.text()),
                hint);
  if (best < m.parts.size())
    c.fail(m.parts[best], fmt::format("{} does not fit here in {}", quoted(m.parts[best].text), m.text()), hint);
  fail_at(c.span(m.end, m.end + 1), fmt::format("{} is not finished", quoted(m.text())), hint);
}

}  // namespace

std::span<const Form> ptx_forms() { return k_forms; }

Written read_form(Cursor& c, AsmBuilder& b, ThreadBuilder& t, const Mnemonic& m) {
  std::vector<std::string_view> words;
  for (const Token& p : m.parts) words.push_back(p.text);
  Written out;
  size_t best = 0;
  std::vector<size_t> nearest;
  for (size_t k = 0; k < rows().size(); ++k) {
    const Row& row = rows()[k];
    Fit f = fit(row, words);
    if (f.explained == 0) continue;
    if (k_forms[k].meaning == Meaning::refused && f.explained >= best)
      unsupported(c.span(m.head().begin, m.end), fmt::format("{} is not modelled", quoted(m.text())),
                  "docs/litmus.md lists the instructions that are");
    if (f.complete) {
      out.form = &k_forms[k];
      out.words = std::move(f.words);
      for (std::string_view w : out.words) {
        if (one_of(k_sems, w)) out.sem = w;
        if (one_of(k_scopes, w)) out.scope = w;
        if (one_of(k_operations, w)) out.operation = w;
      }
      Operands(c, b, t, m, out).read(row.operands);
      return out;
    }
    // The old reader knows `ld.weak`, `fence.sc.gpu`, `bar.cta.sync`: a row has to explain more than the first word.
    if (f.explained < 2 || (row.literal.size() < 2 && f.explained <= row.literal.size())) continue;
    if (f.explained > best) nearest.clear();
    if (f.explained >= best) nearest.push_back(k);
    best = std::max(best, f.explained);
  }
  if (nearest.empty()) return out;
  const std::string_view head = words.front();
  const bool old_head = head == "ld" || head == "st" || head == "fence" || head == "bar" || head == "barrier";
  const bool of_new = words.size() > 1 &&
                      (words[1] == "async" || words[1] == "cluster" || words[1] == "warp" || words[1] == "acquire" ||
                       words[1] == "release" || words[1] == "mbarrier_init" || one_of(words, "v2"));
  const bool proxied = words.size() > 2 && words[1] == "proxy" && words[2] != "alias" && words[2] != "generic" &&
                       words[2] != "constant" && words[2] != "texture" && words[2] != "surface";
  if (old_head && !proxied &&
      (!of_new || (words[1] == "acquire" && head == "ld") || (words[1] == "release" && head == "st")))
    return out;
  fail_form(c, m, best, nearest);
}

}  // namespace fencepost::litmus
