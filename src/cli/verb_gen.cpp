#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/generated.h"
#include "cli/inputs.h"
#include "cli/json.h"
#include "cli/parallel.h"
#include "cli/verbs.h"
#include "cycle/families.h"
#include "cycle/layout.h"
#include "cycle/paths.h"
#include "cycle/test.h"
#include "cycle/thesis.h"
#include "print/litmus.h"
#include "prog/syntax.h"
#include "suite/decide.h"

namespace fencepost::cli {
namespace {

using gen::Reach;
using gen::Spec;

// The families of the thesis's classic idioms, plain and volatile, with every membar and the false dependencies of its
// dialect, in its three configurations: one CTA and shared memory, one CTA and global memory, a CTA for each thread.
Expected<std::vector<Spec>> thesis_specs(uint64_t most) {
  std::vector<Spec> out;
  for (const bool one_location : {true, false}) {
    gen::FamilyRequest r;
    r.most_threads = 4;
    r.families = one_location ? std::vector<std::string>{"CoRR"}
                              : std::vector<std::string>{"MP", "SB", "LB", "S", "R", "2+2W", "IRIW"};
    r.same_location = one_location;
    for (const char* kind : {"Po", "Fence.sc.cta", "Fence.sc.gpu", "Fence.sc.sys", "DpAddr", "DpData"})
      if (!one_location || std::string_view(kind).starts_with("Po") || std::string_view(kind).starts_with("Fence"))
        r.relations.push_back(*gen::parse_kind(kind));
    r.reads = r.writes = {gen::Node{}, *gen::parse_node("volatile")};
    r.uniform = true;
    r.placement = gen::FamilyRequest::Placement::given;
    r.trees = {"01", "0.1", "0123", "0.1.2.3"};
    const auto n = gen::enumerate(r, [&](const Spec& s) {
      const bool together = gen::common_level(s.tree, 0, 1) == gen::Scope::cta;
      if (together) {
        Spec shared = s;
        for (gen::Node& node : shared.cycle.nodes) node.region = gen::Region::shared;
        out.push_back(gen::canonical(shared));
      }
      out.push_back(s);
      return most == 0 || out.size() < most;
    });
    if (!n) return std::unexpected(n.error());
  }
  if (most > 0 && out.size() > most) out.resize(most);
  return out;
}

Expected<std::vector<Spec>> family_specs(const Settings& s) {
  gen::FamilyRequest r;
  r.most_threads = s.family_size;
  if (s.families != std::vector<std::string>{"all"}) {
    r.families = s.families;
    for (const std::string& f : r.families) {
      const auto known = gen::parse_name(f);
      if (!known) return std::unexpected(known.error());
      if (known->tree.places.size() > r.most_threads) r.most_threads = static_cast<uint32_t>(known->tree.places.size());
    }
  }
  for (const std::string& k : s.relations.empty() ? std::vector<std::string>{"Po"} : s.relations) {
    const auto e = gen::parse_kind(k);
    if (!e) return std::unexpected(e.error());
    r.relations.push_back(*e);
  }
  for (const auto& [texts, nodes] : {std::pair(&s.reads, &r.reads), std::pair(&s.writes, &r.writes)})
    for (const std::string& text : *texts) {
      const auto n = gen::parse_node(text);
      if (!n) return std::unexpected(n.error());
      nodes->push_back(*n);
    }
  r.uniform = s.uniform;
  r.same_location = s.one_location;
  r.limit = s.most;
  if (s.placements == std::vector<std::string>{"all"}) {
    r.placement = gen::FamilyRequest::Placement::all;
  } else if (!s.placements.empty()) {
    r.placement = gen::FamilyRequest::Placement::given;
    r.trees = s.placements;
  }
  std::vector<Spec> out;
  const auto n = gen::enumerate(r, [&](const Spec& spec) {
    out.push_back(spec);
    return true;
  });
  if (!n) return std::unexpected(n.error());
  return out;
}

// One cycle as written: its threads stay as its first relation numbers them.
Expected<std::vector<Spec>> cycle_specs(const gen::Cycle& c, const Settings& s) {
  std::vector<Spec> out;
  if (s.placements == std::vector<std::string>{"all"}) {
    const auto layout = gen::lay_out(c);
    if (!layout) return std::unexpected(layout.error());
    const size_t threads = layout->threads.size();
    if (threads > 6)
      return unsupported_at({}, "all placements of more than six threads are not made", "give --scopes TREE");
    std::vector<Spec> seen;
    for (const gen::Tree& t : gen::all_trees(threads, false)) {
      const auto met = [&](const gen::Constraint& k) { return gen::common_level(t, k.a, k.b) == k.level; };
      if (!std::all_of(layout->constraints.begin(), layout->constraints.end(), met)) continue;
      auto spec = gen::spec_of(c, gen::print(t));
      if (!spec) return std::unexpected(spec.error());
      const Spec normal = gen::canonical(*spec);
      if (std::find(seen.begin(), seen.end(), normal) != seen.end()) continue;
      seen.push_back(normal);
      out.push_back(std::move(*spec));
    }
    return out;
  }
  std::vector<std::optional<std::string>> trees(s.placements.begin(), s.placements.end());
  if (trees.empty()) trees.emplace_back();
  for (const auto& tree : trees) {
    auto spec = gen::spec_of(c, tree);
    if (!spec) return std::unexpected(spec.error());
    out.push_back(std::move(*spec));
  }
  return out;
}

// Options of the enumeration say nothing of given cycles.
Expected<void> only_families(const Settings& s) {
  const char* given = !s.relations.empty() ? "--relations"
                      : !s.reads.empty()   ? "--reads"
                      : !s.writes.empty()  ? "--writes"
                      : s.uniform          ? "--uniform"
                      : s.one_location     ? "--one-location"
                                           : nullptr;
  if (given == nullptr || !s.families.empty()) return {};
  return error_at({}, fmt::format("{} belongs to --families", given),
                  "give --families all, or describe the cycle itself");
}

Expected<std::vector<Spec>> specs_of(const CommandLine& line) {
  const Settings& s = line.settings;
  const int sources =
      (s.cycle.empty() ? 0 : 1) + (s.families.empty() ? 0 : 1) + (line.operands.empty() ? 0 : 1) + (s.thesis ? 1 : 0);
  if (sources != 1)
    return error_at({}, sources == 0 ? "nothing to make a test from" : "more than one source of tests",
                    "give one of --cycle, --families, --thesis and names");
  if (auto ok = only_families(s); !ok) return std::unexpected(ok.error());
  if (s.thesis && !s.placements.empty())
    return error_at({}, "--thesis has its own placements", "leave --scopes out, or use --families");
  if (!s.cycle.empty()) {
    const auto c = gen::parse_cycle(s.cycle);
    if (!c) return std::unexpected(c.error());
    return cycle_specs(*c, s);
  }
  if (!s.families.empty()) return family_specs(s);
  if (s.thesis) return thesis_specs(s.most);
  std::vector<Spec> out;
  for (const std::string& name : line.operands) {
    auto spec = gen::parse_name(name);
    if (!spec) return std::unexpected(spec.error());
    if (s.placements.empty()) {
      out.push_back(std::move(*spec));
      continue;
    }
    if (name.find('@') != std::string::npos)
      return error_at({}, fmt::format("{} has a placement, and so does --scopes", name), "leave one of the two out");
    auto placed = cycle_specs(spec->cycle, s);
    if (!placed) return placed;
    for (Spec& p : *placed) out.push_back(std::move(p));
  }
  return out;
}

// What a test is made from: a cycle, or a row of the thesis with its own name.
struct Source {
  std::optional<Spec> spec;
  std::optional<gen::ThesisRow> row;
  std::string coherence;  // one of the tests of sequential consistency per location that are no cycles
  gen::Tree placement;    // of it
  std::optional<gen::Path> path;
};

// The published names (OOPSLA 2020, section 6.4) beside CoRR, which is a cycle.
bool is_coherence(const std::string& name) {
  return name == "CoRW1" || name == "CoRW2" || name == "CoWR" || name == "CoWW";
}

// Those of two threads stand where --scopes says; the others have one.
Expected<void> add_coherence(const std::string& name, const Settings& s, std::vector<Source>& out) {
  const size_t threads = name == "CoRW2" || name == "CoWR" ? 2 : 1;
  std::vector<gen::Tree> trees;
  if (s.placements == std::vector<std::string>{"all"}) {
    trees = gen::all_trees(threads, false);
  } else if (s.placements.empty()) {
    trees = {gen::spread(threads)};
  } else {
    for (const std::string& text : s.placements) {
      const auto tree = gen::parse_tree(text, threads);
      if (!tree) return std::unexpected(tree.error());
      trees.push_back(*tree);
    }
  }
  for (const gen::Tree& tree : trees) out.push_back({std::nullopt, std::nullopt, name, tree, std::nullopt});
  return {};
}

// The rows of the thesis that are not among its families: loads of L1, mixed regions, locks and queues.
bool beyond_families(const gen::ThesisRow& row) {
  if (!row.spec || row.table == "4.2" || row.table == "4.3") return true;
  return row.table == "6.1" && (row.name == "SB-xshared-yglobal" || row.name == "SB-xglobal-yshared");
}

Expected<std::vector<Source>> sources_of(const CommandLine& line) {
  const Settings& s = line.settings;
  if (s.rows && !s.thesis)
    return error_at({}, "--rows belongs to --thesis", "gen --thesis --rows makes the rows of its tables");
  std::vector<Source> out;
  CommandLine cycles = line;
  std::erase_if(cycles.operands, [](const std::string& n) { return is_coherence(n) || gen::is_path(n); });
  const bool named = cycles.operands.size() < line.operands.size();
  if (named && (s.thesis || !s.cycle.empty() || !s.families.empty()))
    return error_at({}, "more than one source of tests", "give one of --cycle, --families, --thesis and names");
  // "--families async": every path of asynchronous PTX.
  const bool paths = s.families == std::vector<std::string>{"async"};
  if (paths && (!line.operands.empty() || !s.cycle.empty() || s.thesis))
    return error_at({}, "more than one source of tests", "give one of --cycle, --families, --thesis and names");
  if (paths && !s.placements.empty()) return error_at({}, "paths have their own placements", "leave --scopes out");
  if (paths) {
    if (!s.relations.empty() || !s.reads.empty() || !s.writes.empty() || s.uniform || s.one_location)
      return error_at({}, "paths have their own accesses and relations", "leave the options of other families out");
    gen::enumerate_paths([&](const gen::Path& p) {
      out.push_back({std::nullopt, std::nullopt, "", {}, p});
      return s.most == 0 || out.size() < s.most;
    });
    return out;
  }
  if (!s.rows && !(named && cycles.operands.empty())) {
    auto specs = specs_of(cycles);
    if (!specs) return std::unexpected(specs.error());
    for (Spec& spec : *specs) out.push_back({std::move(spec), std::nullopt, "", {}, std::nullopt});
  }
  for (const std::string& name : line.operands)
    if (gen::is_path(name)) {
      auto path = gen::parse_path(name);
      if (!path) return std::unexpected(path.error());
      if (!s.placements.empty())
        return error_at({}, fmt::format("{} has its own placement", name), "leave --scopes out");
      out.push_back({std::nullopt, std::nullopt, "", {}, std::move(*path)});
    } else if (is_coherence(name))
      if (const auto ok = add_coherence(name, s, out); !ok) return std::unexpected(ok.error());
  if (!s.rows) {
    if (const auto ok = only_families(s); !ok) return std::unexpected(ok.error());
  } else if (!s.placements.empty() || !line.operands.empty() || !s.cycle.empty() || !s.families.empty()) {
    return error_at({}, "the rows of the thesis are what they are", "give --thesis --rows alone");
  }
  if (!s.thesis) return out;
  for (gen::ThesisRow& row : gen::thesis_rows())
    if ((s.rows || beyond_families(row)) && (s.most == 0 || out.size() < s.most))
      out.push_back({row.spec, std::move(row), "", {}, std::nullopt});
  return out;
}

struct Made {
  std::string name, cycle, placement, text, verdict, other, detail;
  bool keep = true, undecided = false;
  std::optional<Diagnostics> refused;
};

struct Judges {
  const cat::Model* model = nullptr;
  const cat::Model* clustered = nullptr;  // of tests with clusters, where nobody names a model
  const cat::Model* newest = nullptr;     // of paths, likewise
  const cat::Model* hosted = nullptr;     // of tests with threads of the host, likewise
  const cat::Model* first = nullptr;      // separating
  const cat::Model* second = nullptr;
};

Made make(const Source& source, const gen::TestOptions& options, const Judges& judges, const Settings& s) {
  Made m;
  if (!source.coherence.empty()) {
    m.placement = gen::print(source.placement);
    m.name = source.coherence;
    if (source.placement.places.size() > 1 && source.placement != gen::spread(2)) m.name += "@" + m.placement;
  } else if (source.path) {
    m.name = gen::name(*source.path);
  } else {
    m.name = source.row ? source.row->name : gen::name(*source.spec);
  }
  if (source.spec) {
    m.cycle = gen::print(source.spec->cycle);
    m.placement = gen::print(source.spec->tree);
  }
  const auto test = !source.coherence.empty() ? gen::coherence_test(source.coherence, options, source.placement)
                    : source.path             ? gen::make_test(*source.path, options)
                    : source.row              ? gen::make_test(*source.row)
                                              : gen::make_test(*source.spec, options);
  if (!test) {
    m.refused = test.error();
    m.keep = false;
    return m;
  }
  m.text = print::print(*test);
  const auto ask = [&](const cat::Model& model) {
    Job job = job_of(s);
    gen::Answer a = gen::ask(*test, model, check_options(s), job);
    if (a.reach == Reach::undecided) {
      m.undecided = true;
      m.detail = a.detail;
    }
    return a.reach;
  };
  if (judges.model != nullptr) {
    const cat::Model& model = judges.hosted != nullptr && prog::host_thread(*test) != nullptr ? *judges.hosted
                              : judges.newest != nullptr && source.path                       ? *judges.newest
                              : judges.clustered != nullptr && prog::has_clusters(*test)      ? *judges.clustered
                                                                                              : *judges.model;
    const Reach r = ask(model);
    m.verdict = gen::name(r);
    if (s.allowed && r != Reach::allowed) m.keep = false;
    if ((s.forbidden || s.minimal) && r != Reach::forbidden) m.keep = false;
    if (s.minimal && m.keep) {
      Job job = job_of(s);
      const gen::Minimality minimal = gen::minimality(*test, model, check_options(s), job);
      if (minimal.kind == gen::Minimality::Kind::undecided) {
        m.undecided = true;
        m.detail = "undecided step: " + minimal.step;
      }
      m.keep = minimal.kind == gen::Minimality::Kind::minimal;
    }
  }
  if (judges.first != nullptr && m.keep) {
    const Reach a = ask(*judges.first), b = ask(*judges.second);
    m.verdict = gen::name(a);
    m.other = gen::name(b);
    m.keep = (a == Reach::allowed && b == Reach::forbidden) || (a == Reach::forbidden && b == Reach::allowed);
  }
  return m;
}

}  // namespace

int run_gen(const CommandLine& line, const Console& console) {
  const Settings& s = line.settings;
  const auto specs = sources_of(line);
  if (!specs) return report_errors(console, specs.error());
  gen::TestOptions options;
  const auto syntax = notation_of(s.thesis ? "gpu_ptx" : s.notation);
  if (!syntax) return report_errors(console, syntax.error());
  options.syntax = *syntax;
  if (!s.access.empty()) {
    const auto access = gen::parse_node(s.access);
    if (!access) return report_errors(console, access.error());
    options.access = *access;
  }
  if (!s.separating.empty() && s.separating.size() != 2)
    return report_errors(
        console, error_at({}, fmt::format("--separating takes two models, and {} are given", s.separating.size()),
                          "--separating ptx-6.0,ptx-7.5")
                     .error());
  if (s.allowed && (s.forbidden || s.minimal))
    return report_errors(
        console,
        error_at({}, "no test is allowed and forbidden", "leave out --allowed, or --forbidden and --minimal").error());

  ModelCache models;
  Judges judges;
  const vocab::Dialect dialect = *syntax == prog::Syntax::vulkan   ? vocab::Dialect::vulkan
                                 : *syntax == prog::Syntax::opencl ? vocab::Dialect::opencl
                                                                   : vocab::Dialect::ptx;
  const auto load = [&](const std::string& name, const cat::Model*& into) -> Expected<void> {
    const auto& m = models.get(name, dialect);
    if (!m) return std::unexpected(m.error());
    into = &*m;
    return {};
  };
  Expected<void> loaded;
  if (s.decide || s.allowed || s.forbidden || s.minimal) loaded = load(s.model, judges.model);
  if (loaded && judges.model != nullptr && s.model.empty() && *syntax == prog::Syntax::ptx)
    loaded = load("ptx-8", judges.clustered);
  if (loaded && judges.clustered != nullptr) loaded = load("ptx-9", judges.newest);
  if (loaded && judges.clustered != nullptr) loaded = load("ptx-8-x86", judges.hosted);
  if (loaded && !s.separating.empty()) loaded = load(s.separating[0], judges.first);
  if (loaded && !s.separating.empty()) loaded = load(s.separating[1], judges.second);
  if (!loaded) return report_errors(console, loaded.error());
  const bool deciding = judges.model != nullptr || judges.first != nullptr;

  // One test that cannot be made is the input's fault; of many, those that the dialect lacks are counted.
  std::optional<Folder> folder;
  if (!s.output.empty()) {
    auto opened = Folder::open(s.output);
    if (!opened) return report_errors(console, opened.error());
    folder = std::move(*opened);
  }
  const bool single = specs->size() == 1;
  std::string index = csv_line({"name", "cycle", "placement", "verdict", "file"}), list;
  std::vector<std::string> json;
  std::map<std::string, uint64_t> counts;
  uint64_t kept = 0, refused = 0, undecided = 0;
  std::optional<Diagnostics> failed;
  Progress progress(console, specs->size(), "tests");
  in_order(
      specs->size(), s.threads, progress, [&](size_t i) { return make((*specs)[i], options, judges, s); },
      [&](size_t, Made m) {
        if (m.refused) {
          ++refused;
          if (single) failed = *m.refused;
          return;
        }
        if (deciding) ++counts[m.other.empty() ? m.verdict : m.verdict + "/" + m.other];
        if (m.undecided) {
          ++undecided;
          progress.clear();
          console.err(fmt::format("{}: undecided: {}\n", m.name, m.detail));
        }
        if (!m.keep) return;
        ++kept;
        const std::string verdict = m.other.empty() ? m.verdict : m.verdict + "/" + m.other;
        if (folder && !failed) {
          const std::string file = m.name + ".litmus";
          if (auto ok = folder->write(file, m.text); !ok) failed = ok.error();
          index += csv_line({m.name, m.cycle, m.placement, verdict, file});
        }
        if (s.json)
          json.push_back(
              fmt::format("{{\"name\": {}, \"cycle\": {}, \"placement\": {}, \"verdict\": {}, \"text\": {}}}",
                          json_string(m.name), json_string(m.cycle), json_string(m.placement),
                          verdict.empty() ? "null" : json_string(verdict), json_string(m.text)));
        else if (single && !deciding && !folder)
          list += m.text;
        else if (!folder)
          list += verdict.empty() ? m.name + "\n" : fmt::format("{:<10} {}\n", verdict, m.name);
      });
  progress.clear();
  if (failed) return report_errors(console, *failed);
  if (folder)
    if (auto ok = folder->write("index.csv", index); !ok) return report_errors(console, ok.error());
  std::string counted, counted_json;
  for (const auto& [verdict, n] : counts) {
    counted += fmt::format("{}{} {}", counted.empty() ? "" : ", ", n, verdict);
    counted_json += fmt::format("{}{}: {}", counted_json.empty() ? "" : ", ", json_string(verdict), n);
  }
  if (s.json) {
    std::string tests;
    for (const std::string& j : json) tests += (tests.empty() ? "\n    " : ",\n    ") + j;
    console.out(
        fmt::format("{{\n  \"schema\": \"fencepost.gen/1\",\n  \"dialect\": {}, \"access\": {}, \"made\": {}, "
                    "\"refused\": {}, \"kept\": {},\n  \"verdicts\": {{{}}},\n  \"tests\": [{}]\n}}\n",
                    json_string(prog::name(*syntax)), s.access.empty() ? "null" : json_string(s.access),
                    specs->size() - refused, refused, kept, counted_json, tests));
  } else {
    if (!single || deciding || folder)
      list += fmt::format("{} test{}{}{}{}{}\n", specs->size() - refused, specs->size() - refused == 1 ? "" : "s",
                          s.access.empty() ? "" : fmt::format(" with --access {}", s.access),
                          counted.empty() ? "" : ": " + counted,
                          kept != specs->size() - refused ? fmt::format("; {} kept", kept) : "",
                          refused > 0 ? fmt::format("; {} cycles are not in the dialect", refused) : "");
    console.out(list);
  }
  return undecided > 0 ? k_exit_undecided : k_exit_holds;
}

}  // namespace fencepost::cli
