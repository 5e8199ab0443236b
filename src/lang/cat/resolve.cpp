#include "cat/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <utility>

#include "base/folder.h"
#include "base/read_file.h"
#include "cat/library.h"

namespace fencepost::cat {
namespace {

namespace fs = std::filesystem;

constexpr size_t k_max_files = 500;
constexpr uint64_t k_max_bytes = 16u << 20;

struct Meaning {
  Resolution resolution = Resolution::unknown;
  uint32_t value = 0;
};

// What a name means where no definition of it is in sight.
Meaning vocabulary(std::string_view name) {
  static const std::unordered_map<std::string_view, Meaning> k_table = [] {
    std::unordered_map<std::string_view, Meaning> t;
    for (const auto& tag : vocab::tags()) t[tag.name] = {Resolution::tag, static_cast<uint32_t>(tag.tag)};
    for (const auto& base : vocab::bases()) t[base.name] = {Resolution::base, static_cast<uint32_t>(base.base)};
    t["_"] = {Resolution::everything};
    t["M"] = {Resolution::memory};
    t["0"] = {Resolution::zero};
    t["emptyset"] = {Resolution::emptyset};
    t["domain"] = {Resolution::fn_domain};
    t["range"] = {Resolution::fn_range};
    t["toid"] = {Resolution::fn_toid};
    t["newSet"] = {Resolution::fn_new_set};
    t["newRelation"] = {Resolution::fn_new_relation};
    return t;
  }();
  const auto it = k_table.find(name);
  return it == k_table.end() ? Meaning{} : it->second;
}

class Resolver {
 public:
  Resolver(Program& program, const LoadOptions& options, Findings& findings)
      : p_(program), options_(options), findings_(findings) {}

  void run(SourcePtr main, bool sibling) {
    const uint16_t main_file = open(std::move(main), Role::main);
    std::vector<Statement> statements = parsed(main_file);
    if (!options_.prelude.empty()) library(options_.prelude, Role::prelude);
    if (sibling && options_.sibling_stdlib) sibling_stdlib(main_file, statements);
    variants(main_file);
    include_stack_.push_back({main_file, canonical(p_.files[main_file].source->name)});
    add(std::move(statements));
    for (size_t k = 0; k < options_.variants.size(); ++k)
      for (size_t j = 0; j < k; ++j)
        if (options_.variants[j].first == options_.variants[k].first)
          findings_.error("header", Span{}, fmt::format("variant '{}' is answered twice", options_.variants[k].first),
                          "give one answer");
    for (const auto& [question, answer] : options_.variants)
      if (!is_asked(question))
        findings_.error("header", Span{}, fmt::format("the model has no variant '{}'", question),
                        p_.variants.empty() ? "it has none" : "it has " + questions());
  }

 private:
  struct Included {
    uint16_t file;
    std::string canonical;
  };
  struct Local {
    Symbol symbol;
    BinderId binder;
  };

  // ---- files
  static std::string canonical(const std::string& path) {
    std::error_code ec;
    const fs::path c = fs::weakly_canonical(path, ec);
    return ec ? path : c.string();
  }
  static std::string folder_of(const std::string& path) { return fs::path(path).parent_path().string(); }

  uint16_t open(SourcePtr source, Role role) {
    p_.files.push_back({std::move(source), role, {}, {}, {}});
    return static_cast<uint16_t>(p_.files.size() - 1);
  }

  std::vector<Statement> parsed(uint16_t file) {
    const size_t before = findings_.errors();
    std::vector<Statement> out = parse(p_, file, findings_);
    incomplete_ = incomplete_ || findings_.errors() > before;
    return out;
  }

  bool is_asked(const std::string& question) const {
    return std::any_of(p_.variants.begin(), p_.variants.end(), [&](const auto& v) { return v.first == question; });
  }
  std::string questions() const {
    std::string out;
    for (const auto& v : p_.variants) out += (out.empty() ? "" : ", ") + v.first;
    return out;
  }

  // The sets that a "(* variants: P2=a|b ... *)" header defines: P2-a and P2-b.
  void variants(uint16_t file) {
    const auto& headers = p_.files[file].headers;
    const auto header =
        std::find_if(headers.begin(), headers.end(), [](const Header& h) { return h.key == "variants"; });
    if (header == headers.end()) return;
    const Span at = p_.span(file, header->begin, header->end);
    std::string text;
    std::istringstream words(header->value);
    for (std::string word; words >> word;) {
      const size_t equals = word.find('=');
      std::vector<std::string> answers;
      if (equals != std::string::npos) {
        std::istringstream list(word.substr(equals + 1));
        for (std::string a; std::getline(list, a, '|');) answers.push_back(a);
      }
      const std::string question = word.substr(0, equals);
      if (answers.size() < 2 || is_asked(question)) {
        findings_.error("header", at, fmt::format("'{}' names no question with its answers", word),
                        "write NAME=DEFAULT|OTHER, each name once");
        return;
      }
      const auto given = std::find_if(options_.variants.begin(), options_.variants.end(),
                                      [&](const auto& v) { return v.first == question; });
      std::string answer = given == options_.variants.end() ? answers.front() : given->second;
      if (std::find(answers.begin(), answers.end(), answer) == answers.end()) {
        findings_.error("header", Span{}, fmt::format("'{}' is not an answer to {}", answer, question),
                        fmt::format("the answers are {}", fmt::join(answers, ", ")));
        answer = answers.front();
      }
      p_.variants.emplace_back(question, answer);
      for (const std::string& a : answers)
        text += fmt::format("let {}-{} = {}\n", question, a, a == answer || options_.every_answer ? "_" : "emptyset");
    }
    add(parsed(open(make_source("variants", std::move(text)), Role::prelude)));
  }

  // Files of the model's folder, of the include folders, and those that come with the program.
  bool may_be_quoted(const std::string& path) const {
    std::vector<std::string> folders = options_.include_dirs;
    folders.push_back(models_dir());
    for (const std::string& file : {p_.files[0].source->name, options_.prelude})
      folders.push_back(folder_of(file).empty() ? "." : folder_of(file));
    return std::any_of(folders.begin(), folders.end(), [&](const std::string& f) { return is_below(path, f); });
  }

  void include_error(const Span& span, std::string message, std::string hint = {}) {
    findings_.error("include", span, std::move(message), std::move(hint));
    incomplete_ = true;
  }

  void library(const std::string& path, Role role) {
    const auto source = read_source(path);
    if (!source) {
      include_error(Span{}, fmt::format("cannot read '{}': {}", path, source.error()), "it is read before the model");
      return;
    }
    if (!may_be_quoted(path)) findings_.hide(*source, {});
    include_stack_.push_back({open(*source, role), canonical(path)});
    add(parsed(include_stack_.back().file));
    include_stack_.pop_back();
  }

  void sibling_stdlib(uint16_t main_file, const std::vector<Statement>& statements) {
    const fs::path main_path = p_.files[main_file].source->name;
    const fs::path path = main_path.parent_path() / "stdlib.cat";
    std::error_code ec;
    if (main_path.filename() == "stdlib.cat" || !fs::is_regular_file(path, ec)) return;
    const std::string wanted = canonical(path.string());
    for (const Statement& s : statements)
      if (s.kind == StatementKind::include && canonical(find_include(s)) == wanted) return;
    library(path.string(), Role::stdlib);
  }

  // The file that an include names: beside the including file, else in an include folder, else a shipped model or one
  // of models/herd, which stand for files of herd's library; "" if none is there.
  std::string find_include(const Statement& s) const {
    std::error_code ec;
    const fs::path name = s.include;
    const fs::path beside = fs::path(folder_of(p_.files[s.file].source->name)) / name;
    if (fs::is_regular_file(beside, ec)) return beside.string();
    if (name.is_relative())
      for (const std::string& dir : options_.include_dirs)
        if (const fs::path at = fs::path(dir) / name; fs::is_regular_file(at, ec)) return at.string();
    if (!name.has_parent_path())
      for (const fs::path& folder : {fs::path(models_dir()), fs::path(models_dir()) / "herd"})
        if (fs::is_regular_file(folder / name, ec)) return (folder / name).string();
    return {};
  }

  void include(const Statement& s) {
    const Span span = p_.span(s.file, s.name_begin, s.name_end);
    const std::string path = find_include(s);
    if (path.empty()) return missing_include(s, span);
    const std::string id = canonical(path);
    const auto same = std::find_if(include_stack_.begin(), include_stack_.end(),
                                   [&](const Included& i) { return i.canonical == id; });
    if (same != include_stack_.end()) {
      std::string cycle;
      for (auto it = same; it != include_stack_.end(); ++it)
        cycle += fs::path(p_.files[it->file].source->name).filename().string() + " -> ";
      cycle += fs::path(path).filename().string();
      include_error(span, fmt::format("this include closes a cycle: {}", cycle),
                    "move what both files need into a third one");
      return;
    }
    if (p_.files.size() >= k_max_files) {
      include_error(span, fmt::format("more than {} files are included", k_max_files),
                    "a file that is included several times counts each time");
      return;
    }
    const auto source = read_source(path);
    if (!source) {
      include_error(span, fmt::format("cannot read '{}': {}", path, source.error()));
      return;
    }
    if (!may_be_quoted(path)) findings_.hide(*source, span);
    const Role here = p_.files[s.file].role;
    const uint16_t opened = open(*source, here == Role::main ? Role::included : here);
    include_stack_.push_back({opened, id});
    std::vector<Statement> statements = parsed(opened);
    variants(opened);
    add(std::move(statements));
    include_stack_.pop_back();
  }

  void missing_include(const Statement& s, const Span& span) {
    std::error_code ec;
    const std::string folder = folder_of(p_.files[s.file].source->name);
    std::vector<std::string> there;
    for (fs::directory_iterator it(folder.empty() ? "." : folder, ec), end; !ec && it != end && there.size() < 1000;
         it.increment(ec))
      if (it->path().extension() == ".cat") there.push_back(it->path().filename().string());
    for (const ModelInfo& shipped : shipped_models()) there.push_back(shipped.name + ".cat");
    std::sort(there.begin(), there.end());
    const std::string near = nearest(s.include, there);
    include_error(span, fmt::format("there is no file '{}'", s.include),
                  near.empty() ? "it is searched beside this file, in the include folders, and among the shipped models"
                               : fmt::format("did you mean '{}'?", near));
  }

  // ---- statements
  void add(std::vector<Statement> statements) {
    for (Statement& s : statements) {
      if (findings_.full()) return;
      if (s.kind == StatementKind::include) {
        include(s);
        continue;
      }
      p_.statements.push_back(std::move(s));
      statement(p_.statements.back());
    }
  }

  void statement(Statement& s) {
    switch (s.kind) {
      case StatementKind::let:
        let(s.let, locals_.empty());
        break;
      case StatementKind::axiom:
        name_uses(s.expr);
        break;
      case StatementKind::show:
        for (const ShowItem& item : s.shows) name_uses(item.expr);
        break;
      case StatementKind::procedure:
        procedure(s);
        break;
      case StatementKind::call:
        call(s);
        break;
      case StatementKind::include:
      case StatementKind::ignored:
        break;
    }
  }

  void procedure(Statement& s) {
    locals_.emplace_back();
    for (Parameter& q : s.parameters) q.binder = local(BinderKind::parameter, q.symbol, s.file, q.begin, q.end);
    const size_t frames = locals_.size();
    for (Statement& inner : s.body) statement(inner);
    locals_.resize(frames - 1);
    const BinderId id = binder(BinderKind::procedure, s.symbol, s.file, s.name_begin, s.name_end);
    procedures_[s.symbol] = {static_cast<uint32_t>(p_.procedures.size()), id};
    p_.procedures.push_back(&s);
  }

  void call(Statement& s) {
    for (ExprId e : s.arguments) name_uses(e);
    const auto it = procedures_.find(s.symbol);
    const Span span = p_.span(s.file, s.name_begin, s.name_end);
    if (it == procedures_.end()) {
      std::vector<std::string> names;
      for (const auto& [symbol, _] : procedures_) names.push_back(p_.name(symbol));
      std::sort(names.begin(), names.end());
      const std::string near = nearest(p_.symbols.text(s.symbol), names);
      if (!incomplete_)
        findings_.error(
            "unknown-name", span, fmt::format("there is no procedure '{}'", p_.symbols.text(s.symbol)),
            near.empty() ? "a procedure is defined before it is called" : fmt::format("did you mean '{}'?", near));
      s.kind = StatementKind::ignored;
      return;
    }
    s.procedure = it->second.first;
    ++p_.binders[it->second.second].uses;
    const size_t want = p_.procedures[s.procedure]->parameters.size();
    if (s.arguments.size() != want) {
      findings_.error("type", span,
                      fmt::format("'{}' takes {} argument{}, not {}", p_.symbols.text(s.symbol), want,
                                  want == 1 ? "" : "s", s.arguments.size()));
      s.kind = StatementKind::ignored;
    }
  }

  // ---- binders
  BinderId binder(BinderKind kind, Symbol symbol, uint16_t file, uint32_t begin, uint32_t end) {
    p_.binders.push_back({kind, symbol, file, begin, end, 0, 0});
    return static_cast<BinderId>(p_.binders.size() - 1);
  }
  BinderId local(BinderKind kind, Symbol symbol, uint16_t file, uint32_t begin, uint32_t end) {
    const BinderId b = binder(kind, symbol, file, begin, end);
    locals_.back().push_back({symbol, b});
    return b;
  }
  void define(Binding& b, uint16_t file, bool global) {
    if (!global) {
      b.binder = local(BinderKind::local, b.symbol, file, b.begin, b.end);
      return;
    }
    b.binder = binder(BinderKind::definition, b.symbol, file, b.begin, b.end);
    if (globals_.size() <= b.symbol) globals_.resize(std::max<size_t>(p_.symbols.size(), b.symbol + 1), 0);
    p_.binders.back().replaces = globals_[b.symbol];
    globals_[b.symbol] = b.binder + 1;
  }

  // Local groups open one frame, which stays open for the caller to close.
  void let(uint32_t index, bool global) {
    Let& group = p_.lets[index];
    if (group.recursive) {
      if (!global) locals_.emplace_back();
      const auto first = static_cast<BinderId>(p_.binders.size());
      for (Binding& b : group.bindings) {
        if (!b.groups.empty())
          findings_.unsupported(p_.span(group.file, b.begin, b.end), "a recursive function is not supported here",
                                "'let rec' defines sets and relations");
        define(b, group.file, global);
      }
      recursive_.push_back({first, static_cast<BinderId>(p_.binders.size())});
      for (Binding& b : group.bindings) body(b, group.file);
      recursive_.pop_back();
      return;
    }
    for (Binding& b : group.bindings) body(b, group.file);
    if (!global) locals_.emplace_back();
    for (Binding& b : group.bindings) define(b, group.file, global);
  }

  void body(Binding& b, uint16_t file) {
    for (std::vector<Parameter>& group : b.groups) {
      locals_.emplace_back();
      for (Parameter& q : group) q.binder = local(BinderKind::parameter, q.symbol, file, q.begin, q.end);
    }
    name_uses(b.body);
    locals_.resize(locals_.size() - b.groups.size());
  }

  // ---- names
  void name_uses(ExprId id) {
    switch (p_.exprs[id].kind) {
      case ExprKind::name:
        name(p_.exprs[id]);
        return;
      case ExprKind::fun:
        body(p_.lets[p_.exprs[id].payload].bindings[0], p_.exprs[id].file);
        return;
      case ExprKind::let_in: {
        const size_t frames = locals_.size();
        let(p_.exprs[id].payload, false);
        name_uses(p_.exprs[id].first);
        locals_.resize(frames);
        return;
      }
      case ExprKind::try_with: {
        const ExprId first = p_.exprs[id].first;
        const bool outer = std::exchange(tried_unknown_, false);
        ++trying_;
        name_uses(first);
        --trying_;
        p_.exprs[id].payload = tried_unknown_ ? 1 : 0;
        if (tried_unknown_)
          findings_.warning("try", p_.span(p_.exprs[first]),
                            "a name in this expression is unknown, so the alternative is used",
                            "write the alternative alone");
        tried_unknown_ = outer;
        name_uses(p_.exprs[first].next);
        return;
      }
      default:
        for (ExprId k = p_.exprs[id].first; k != k_no_expr; k = p_.exprs[k].next) name_uses(k);
    }
  }

  void count_use(BinderId b) {
    for (const auto& [first, last] : recursive_)
      if (b >= first && b < last && p_.binders[b].kind != BinderKind::parameter) return;
    ++p_.binders[b].uses;
  }

  void name(Expr& e) {
    for (size_t up = 0; up < locals_.size(); ++up) {
      const auto& frame = locals_[locals_.size() - 1 - up];
      for (size_t slot = frame.size(); slot-- > 0;) {
        if (frame[slot].symbol != e.symbol) continue;
        e.resolution = Resolution::local;
        e.depth = static_cast<uint16_t>(up);
        e.value = static_cast<uint32_t>(slot);
        count_use(frame[slot].binder);
        return;
      }
    }
    if (e.symbol < globals_.size() && globals_[e.symbol] != 0) {
      e.resolution = Resolution::global;
      e.value = globals_[e.symbol] - 1;
      count_use(e.value);
      return;
    }
    const Meaning m = vocabulary(p_.symbols.text(e.symbol));
    e.resolution = m.resolution;
    e.value = m.value;
    if (m.resolution != Resolution::unknown) return;
    if (trying_ > 0) {
      tried_unknown_ = true;
    } else {
      unknown(e);
    }
  }

  std::vector<std::string> visible_names() const {
    std::vector<std::string> out;
    for (Symbol s = 0; s < globals_.size(); ++s)
      if (globals_[s] != 0) out.push_back(p_.name(s));
    for (const auto& frame : locals_)
      for (const Local& l : frame) out.push_back(p_.name(l.symbol));
    for (const auto& t : vocab::tags()) out.push_back(t.name);
    for (const auto& b : vocab::bases()) out.push_back(b.name);
    for (const char* n : {"M", "emptyset", "domain", "range", "toid"}) out.push_back(n);
    return out;
  }

  bool known(std::string_view name) const {
    if (vocabulary(name).resolution != Resolution::unknown) return true;
    const auto names = visible_names();
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  // Names of herd that go by another name here.
  static std::string other_name(std::string_view name) {
    static const std::unordered_map<std::string_view, std::string_view> k_table = {
        {"I", "IW"},
        {"unv", "_ * _"},
        {"wi", "int"},
        {"wg", "swg"},
        {"dev", "sdv"},
        {"cta", "scta"},
        {"cluster", "scluster"},
        {"nonatomicloc", "NAL"},
        {"mo_sc", "SC"},
        {"mo_acq", "ACQ"},
        {"mo_rel", "REL"},
        {"memory_order_seq_cst", "SC"},
        {"memory_order_acquire", "ACQ"},
        {"memory_order_release", "REL"},
        {"memory_order_acq_rel", "ACQ_REL"},
        {"memory_order_relaxed", "RLX"},
        {"memory_scope_work_item", "WI"},
        {"memory_scope_work_group", "WG"},
        {"memory_scope_device", "DV"},
        {"memory_scope_all_svm_devices", "ALL"},
        {"same_B", "syncbar"},
        {"rmw", "amo"},
        {"po-loc", "po & loc"},
        {"fr", "rf^-1; co"},
        {"rfe", "rf & ext"},
        {"coe", "co & ext"},
        {"fre", "(rf^-1; co) & ext"},
        {"membar.cta", "po; [F & SC & CTA]; po"},
        {"membar.gl", "po; [F & SC & GPU]; po"},
        {"membar.sys", "po; [F & SC & SYS]; po"}};
    const auto it = k_table.find(name);
    return it == k_table.end() ? std::string() : std::string(it->second);
  }

  void unknown(const Expr& e) {
    if (incomplete_ || findings_.full()) return;  // its definition may stand where nothing could be read
    const std::string text = p_.name(e.symbol);
    std::string hint = "it is not a definition above, an event tag or a base relation (docs/cat.md lists them)";
    const std::string other = other_name(text);
    if (!other.empty()) {
      hint = fmt::format("here it is '{}'", other);
    } else if (const std::string near = nearest(text, visible_names()); !near.empty()) {
      hint = fmt::format("did you mean '{}'?", near);
    }
    for (size_t dash = text.size() < 64 ? text.find('-') : std::string::npos;
         other.empty() && dash != std::string::npos; dash = text.find('-', dash + 1)) {
      const std::string left = text.substr(0, dash), right = text.substr(dash + 1);
      if (right == "1" && known(left)) hint = fmt::format("the inverse is written {}^-1", left);
      if (!left.empty() && !right.empty() && known(left) && known(right))
        hint = fmt::format("'-' is part of a name; the difference is written {} \\ {}", left, right);
    }
    for (const Let& group : p_.lets)
      for (const Binding& b : group.bindings)
        if (b.symbol == e.symbol && b.end != 0 && group.file == e.file && b.begin > e.begin)
          hint = fmt::format(
              "it is defined only at line {}: a definition comes before its uses, or both stand in one 'let rec'",
              p_.span(group.file, b.begin, b.end).position().line);
    const auto length = static_cast<uint32_t>(text.size());
    findings_.error("unknown-name", p_.span(e.file, e.at, e.at + length), fmt::format("unknown name '{}'", text), hint);
  }

  Program& p_;
  const LoadOptions& options_;
  Findings& findings_;
  std::vector<Included> include_stack_;
  std::vector<uint32_t> globals_;  // by symbol: binder + 1
  std::unordered_map<Symbol, std::pair<uint32_t, BinderId>> procedures_;
  std::vector<std::vector<Local>> locals_;  // one per frame of the running program
  std::vector<std::pair<BinderId, BinderId>> recursive_;
  bool incomplete_ = false;  // some text could not be read: no conclusions about names
  int trying_ = 0;
  bool tried_unknown_ = false;
};

}  // namespace

std::expected<SourcePtr, std::string> read_source(const std::string& path) {
  auto source = read_file(path, k_max_bytes);
  if (source) return *std::move(source);
  const std::string& said = source.error().list.front().message;
  const std::string place = fmt::format("cannot read {}: ", path);
  return std::unexpected(said.starts_with(place) ? said.substr(place.size()) : said);
}

void resolve(Program& program, SourcePtr main, const LoadOptions& options, bool sibling, Findings& findings) {
  Resolver(program, options, findings).run(std::move(main), sibling);
}

}  // namespace fencepost::cat
