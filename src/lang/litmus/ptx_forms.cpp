#include "litmus/ptx_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <sstream>

namespace fencepost::litmus {
namespace {

// PTX ISA 9.4. What it has besides for these instructions is in k_not_modelled.
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
    {"fence.proxy.generic::fabric (alias) (acquire|release) (sys)", Meaning::proxy_fence},
    {"fence.proxy.fabric::generic (alias) (acquire|release) (sys)", Meaning::proxy_fence},
    {"fence.proxy.fabric::fabric (alias) (acquire|release) (sys)", Meaning::proxy_fence},
    // 9.7.15.16 mbarrier
    {"mbarrier.init {layout::v0|layout::v1} {shared|shared::cta} (b64) : [m], v", Meaning::mbarrier_init},
    {"mbarrier.inval {shared|shared::cta} (b64) : [m]", Meaning::mbarrier_inval},
    {"mbarrier (expect_tx|complete_tx) {relaxed} {cta|cluster} {shared|shared::cta|shared::cluster} "
     "{multicast::cluster::32b} (b64) : [M], v K",
     Meaning::mbarrier_count},
    {"mbarrier (arrive|arrive_drop) {expect_tx} {release|relaxed} {cta|cluster} {shared|shared::cta|shared::cluster} "
     "{multicast::cluster::32b} (b64) : d, [M] A K",
     Meaning::mbarrier_arrive},
    {"mbarrier (arrive|arrive_drop) (noComplete) {release} {cta} {shared|shared::cta} (b64) : d, [m], v",
     Meaning::mbarrier_arrive},
    {"mbarrier (test_wait) {parity} {phase_type::primary|phase_type::conditional} {acquire|relaxed} "
     "{cta|cluster} {shared|shared::cta} (b64) : d, [m], v",
     Meaning::mbarrier_wait},
    {"mbarrier (try_wait) {parity} {phase_type::primary|phase_type::conditional} {acquire|relaxed} "
     "{cta|cluster} {shared|shared::cta} (b64) : d, [m], v{, v}",  // how long it may suspend the thread
     Meaning::mbarrier_wait},
    {"mbarrier.pending_count {layout::v0} (b64) : d, v", Meaning::mbarrier_pending},
    {"mbarrier.check_layout (layout::v0|layout::v1) {shared|shared::cta} (b64) : d, [m]", Meaning::mbarrier_layout},
    // 9.7.10.28 asynchronous copies
    {"cp.async (ca|cg) (shared|shared::cta) (global) {L2::cache_hint} {L2::64B|L2::128B|L2::256B} : [x], [y], n Z",
     Meaning::copy},
    {"cp.async.commit_group", Meaning::commit},
    {"cp.async.wait_group : n", Meaning::wait_group},
    {"cp.async.wait_all", Meaning::wait_group},
    {"cp.async.mbarrier.arrive {noinc} {shared|shared::cta} (b64) : [m]", Meaning::copy_arrive},
    {"cp.async.bulk.commit_group", Meaning::commit},
    {"cp.async.bulk.wait_group {read} : n", Meaning::wait_group},
    {"cp.async.bulk {weak|relaxed} {cta|cluster|gpu|sys} (shared::cta) (global) (mbarrier::complete_tx::bytes) "
     "{mbarrier::report::disabled} {L2::cache_hint} {ignore_oob} {b128} : [x], [y], n O, [m] P",
     Meaning::bulk_to_shared},
    {"cp.async.bulk {weak|relaxed} {cta|cluster|gpu|sys} (shared::cluster) (global) (mbarrier::complete_tx::bytes) "
     "{mbarrier::report::disabled} {multicast::cluster|multicast::cluster::16b|multicast::cluster::32b} "
     "{L2::cache_hint} {b128} : [X], [y], n, [M] K P",
     Meaning::bulk_to_shared},
    {"cp.async.bulk {weak|relaxed} {cta|cluster} (shared::cluster) (shared::cta) (mbarrier::complete_tx::bytes) {b128} "
     ": [x], [y], n, [m]",
     Meaning::bulk_peer},
    {"cp.async.bulk {weak|relaxed} {cta|cluster|gpu|sys} (global) (shared::cta) (bulk_group) {L2::cache_hint} "
     "{cp_mask} "
     "{b128} : [x], [y], n P B",
     Meaning::bulk_to_global},
    {"cp.reduce.async.bulk {relaxed} {cta|cluster} (shared::cluster) (shared::cta) (mbarrier::complete_tx::bytes) "
     "(and|or|xor) (b32) : [x], [y], n, [m]",
     Meaning::reduce_to_shared},
    {"cp.reduce.async.bulk {relaxed} {cta|cluster} (shared::cluster) (shared::cta) (mbarrier::complete_tx::bytes) "
     "(add) (u32|s32|u64) : [x], [y], n, [m]",
     Meaning::reduce_to_shared},
    {"cp.reduce.async.bulk {relaxed} {cta|cluster} (shared::cluster) (shared::cta) (mbarrier::complete_tx::bytes) "
     "(min|max) (u32|s32) : [x], [y], n, [m]",
     Meaning::reduce_to_shared},
    {"cp.reduce.async.bulk {relaxed} {cta|cluster} (shared::cluster) (shared::cta) (mbarrier::complete_tx::bytes) "
     "(inc|dec) (u32) : [x], [y], n, [m]",
     Meaning::reduce_to_shared},
    {"cp.reduce.async.bulk {relaxed} {cta|cluster|gpu|sys} (global) (shared::cta) (bulk_group) {L2::cache_hint} "
     "(and|or|xor) (b32|b64) : [x], [y], n P",
     Meaning::reduce_to_global},
    {"cp.reduce.async.bulk {relaxed} {cta|cluster|gpu|sys} (global) (shared::cta) (bulk_group) {L2::cache_hint} "
     "(add) (u32|s32|u64|f32|f64) : [x], [y], n P",
     Meaning::reduce_to_global},
    {"cp.reduce.async.bulk {relaxed} {cta|cluster|gpu|sys} (global) (shared::cta) (bulk_group) {L2::cache_hint} "
     "(add) (noftz) (f16|bf16|f32) : [x], [y], n P",
     Meaning::reduce_to_global},
    {"cp.reduce.async.bulk {relaxed} {cta|cluster|gpu|sys} (global) (shared::cta) (bulk_group) {L2::cache_hint} "
     "(min|max) (u32|s32|u64|s64|f16|bf16) : [x], [y], n P",
     Meaning::reduce_to_global},
    {"cp.reduce.async.bulk {relaxed} {cta|cluster|gpu|sys} (global) (shared::cta) (bulk_group) {L2::cache_hint} "
     "(inc|dec) (u32) : [x], [y], n P",
     Meaning::reduce_to_global},
    {"cp.async.bulk.prefetch (L2) (global) {L2::cache_hint|L2::evict_last} : [x], n P", Meaning::prefetch},
    // 9.7.10.28.5 tensor copies
    {"cp.async.bulk.tensor (1d|2d|3d|4d|5d) (shared::cta|shared::cluster) (global) "
     "{tile|tile::gather4|im2col|im2col::w|im2col::w::128} (mbarrier::complete_tx::bytes) {mbarrier::report::disabled} "
     "{multicast::cluster|multicast::cluster::16b|multicast::cluster::32b} {cta_group::1|cta_group::2} "
     "{L2::cache_hint} {override::global_address} {override::global_dim|override::global_dim_stride} "
     ": [X], [T], [M] I K P",
     Meaning::tensor_load},
    {"cp.async.bulk.tensor (1d|2d|3d|4d|5d) (global) (shared::cta) "
     "{tile|tile::scatter4|im2col_no_offs|im2col_no_offs::w} (bulk_group) {L2::cache_hint} {override::global_address} "
     "{override::global_dim|override::global_dim_stride} : [T], [X] P",
     Meaning::tensor_store},
    {"cp.reduce.async.bulk.tensor (1d|2d|3d|4d|5d) (global) (shared::cta) (add|min|max|inc|dec|and|or|xor) "
     "{tile|im2col_no_offs|im2col_no_offs::w} (bulk_group) {L2::cache_hint} {override::global_address} "
     "{override::global_dim|override::global_dim_stride} : [T], [x] P",
     Meaning::tensor_reduce},
    {"cp.async.bulk.prefetch.tensor (1d|2d|3d|4d|5d) (L2) (global) "
     "{tile|tile::gather4|im2col|im2col::w|im2col::w::128} {L2::cache_hint|L2::evict_last} {override::global_address} "
     "{override::global_dim|override::global_dim_stride} : [T] I P",
     Meaning::tensor_prefetch},
    {"tensormap.replace (tile) (global_address) {global|shared::cta} (b1024) (b64) : [x], v", Meaning::tensor_replace},
    {"tensormap.cp_fenceproxy (global) (shared::cta) (tensormap::generic) (release) (cta|cluster|gpu|sys) (sync) "
     "(aligned) : [x], [y], 128",
     Meaning::tensor_copy_and_fence},
    // 9.7.10.13, 9.7.10.15, 9.7.10.28.4.4 and .5: multimem. The first location of an operand is a multimem address.
    {"multimem.ld_reduce {weak|relaxed|acquire} {cta|cluster|gpu|sys} {global} (and|or|xor) (b32|b64) : d, [x]",
     Meaning::multimem_load},
    {"multimem.ld_reduce {weak|relaxed|acquire} {cta|cluster|gpu|sys} {global} (min|max) (u32|s32|u64|s64) : d, [x]",
     Meaning::multimem_load},
    {"multimem.ld_reduce {weak|relaxed|acquire} {cta|cluster|gpu|sys} {global} (add) (u32|s32|u64|f32|f64) : d, [x]",
     Meaning::multimem_load},
    {"multimem.ld_reduce {weak|relaxed|acquire} {cta|cluster|gpu|sys} {global} (min|max|add) {acc::f32|acc::f16} "
     "{v2|v4|v8} (f16|f16x2|bf16|bf16x2|f32|e5m2|e5m2x2|e5m2x4|e4m3|e4m3x2|e4m3x4) : <d>, <[x]>",
     Meaning::multimem_load},
    {"multimem.st {weak|relaxed|release} {cta|cluster|gpu|sys} {global} (b32|b64|u32|u64|s32|s64|f64) : [x], v",
     Meaning::multimem_store},
    {"multimem.st {weak|relaxed|release} {cta|cluster|gpu|sys} {global} {v2|v4|v8} "
     "(f16|f16x2|bf16|bf16x2|f32|e5m2|e5m2x2|e5m2x4|e4m3|e4m3x2|e4m3x4) : <[x]>, <v>",
     Meaning::multimem_store},
    {"multimem.red {relaxed|release} {cta|cluster|gpu|sys} {global} (and|or|xor) (b32|b64) : [x], v",
     Meaning::multimem_red},
    {"multimem.red {relaxed|release} {cta|cluster|gpu|sys} {global} (min|max) (u32|s32|u64|s64) : [x], v",
     Meaning::multimem_red},
    {"multimem.red {relaxed|release} {cta|cluster|gpu|sys} {global} (add) (u32|s32|u64|f64) : [x], v",
     Meaning::multimem_red},
    {"multimem.red {relaxed|release} {cta|cluster|gpu|sys} {global} (add) {v2|v4|v8} (f16|f16x2|bf16|bf16x2|f32) : "
     "<[x]>, <v>",
     Meaning::multimem_red},
    {"multimem.st.async (release) (gpu|sys) {global} (b32|b64|u32|u64|s32|s64|f32|f64) : [x], v",
     Meaning::multimem_store_async},
    {"multimem.red.async (release) (gpu|sys) {global} (add) (u32|s32|u64) : [x], v", Meaning::multimem_red_async},
    {"multimem.cp.async.bulk {weak|relaxed} {cta|cluster|gpu|sys} (global) (shared::cta) (bulk_group) {cp_mask} {b128} "
     ": [x], [y], n B",
     Meaning::multimem_copy},
    {"multimem.cp.reduce.async.bulk {relaxed} {cta|cluster|gpu|sys} (global) (shared::cta) (bulk_group) (and|or|xor) "
     "(b32|b64) : [x], [y], n",
     Meaning::multimem_reduce},
    {"multimem.cp.reduce.async.bulk {relaxed} {cta|cluster|gpu|sys} (global) (shared::cta) (bulk_group) (min|max) "
     "(u32|s32|u64|s64|f16|bf16) : [x], [y], n",
     Meaning::multimem_reduce},
    {"multimem.cp.reduce.async.bulk {relaxed} {cta|cluster|gpu|sys} (global) (shared::cta) (bulk_group) (inc|dec) "
     "(u32) : [x], [y], n",
     Meaning::multimem_reduce},
    {"multimem.cp.reduce.async.bulk {relaxed} {cta|cluster|gpu|sys} (global) (shared::cta) (bulk_group) (add) "
     "(u32|s32|u64|f32|f64) : [x], [y], n",
     Meaning::multimem_reduce},
    {"multimem.cp.reduce.async.bulk {relaxed} {cta|cluster|gpu|sys} (global) (shared::cta) (bulk_group) (add) (noftz) "
     "(f16|bf16|f32) : [x], [y], n",
     Meaning::multimem_reduce},
    // 9.7.15.18 clusterlaunchcontrol
    {"clusterlaunchcontrol.try_cancel (async) {shared::cta} (mbarrier::complete_tx::bytes) {multicast::cluster::all} "
     "(b128) : [X], [M]",
     Meaning::try_cancel},
    // st.bulk (9.7.9.13 of PTX ISA 9.0)
    {"st.bulk {weak} {shared::cta} : [x], n, 0", Meaning::bulk_zero},
    // 9.7.10.12 st.async, 9.7.15.8 red.async
    {"st.async {weak} {shared::cluster} (mbarrier::complete_tx::bytes) (b32|u32|s32|b64|u64|s64|b128) : [x], v, [m]",
     Meaning::store_async},
    {"st.async (release) (gpu|sys) {global} (b32|u32|s32|b64|u64|s64) : [x], v", Meaning::store_async_release},
    {"red.async (relaxed) (cluster) {shared::cluster} (mbarrier::complete_tx::bytes) (and|or|xor) (b32) : "
     "[x], v, [m]",
     Meaning::red_async},
    {"red.async (relaxed) (cluster) {shared::cluster} (mbarrier::complete_tx::bytes) (add) (u32|s32|u64) : "
     "[x], v, [m]",
     Meaning::red_async},
    {"red.async (relaxed) (cluster) {shared::cluster} (mbarrier::complete_tx::bytes) (min|max) (u32|s32) : [x], v, [m]",
     Meaning::red_async},
    {"red.async (relaxed) (cluster) {shared::cluster} (mbarrier::complete_tx::bytes) (inc|dec) (u32) : [x], v, [m]",
     Meaning::red_async},
    {"red.async (release) (gpu|sys) {global} (add) (u32|s32|u64|s64) : [x], v", Meaning::red_async_release},
    {"multimem", Meaning::refused},
    {"tensormap", Meaning::refused},
    {"clusterlaunchcontrol", Meaning::refused},
    {"fabric", Meaning::refused},
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
constexpr std::string_view k_not_modelled[] = {"mmio",
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
                                               "multicast::cluster",
                                               "multicast::cluster::16b",
                                               "multicast::cluster::32b",
                                               "L2::cache_hint",
                                               "L2::evict_last",
                                               "im2col",
                                               "im2col::w",
                                               "tile::gather4",
                                               "tile::scatter4",
                                               "im2col_no_offs",
                                               "cta_group::1",
                                               "cta_group::2",
                                               "rank",
                                               "box_dim",
                                               "global_dim",
                                               "global_stride",
                                               "element_stride",
                                               "elemtype",
                                               "interleave_layout",
                                               "swizzle_mode",
                                               "swizzle_atomicity",
                                               "fill_mode"};

constexpr std::array<std::string_view, 5> k_sems = {"weak", "relaxed", "acquire", "release", "acq_rel"};
constexpr std::array<std::string_view, 4> k_scopes = {"cta", "cluster", "gpu", "sys"};
constexpr std::array<std::string_view, 8> k_operations = {"and", "or", "xor", "add", "min", "max", "inc", "dec"};
constexpr std::string_view k_spaces[] = {"global", "shared", "shared::cta", "shared::cluster"};

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

// Whether the first words are those that the form begins with. Else its row explains nothing.
bool has_literal(const Form& f, const std::vector<std::string_view>& words) {
  std::string_view literal = f.syntax;
  literal = literal.substr(0, literal.find(' '));
  for (const std::string_view word : words) {
    const size_t end = std::min(literal.find('.'), literal.size());
    if (literal.substr(0, end) != word) return false;
    if (end == literal.size()) return true;
    literal.remove_prefix(end + 1);
  }
  return false;
}

// Rows are made when a mnemonic asks for them: all of them took as long as an eighth of a small test, which has none.
const Row& row(size_t k) {
  struct Made {
    std::once_flag once;
    Row row;
  };
  static std::array<Made, std::size(k_forms)> all;
  std::call_once(all[k].once, [&] { all[k].row = row_of(k_forms[k]); });
  return all[k].row;
}

// How many words of the mnemonic the row explains, from the left. All: it fits, if nothing mandatory is missing.
struct Fit {
  size_t explained = 0;
  bool complete = false;
  std::set<std::string_view> words;
  std::string mnemonic;  // in the order of the row
};

// Rows with a head of several words, and mbarriers, whose first word behind the head says what is done.
bool any_order(const Row& row) { return row.literal.size() >= 2 || row.literal.front() == "mbarrier"; }

// The first group from `at` on that has the word and no other yet; the number of groups: none.
size_t group_of(const Row& row, std::string_view word, size_t at, const std::vector<std::string_view>& taken) {
  for (; at < row.groups.size(); ++at)
    if (taken[at].empty() && one_of(row.groups[at].words, word)) return at;
  return at;
}

Fit fit(const Row& row, const std::vector<std::string_view>& words) {
  Fit out;
  if (row.literal.size() > words.size() || !std::equal(row.literal.begin(), row.literal.end(), words.begin()))
    return out;
  const bool free = any_order(row);
  std::vector<std::string_view> taken(row.groups.size());
  size_t at = row.literal.size(), next = 0, next_space = 0;
  for (; at < words.size(); ++at) {
    const bool space = one_of(k_spaces, words[at]);
    const bool head = row.literal.size() == 1 && at == 1;  // mbarrier.arrive
    const size_t g = group_of(row, words[at], free ? (space ? next_space : 0) : next, taken);
    if (g == row.groups.size() || (head && g != 0)) break;
    // In the order of the row, what is passed over must be optional.
    if (!free && std::any_of(row.groups.begin() + static_cast<std::ptrdiff_t>(next),
                             row.groups.begin() + static_cast<std::ptrdiff_t>(g),
                             [](const Row::Group& x) { return !x.optional; }))
      break;
    taken[g] = words[at];
    next = g + 1;
    if (space) next_space = g + 1;
    out.words.insert(words[at]);
  }
  out.explained = at;
  out.complete = at == words.size();
  for (std::string_view w : row.literal) out.mnemonic += (out.mnemonic.empty() ? "" : ".") + std::string(w);
  for (size_t g = 0; g < taken.size(); ++g) {
    if (taken[g].empty() && !row.groups[g].optional) out.complete = false;
    if (!taken[g].empty()) out.mnemonic += "." + std::string(taken[g]);
  }
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
        comma();
        return 1;
      case '<':
        return vector(pattern, i);
      case '[':
        return bracket(pattern, i);
      case 'd':
        destination();
        return 1;
      case 'x':
        add({location()});
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
      case 'A':
      case 'B':
      case 'I':
      case 'K':
      case 'O':
      case 'P':
      case 'Z':
        asked_for(pattern[i]);
        return 1;
      default:
        return literal(pattern, i);
    }
  }

  void comma() {
    parse_comma(c_, m_);
    w_.operands += ", ";
  }
  bool has_word(std::string_view begin) const {
    return std::any_of(w_.words.begin(), w_.words.end(), [&](std::string_view w) { return w.starts_with(begin); });
  }
  term::Expr after_comma() {
    comma();
    term::Expr v;
    w_.operands += spelled(v);
    return v;
  }

  // Operands that stand only beside some word; A: how many arrive, which may be left out.
  void asked_for(char what) {
    if (what == 'A' && c_.at(",")) {
      // Beside a mask, a single number is the mask.
      const bool masked = has_word("multicast::");
      comma();
      term::Expr v;
      w_.operands += spelled(v);
      if (masked && !w_.has("expect_tx") && !c_.at(","))
        w_.mask = v;
      else
        w_.values.push_back(v);
    }
    if (what == 'B' && w_.has("cp_mask")) w_.byte_mask = after_comma();
    if (what == 'I' && has_word("im2col")) {
      comma();
      w_.im2col = list();
    }
    if (what == 'K' && has_word("multicast::cluster") && !w_.mask) w_.mask = after_comma();
    if (what == 'O' && w_.has("ignore_oob"))
      for (size_t k = 0; k < 2; ++k) w_.values.push_back(after_comma());
    if (what == 'P' && w_.has("L2::cache_hint")) after_comma();  // "does not change the memory consistency behavior"
    if (what == 'Z') left_out();
  }

  // "{, src-size}{, cache_policy}" and "{, ignore-src}{, cache_policy}" of cp.async. A predicate is written r0 != 0.
  void left_out() {
    const bool policy = w_.has("L2::cache_hint");
    if (!c_.at(",")) {
      if (policy) comma();  // fails
      return;
    }
    comma();
    const Token at = c_.peek();
    term::Expr v;
    w_.operands += spelled(v);
    if (c_.accept("!=")) {
      c_.expect("0", "ignore-src is a predicate, as in r0 != 0");
      w_.operands += " != 0";
      w_.ignored = term::binary(term::Op::ne, v, term::constant(0, 64));
    } else if (policy && !c_.at(",")) {
      return;
    } else if (v.is_const()) {
      w_.source_bytes = v.value();
    } else {
      c_.fail(at, fmt::format("{} can be a number of bytes and a predicate", litmus::quoted(at.text)),
              fmt::format("write {} != 0 for ignore-src, and a number for src-size", at.text));
    }
    if (policy) after_comma();
  }

  // "{a, b}" of values.
  std::vector<term::Expr> list() {
    std::vector<term::Expr> out;
    c_.expect("{");
    w_.operands += "{";
    do {
      if (!out.empty()) w_.operands += ", ";
      w_.operands += spelled(out.emplace_back());
    } while (c_.accept(","));
    c_.expect("}");
    w_.operands += "}";
    return out;
  }

  // "<d, d>" is {d, d}; "<d>", "<v>", "<[x]>": as many as the word .v2, .v4 or .v8 says, one without braces.
  size_t vector(std::string_view pattern, size_t i) {
    const size_t end = pattern.find('>', i);
    const std::string_view inner = pattern.substr(i + 1, end - i - 1);
    const bool counted = inner.find(',') == std::string_view::npos;
    const size_t many = !counted ? 1 : w_.has("v2") ? 2 : w_.has("v4") ? 4 : w_.has("v8") ? 8 : 1;
    const bool braces = !counted || many > 1;
    const bool address = inner == "[x]";
    if (address) {
      c_.expect("[");
      w_.operands += "[";
    }
    if (braces) {
      c_.expect("{");
      w_.operands += "{";
    }
    for (size_t k = 0; k < many; ++k) {
      if (k > 0) comma();
      read(address ? std::string_view("x") : inner);
    }
    if (braces) {
      c_.expect("}");
      w_.operands += "}";
    }
    if (address) {
      c_.expect("]");
      w_.operands += "]";
    }
    return end + 1 - i;
  }

  size_t literal(std::string_view pattern, size_t i) {
    size_t end = i;
    while (end < pattern.size() && pattern[end] >= '0' && pattern[end] <= '9') ++end;
    const std::string_view number = pattern.substr(i, end - i);
    c_.expect(number, fmt::format("this operand of {} is {}", m_.text(), number));
    w_.operands += number;
    return end - i;
  }

  // [m], [x], [y], the lists [M] and [X], and [T]; brackets may be left out around a single name.
  size_t bracket(std::string_view pattern, size_t i) {
    const char what = pattern[i + 1];
    const bool open = c_.accept("[");
    w_.operands += "[";
    if (what == 'T') {
      tensor(open);
    } else {
      std::vector<prog::SymbolId> all;
      const bool several = (what == 'X' || what == 'M') && open && c_.accept("{");
      if (several) w_.operands += "{";
      do {
        if (!all.empty()) w_.operands += ", ";
        all.push_back(location());
      } while (several && c_.accept(","));
      if (several) {
        c_.expect("}");
        w_.operands += "}";
      }
      if (what == 'm' || what == 'M') {
        w_.mbarrier = all.front();
        w_.mbarriers = std::move(all);
      } else {
        add(std::move(all));
      }
    }
    if (open) c_.expect("]");
    w_.operands += "]";
    return pattern.find(']', i) + 1 - i;
  }

  // [map{, address}{, {sizes}{, {strides}, upper}}, {coordinates}]
  void tensor(bool open) {
    if (!open) c_.expect("[");
    add({location()});
    if (w_.has("override::global_address")) w_.base = after_comma();
    if (w_.has("override::global_dim") || w_.has("override::global_dim_stride")) {
      comma();
      w_.sizes = list();
      if (w_.has("override::global_dim_stride")) {
        comma();
        list();  // strides: what lies between boxes
        after_comma();
      }
    }
    if (!c_.at(",")) c_.fail_expected(c_.peek(), "','", "the coordinates stand in the brackets, as in [map, {0}]");
    comma();
    w_.coordinates = list();
  }

  // An operand's locations. A multimem address stands for several.
  void add(std::vector<prog::SymbolId> all) {
    w_.locations.push_back(all.front());
    if (const auto* many = b_.multimem(all.front())) all = *many;
    w_.lists.push_back(std::move(all));
  }

  prog::SymbolId location() {
    const bool bound = m_.head().is("multimem") && b_.is_multimem(c_.peek().text);
    const prog::SymbolId s = bound ? b_.multimem_named(c_.next().text) : parse_location(c_, b_);
    if (!w_.operands.empty() && w_.operands.back() != '[' && w_.operands.back() != '{' && w_.operands.back() != ' ')
      w_.operands += " ";
    w_.operands += bound ? b_.multimem_name(s) : b_.test.symbols[s].name;
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
    term::Expr v;
    std::string out = spelled(v);
    w_.values.push_back(v);
    return out;
  }
  std::string spelled(term::Expr& v) {
    v = parse_value(c_, t_);
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
    unsupported(c.span(m.parts[best]),
                fmt::format("{} of {} is not modelled", litmus::quoted(m.parts[best].text), m.text()), hint);
  if (best < m.parts.size())
    c.fail(m.parts[best], fmt::format("{} does not fit here in {}", litmus::quoted(m.parts[best].text), m.text()),
           hint);
  fail_at(c.span(m.end, m.end + 1), fmt::format("{} is not finished", litmus::quoted(m.text())), hint);
}

}  // namespace

std::span<const Form> ptx_forms() { return k_forms; }

Written read_form(Cursor& c, AsmBuilder& b, ThreadBuilder& t, const Mnemonic& m) {
  std::vector<std::string_view> words;
  for (const Token& p : m.parts) words.push_back(p.text);
  Written out;
  size_t best = 0;
  std::vector<size_t> nearest;
  for (size_t k = 0; k < std::size(k_forms); ++k) {
    if (!has_literal(k_forms[k], words)) continue;
    Fit f = fit(row(k), words);
    if (f.explained == 0) continue;
    if (k_forms[k].meaning == Meaning::refused && f.explained >= best)
      unsupported(c.span(m.head().begin, m.end), fmt::format("{} is not modelled", litmus::quoted(m.text())),
                  "docs/litmus.md lists the instructions that are");
    if (f.complete) {
      out.form = &k_forms[k];
      out.words = std::move(f.words);
      out.mnemonic = std::move(f.mnemonic);
      if (out.mnemonic.starts_with("membar.")) out.mnemonic.replace(0, 6, "fence");  // the name of PTX ISA 6.0 on
      for (std::string_view w : out.words) {
        if (one_of(k_sems, w)) out.sem = w;
        if (one_of(k_scopes, w)) out.scope = w;
        if (one_of(k_operations, w)) out.operation = w;
      }
      Operands(c, b, t, m, out).read(row(k).operands);
      return out;
    }
    // The old reader knows `ld.weak`, `fence.sc.gpu`, `bar.cta.sync`: a row has to explain more than the first word.
    if (const size_t literal = row(k).literal.size(); f.explained < 2 || (literal < 2 && f.explained <= literal))
      continue;
    if (f.explained > best) nearest.clear();
    if (f.explained >= best) nearest.push_back(k);
    best = std::max(best, f.explained);
  }
  if (nearest.empty()) return out;
  const std::string_view head = words.front();
  const bool old_head = head == "ld" || head == "st" || head == "fence" || head == "bar" || head == "barrier";
  const bool of_new = words.size() > 1 && (words[1] == "async" || words[1] == "bulk" || words[1] == "cluster" ||
                                           words[1] == "warp" || words[1] == "acquire" || words[1] == "release" ||
                                           words[1] == "mbarrier_init" || one_of(words, "v2"));
  const bool proxied = words.size() > 2 && words[1] == "proxy" && words[2] != "alias" && words[2] != "generic" &&
                       words[2] != "constant" && words[2] != "texture" && words[2] != "surface";
  if (old_head && !proxied &&
      (!of_new || (words[1] == "acquire" && head == "ld") || (words[1] == "release" && head == "st")))
    return out;
  fail_form(c, m, best, nearest);
}

}  // namespace fencepost::litmus
