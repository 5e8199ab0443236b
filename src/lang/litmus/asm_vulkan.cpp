#include "litmus/asm_vulkan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace fencepost::litmus {
namespace {

using prog::Tag;
using prog::TagSet;

enum Word : uint8_t {
  w_st,
  w_ld,
  w_rmw,
  w_membar,
  w_cbar,
  w_avdevice,
  w_visdevice,
  w_atom,
  w_acq,
  w_rel,
  w_acq_rel,
  w_nonpriv,
  w_av,
  w_vis,
  w_semav,
  w_semvis,
  w_sg,
  w_wg,
  w_qf,
  w_dv,
  w_sc0,
  w_sc1,
  w_sc2,
  w_sc3,
  w_semsc0,
  w_semsc1,
  w_semsc2,
  w_semsc3,
  w_count
};
struct WordInfo {
  const char* litmus;
  const char* khronos;
};
constexpr std::array<WordInfo, w_count> k_words = {{
    {"st", "st"},
    {"ld", "ld"},
    {"rmw", "rmw"},
    {"membar", "membar"},
    {"cbar", "cbar"},
    {"avdevice", "avdevice"},
    {"visdevice", "visdevice"},
    {"atom", "atom"},
    {"acq", "acq"},
    {"rel", "rel"},
    {"acq_rel", "acq_rel"},
    {"nonpriv", "nonpriv"},
    {"av", "av"},
    {"vis", "vis"},
    {"semav", "semav"},
    {"semvis", "semvis"},
    {"sg", "scopesg"},
    {"wg", "scopewg"},
    {"qf", "scopeqf"},
    {"dv", "scopedev"},
    {"sc0", "sc0"},
    {"sc1", "sc1"},
    {"sc2", "sc2"},
    {"sc3", "sc3"},
    {"semsc0", "semsc0"},
    {"semsc1", "semsc1"},
    {"semsc2", "semsc2"},
    {"semsc3", "semsc3"},
}};
constexpr Tag k_scope_tags[] = {Tag::SG, Tag::WG, Tag::QF, Tag::DV};
constexpr uint32_t k_scope_levels[] = {3, 2, 1, 0};  // vocab::levels(vulkan): dv qf wg sg
constexpr Tag k_class_tags[] = {Tag::SC0, Tag::SC1, Tag::SC2, Tag::SC3};
constexpr Tag k_sem_tags[] = {Tag::SEMSC0, Tag::SEMSC1, Tag::SEMSC2, Tag::SEMSC3};

class Reader {
 public:
  Reader(const Cursor& c, const Mnemonic& m, VulkanSpelling s) : c_(c), m_(m), khronos_(s == VulkanSpelling::khronos) {}

  VulkanOp read() {
    collect();
    VulkanOp out;
    if (has(w_avdevice) || has(w_visdevice)) return device(out);
    if (has(w_membar) || has(w_cbar)) return fence(out);
    return access(out);
  }

  static bool is_head(std::string_view w, bool khronos) {
    for (int k = w_st; k <= w_visdevice; ++k)
      if (w == k_words[k].litmus) return true;
    return khronos && w == "atom";
  }

 private:
  const char* spell(int w) const { return khronos_ ? k_words[w].khronos : k_words[w].litmus; }
  bool has(Word w) const { return at_[w] != nullptr; }
  const Token& token(Word w) const { return *at_[w]; }
  Span after() const { return c_.span(m_.end, m_.end + 1); }
  [[noreturn]] void missing(std::string what, std::string hint) const {
    fail_at(after(), fmt::format("{} needs {} here", litmus::quoted(m_.text()), what), std::move(hint));
  }
  [[noreturn]] void misplaced(Word w, std::string why, std::string hint) const {
    c_.fail(token(w), fmt::format("'.{}' does not fit here: {}", token(w).text, why), std::move(hint));
  }
  std::string scopes() const {
    return khronos_ ? "add .scopesg, .scopewg, .scopeqf or .scopedev" : "add .sg, .wg, .qf or .dv";
  }

  std::optional<Word> find(std::string_view text) const {
    if (text == "acquire") return w_acq;
    if (text == "release") return w_rel;
    for (int k = 0; k < w_count; ++k)
      if (text == spell(k)) return static_cast<Word>(k);
    return std::nullopt;
  }

  void collect() {
    for (size_t i = 0; i < m_.parts.size(); ++i) {
      const Token& t = m_.parts[i];
      const std::optional<Word> w = find(t.text);
      const bool opcode = w && *w <= w_visdevice;
      if (!khronos_ && i > 0 && m_.head().is("rmw") && find_arithmetic(t.text) != nullptr) {
        if (op_ != nullptr) c_.fail(t, "a second operation", "an rmw has one operation, or none for exchange");
        op_ = find_arithmetic(t.text);
        op_text_ = t.text;
        continue;
      }
      if (!w || (opcode && i > 0 && !khronos_)) {
        std::vector<std::string> known;
        for (int k = khronos_ ? w_st : w_atom; k < w_count; ++k) known.emplace_back(spell(k));
        if (m_.head().is("rmw"))
          for (const char* op : {"add", "sub", "mul", "div", "and", "or", "xor"}) known.emplace_back(op);
        c_.fail(t, fmt::format("{} is not a modifier of {}", litmus::quoted(t.text), litmus::quoted(m_.head().text)),
                suggest(t.text, known, "docs/litmus.md lists the modifiers of every instruction"));
      }
      if (has(*w)) c_.fail(t, fmt::format("'.{}' is given twice", t.text), "give every modifier once");
      at_[*w] = &t;
    }
    for (int k = w_sg; k <= w_dv; ++k)
      if (at_[k] != nullptr) {
        if (scope_ >= 0)
          c_.fail(*at_[k], "a second scope", fmt::format("keep one of .{} and .{}", spell(scope_), spell(k)));
        scope_ = k;
      }
    for (int k = w_sc0; k <= w_sc3; ++k)
      if (at_[k] != nullptr) {
        if (class_ >= 0)
          c_.fail(*at_[k], "a second storage class", fmt::format("keep one of .{} and .{}", spell(class_), spell(k)));
        class_ = k;
      }
    for (int k = w_semsc0; k <= w_semsc3; ++k)
      if (at_[k] != nullptr) {
        sem_.add(k_sem_tags[k - w_semsc0]);
        if (first_sem_ < 0) first_sem_ = k;
      }
    if (has(w_acq_rel) && (has(w_acq) || has(w_rel)))
      misplaced(w_acq_rel, "an order is already given", "write acq_rel alone");
    acquires_ = has(w_acq) || has(w_acq_rel);
    releases_ = has(w_rel) || has(w_acq_rel);
  }

  // ---- checks that several instructions share ----
  void check_semantics() const {
    const bool ordered = acquires_ || releases_;
    if (!ordered && first_sem_ >= 0)
      misplaced(static_cast<Word>(first_sem_), "storage-class semantics belong to an order",
                "add .acq, .rel or .acq_rel, or remove it");
    if (ordered && sem_.empty())
      missing("the storage classes that its order covers", "add one or more of .semsc0 .semsc1 .semsc2 .semsc3");
    if (has(w_semav) && !releases_) misplaced(w_semav, "it belongs to a release", "add .rel, or remove .semav");
    if (has(w_semvis) && !acquires_) misplaced(w_semvis, "it belongs to an acquire", "add .acq, or remove .semvis");
  }

  void check_no_access_words(const char* what) const {
    for (const Word w : {w_atom, w_nonpriv, w_av, w_vis, w_sc0, w_sc1, w_sc2, w_sc3})
      if (has(w)) misplaced(w, fmt::format("{} accesses no memory", what), "remove it");
  }

  VulkanOp device(VulkanOp out) const {
    const Word w = has(w_avdevice) ? w_avdevice : w_visdevice;
    if (m_.parts.size() > 1)
      c_.fail(m_.parts[1], fmt::format("'{}' takes no modifier", spell(w)), fmt::format("write {} alone", spell(w)));
    out.kind = VulkanOp::Kind::fence;
    out.mnemonic = spell(w);
    out.tags = {w == w_avdevice ? Tag::AVDEVICE : Tag::VISDEVICE};
    return out;
  }

  VulkanOp fence(VulkanOp out) const {
    const bool control = has(w_cbar);
    for (const Word w : {w_st, w_ld, w_rmw})
      if (has(w)) misplaced(w, "one instruction is either an access or a barrier", "write two instructions");
    if (control && has(w_membar))
      misplaced(w_membar, "a cbar with an order is already a memory barrier", "write cbar alone");
    check_no_access_words("a barrier");
    if (!control && !acquires_ && !releases_) missing("an order", "add .acq, .rel or .acq_rel");
    if (scope_ < 0) missing("a scope", scopes());
    check_semantics();
    out.kind = control ? VulkanOp::Kind::barrier : VulkanOp::Kind::fence;
    out.mnemonic = spell(control ? w_cbar : w_membar);
    out.scope_level = k_scope_levels[scope_ - w_sg];
    append_order(out.mnemonic);
    append(out.mnemonic, scope_);
    append_semantics(out.mnemonic);
    if (control) out.tags.add(Tag::CBAR).add(Tag::B);
    if (acquires_ || releases_) out.tags.add(Tag::F);
    out.tags.add(k_scope_tags[scope_ - w_sg]);
    add_order(out.tags, acquires_, releases_);
    return out;
  }

  VulkanOp access(VulkanOp out) const {
    const bool rmw = has(w_rmw) || (has(w_st) && has(w_ld));
    const bool reads = rmw || has(w_ld), writes = rmw || has(w_st);
    const bool atomic = has(w_atom) || (khronos_ && has(w_rmw));
    if (!reads && !writes) missing("to be a load or a store", "write ld, st, rmw, membar or cbar");
    if (rmw && !atomic) missing("'.atom'", "a read-modify-write is always atomic");
    if (class_ < 0) missing("a storage class", "add .sc0, .sc1, .sc2 or .sc3");
    const char* what = rmw ? "a read-modify-write" : reads ? "a load" : "a store";
    if (acquires_ && !reads) misplaced(has(w_acq) ? w_acq : w_acq_rel, "a store cannot acquire", "use .rel on stores");
    if (releases_ && !writes) misplaced(has(w_rel) ? w_rel : w_acq_rel, "a load cannot release", "use .acq on loads");
    if ((acquires_ || releases_) && !atomic)
      misplaced(has(w_acq) ? w_acq : has(w_rel) ? w_rel : w_acq_rel, "only atomic accesses have an order", "add .atom");
    check_semantics();
    if (has(w_av) && !writes) misplaced(w_av, "a load makes nothing available", "use .vis on loads");
    if (has(w_vis) && !reads) misplaced(w_vis, "a store makes nothing visible", "use .av on stores");
    const bool av = has(w_av), vis = has(w_vis);
    if (atomic && !khronos_)
      for (const Word w : {w_av, w_vis, w_nonpriv})
        if (has(w)) misplaced(w, fmt::format("{} that is atomic implies it", what), "remove it");
    if ((atomic || av || vis) && scope_ < 0) missing("a scope", scopes());
    if (!(atomic || av || vis) && scope_ >= 0)
      misplaced(static_cast<Word>(scope_), "only atomic, available and visible accesses have a scope",
                fmt::format("remove it, or add .{}", writes ? "av" : "vis"));
    if (!atomic && has(w_nonpriv) && (av || vis) && !khronos_)
      misplaced(w_nonpriv, fmt::format(".{} implies it", av ? "av" : "vis"), "remove it");

    out.kind = rmw ? VulkanOp::Kind::rmw : reads ? VulkanOp::Kind::load : VulkanOp::Kind::store;
    std::string& mn = out.mnemonic;
    mn = spell(rmw ? w_rmw : reads ? w_ld : w_st);
    if (atomic && !(khronos_ && rmw)) append(mn, w_atom);
    append_order(mn);
    if (!atomic && av) append(mn, w_av);
    if (!atomic && vis) append(mn, w_vis);
    if (!atomic && !av && !vis && has(w_nonpriv)) append(mn, w_nonpriv);
    if (scope_ >= 0) append(mn, scope_);
    append(mn, class_);
    append_semantics(mn);
    if (op_ != nullptr) {
      mn += '.';
      mn += op_text_;
      out.exchange = false;
      out.op = *op_;
    }

    TagSet common = {k_class_tags[class_ - w_sc0]};
    if (atomic) common.add(Tag::ATOM);
    if (atomic || av || vis || has(w_nonpriv)) common.add(Tag::NONPRIV);
    if (rmw) common.add(Tag::RMW);
    if (scope_ >= 0) {
      common.add(k_scope_tags[scope_ - w_sg]);
      out.scope_level = k_scope_levels[scope_ - w_sg];
    }
    TagSet read = common, write = common;
    read.add(Tag::R);
    write.add(Tag::W);
    if (atomic || vis) read.add(Tag::VIS);
    if (atomic || av) write.add(Tag::AV);
    add_order(read, acquires_, false);
    add_order(write, false, releases_);
    if (reads)
      out.tags = read;
    else
      out.tags = write;
    if (rmw) out.store_tags = write;
    return out;
  }

  // ---- pieces ----
  void append(std::string& mn, int w) const {
    mn += '.';
    mn += spell(w);
  }
  void append_order(std::string& mn) const {
    if (acquires_ && releases_ && !khronos_)
      append(mn, w_acq_rel);
    else {
      if (acquires_) append(mn, w_acq);
      if (releases_) append(mn, w_rel);
    }
  }
  void append_semantics(std::string& mn) const {
    for (int k = w_semsc0; k <= w_semsc3; ++k)
      if (at_[k] != nullptr) append(mn, k);
    if (has(w_semav)) append(mn, w_semav);
    if (has(w_semvis)) append(mn, w_semvis);
  }
  void add_order(TagSet& tags, bool acquire, bool release) const {
    if (!acquire && !release) return;
    tags |= sem_;
    if (acquire) tags.add(Tag::ACQ);
    if (release) tags.add(Tag::REL);
    if (acquire && has(w_semvis)) tags.add(Tag::SEMVIS);
    if (release && has(w_semav)) tags.add(Tag::SEMAV);
  }

  const Cursor& c_;
  const Mnemonic& m_;
  bool khronos_;
  std::array<const Token*, w_count> at_{};
  int scope_ = -1, class_ = -1, first_sem_ = -1;
  TagSet sem_;
  bool acquires_ = false, releases_ = false;
  const term::Op* op_ = nullptr;
  std::string_view op_text_;
};

}  // namespace

const std::vector<std::string>& vulkan_mnemonics() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (int k = w_st; k <= w_visdevice; ++k) out.emplace_back(k_words[k].litmus);
    return out;
  }();
  return names;
}

VulkanOp parse_vulkan_op(const Cursor& c, const Mnemonic& m, VulkanSpelling spelling) {
  if (!Reader::is_head(m.head().text, spelling == VulkanSpelling::khronos)) return {};
  return Reader(c, m, spelling).read();
}

}  // namespace fencepost::litmus
