// JSON, SARIF and HTML of a report.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/uri.h"
#include "draw/answer.h"
#include "launch/toolkit.h"
#include "verifier/report.h"
#include "verifier/service.h"

namespace fencepost::verifier {
namespace {

using nlohmann::ordered_json;
using prove::Finding;
using prove::Kind;
using prove::Side;

const char* answer_name(int exit_code) {
  switch (exit_code) {
    case 0:
      return "verified";
    case 1:
      return "defect";
    case 2:
      return "bad_input";
    case 3:
      return "not_decided";
    default:
      return "internal_error";
  }
}

const char* access_name(ir::AccessKind k) {
  return k == ir::AccessKind::read ? "read" : k == ir::AccessKind::write ? "write" : "atomic";
}

// What a code-scanning viewer files a finding under.
struct Rule {
  Kind kind;
  const char *id, *name, *sentence;
};
constexpr Rule k_rules[] = {
    {Kind::race, "data-race", "DataRace",
     "Two threads access the same bytes, one of them writes, and nothing orders them."},
    {Kind::barrier_divergence, "barrier-divergence", "BarrierDivergence",
     "Not all threads of a group reach this barrier."},
    {Kind::assertion, "assertion", "Assertion", "An assertion does not hold."},
    {Kind::invariant_entry, "invariant-entry", "InvariantOnEntry",
     "A loop invariant does not hold when the loop is entered."},
    {Kind::invariant_maintained, "invariant", "InvariantMaintained", "A loop invariant is not maintained by the loop."},
    {Kind::precondition, "precondition", "Precondition", "A requirement of a called function does not hold."},
    {Kind::postcondition, "postcondition", "Postcondition", "What a function ensures does not hold when it returns."},
    {Kind::barrier_invariant, "barrier-invariant", "BarrierInvariant", "A barrier invariant does not hold."},
    {Kind::null_pointer, "null-pointer", "NullPointer", "An access through a null pointer."},
    {Kind::constant_write, "constant-write", "ConstantWrite", "A write to constant memory."},
    {Kind::async_operands, "group-copy", "GroupCopy", "The threads of a group disagree about a group copy."},
    {Kind::warp_operands, "warp-operands", "WarpOperands",
     "The threads of a warp disagree about a matrix function, or not all reach it."},
    {Kind::out_of_bounds, "out-of-bounds", "OutOfBounds", "An access outside an array of known size."},
    {Kind::unreachable, "unreachable", "Unreachable", "A place that the language says is never reached."},
    {Kind::warp_divergence, "warp-divergence", "WarpDivergence", "Threads of one warp go different ways."},
};
static_assert(std::size(k_rules) == static_cast<size_t>(Kind::warp_divergence) + 1);

const Rule& rule(Kind k) { return k_rules[static_cast<size_t>(k)]; }

// Bytes that are no UTF-8 become question marks: the forms are text.
std::string utf8(const std::string& s) {
  std::string out;
  for (size_t i = 0; i < s.size();) {
    const auto c = static_cast<unsigned char>(s[i]);
    const size_t n = c < 0x80 ? 1 : c >= 0xf0 && c < 0xf5 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 0;
    bool good = n > 0 && c < 0xf5 && i + n <= s.size();
    for (size_t k = 1; good && k < n; ++k) good = (static_cast<unsigned char>(s[i + k]) & 0xc0) == 0x80;
    if (good) {
      out.append(s, i, n);
      i += n;
    } else {
      out += '?';
      ++i;
    }
  }
  return out;
}

std::string whole_line(const ir::Module& m, uint32_t file, uint32_t line) {
  if (file >= m.sources.size() || line == 0) return {};
  const std::string& text = m.sources[file]->text;
  size_t at = 0;
  for (uint32_t k = 1; k < line; ++k) {
    at = text.find('\n', at);
    if (at == std::string::npos) return {};
    ++at;
  }
  std::string out = text.substr(at, std::min(text.find('\n', at), text.size()) - at);
  if (!out.empty() && out.back() == '\r') out.pop_back();
  return out;
}

// Characters before a byte of a line, plus one.
uint32_t character(const std::string& line, uint32_t column) {
  uint32_t n = 1;
  for (uint32_t i = 0; i + 1 < column && i < line.size(); ++i)
    if ((static_cast<unsigned char>(line[i]) & 0xc0) != 0x80) ++n;
  return n;
}

ordered_json place_json(const ir::Module& m, ir::PlaceId p) {
  const ir::Place* at = m.place(p);
  if (at == nullptr || at->line == 0) return nullptr;
  ordered_json j;
  j["file"] = utf8(m.sources[at->file]->name);
  j["line"] = at->line;
  j["column"] = at->column;
  j["source"] = utf8(ir::source_line(m, p));
  return j;
}

ordered_json ids(const std::array<uint64_t, 3>& v) { return {v[0], v[1], v[2]}; }

bool has_range(const Finding& f) { return (f.kind == Kind::race || f.kind == Kind::out_of_bounds) && f.region; }

// First and last byte that both touch.
std::pair<int64_t, int64_t> range(const Finding& f) {
  if (f.kind != Kind::race) return {f.offset, f.offset + static_cast<int64_t>(f.bytes) - 1};
  return {std::max(f.offset, f.other_offset),
          std::min(f.offset + static_cast<int64_t>(f.bytes), f.other_offset + static_cast<int64_t>(f.other_bytes)) - 1};
}

std::string element_of(const ir::Module& m, const Finding& f) {
  const auto [first, last] = range(f);
  const auto at = static_cast<uint64_t>(first);
  return element_text(m.region(f.region), at, at, static_cast<uint64_t>(last));
}

ordered_json sizes(const launch::Launch& l, bool local) {
  ordered_json j = ordered_json::array();
  for (uint32_t d = 0; d < std::max(1u, l.dimensions()); ++d) {
    const launch::Size s = local ? l.local(d) : l.groups(d);
    if (s)
      j.push_back(*s);
    else
      j.push_back("*");
  }
  return j;
}

ordered_json finding_json(const ir::Module& m, const FindingReport& r, const launch::Options& o) {
  const Finding& f = r.finding;
  ordered_json j;
  j["kind"] = rule(f.kind).id;
  j["message"] = utf8(r.title);
  j["confirmed"] = r.confirmed;
  if (!r.elsewhere.empty()) j["numbers"] = utf8(r.elsewhere);
  for (const std::string& g : r.given) j["given_by_host"].push_back(utf8(g));
  if (!r.values.empty()) j["values"] = r.values;
  j["place"] = place_json(m, f.place);
  if (f.other_place && f.kind != Kind::race) j["requirement"] = place_json(m, f.other_place);
  if (has_range(f)) {
    j["array"] = utf8(m.region(f.region).name);
    j["element"] = utf8(element_of(m, f));
    j["bytes"] = {range(f).first, range(f).second};
  }
  j["threads"] = ordered_json::array();
  for (const Side& s : f.threads) {
    ordered_json t;
    t["local_id"] = ids(s.local_id);
    t["group_id"] = ids(s.group_id);
    if (f.kind == Kind::race) {
      t["access"] = access_name(s.access);
      t["place"] = place_json(m, s.place);
    }
    j["threads"].push_back(std::move(t));
  }
  j["arguments"] = ordered_json::object();
  for (const auto& [n, v] : f.arguments) j["arguments"][utf8(n)] = std::to_string(v);
  for (const std::string& n : f.null_parameters) j["arguments"][utf8(n)] = "null";
  if (!launch_text(m, o, f).empty()) {
    const launch::Launch l = launched(o, f).launch;
    j["launch"]["local_size"] = sizes(l, true);
    j["launch"]["num_groups"] = sizes(l, false);
  }
  return j;
}

ordered_json diagnostics_json(const Diagnostics& ds) {
  ordered_json list = ordered_json::array();
  for (const Diagnostic& d : ds.list) {
    ordered_json j;
    j["severity"] = d.severity == Severity::error ? "error" : d.severity == Severity::warning ? "warning" : "note";
    j["location"] = utf8(d.span.location());
    j["message"] = utf8(d.message);
    j["hint"] = utf8(d.hint);
    list.push_back(std::move(j));
  }
  return list;
}

// All of them: the refusal, warnings, and what is our fault.
Diagnostics diagnostics(const Report& r) {
  Diagnostics out = r.warnings;
  out.append(r.refusal);
  for (const KernelReport& k : r.kernels)
    if (!k.our_fault.empty()) out.add({.message = k.our_fault});
  return out;
}

ordered_json physical(const std::string& file, uint32_t line, uint32_t column, const std::string& text) {
  ordered_json j;
  j["artifactLocation"]["uri"] = uri_of_path(file);
  if (line > 0) {
    j["region"]["startLine"] = line;
    if (column > 0) j["region"]["startColumn"] = column;
    if (!text.empty()) j["region"]["snippet"]["text"] = utf8(text);
  }
  return j;
}

ordered_json physical(const ir::Module& m, ir::PlaceId p) {
  const ir::Place* at = m.place(p);
  if (at == nullptr || at->line == 0) return physical(m.sources[0]->name, 0, 0, "");
  const std::string line = whole_line(m, at->file, at->line);
  return physical(m.sources[at->file]->name, at->line, character(line, at->column), line);
}

// The launch of a kernel, and how it was asked for.
const launch::Options& options_of(const Report& r, const KernelReport& k) {
  return k.options ? *k.options : *r.options;
}

std::string side_text(const Report& r, const KernelReport& k, const Finding& f, const Side& s) {
  const std::string who = thread_text(*r.module, s, launched(options_of(r, k), f));
  return f.kind == Kind::race ? fmt::format("{} by {}", access_name(s.access), who) : who;
}

// What else is said of the numbers of a finding, behind a sentence.
std::string beside(const FindingReport& x) {
  std::string out = x.elsewhere.empty() ? "" : ", " + x.elsewhere;
  for (const std::string& g : x.given) out += "; " + g;
  return out;
}

ordered_json result_json(const Report& r, const KernelReport& k, const FindingReport& x) {
  const ir::Module& m = *r.module;
  const Finding& f = x.finding;
  const std::string at_launch = launch_text(m, options_of(r, k), f);
  ordered_json j;
  j["ruleId"] = rule(f.kind).id;
  j["ruleIndex"] = static_cast<size_t>(f.kind);
  j["level"] = draw::level_of(1);
  j["message"]["text"] = utf8(x.title + (x.confirmed ? " (confirmed by a run" : " (not confirmed") +
                              (at_launch.empty() ? "" : " at " + at_launch) + ")" + beside(x));
  ordered_json at;
  at["physicalLocation"] = physical(m, f.place);
  ordered_json logical;
  logical["name"] = utf8(k.name);
  logical["kind"] = "function";
  at["logicalLocations"] = ordered_json::array({logical});
  j["locations"] = ordered_json::array({at});
  ordered_json related = ordered_json::array(), flows = ordered_json::array();
  const auto relate = [&](ir::PlaceId p, const std::string& text) {
    ordered_json l;
    l["id"] = related.size();
    l["physicalLocation"] = physical(m, p);
    l["message"]["text"] = utf8(text);
    related.push_back(std::move(l));
  };
  if (f.kind == Kind::race)
    for (const Side& s : f.threads) {
      relate(s.place, side_text(r, k, f, s));
      ordered_json step, flow;
      step["location"]["physicalLocation"] = physical(m, s.place);
      step["location"]["message"]["text"] = utf8(side_text(r, k, f, s));
      flow["id"] = side_text(r, k, f, s);
      flow["locations"] = ordered_json::array({step});
      flows.push_back(std::move(flow));
    }
  if (f.kind != Kind::race && f.other_place) relate(f.other_place, "the requirement");
  if (!related.empty()) j["relatedLocations"] = std::move(related);
  if (!flows.empty()) {
    ordered_json code_flow;
    code_flow["threadFlows"] = std::move(flows);
    j["codeFlows"] = ordered_json::array({code_flow});
  }
  // The same defect in the next version of the file: by rule, kernel and lines' text, not by number.
  std::string print = std::string(rule(f.kind).id) + "|" + k.name + "|" + ir::source_line(m, f.place) + "|" +
                      ir::source_line(m, f.other_place);
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : print) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  j["partialFingerprints"]["fencepostDefect/v1"] = fmt::format("{:016x}", hash);
  j["properties"]["confirmed"] = x.confirmed;
  return j;
}

// ---- HTML -----------------------------------------------------------------------------------------------------------

std::string escaped(const std::string& s) {
  std::string out;
  for (const char c : utf8(s)) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

constexpr uint32_t k_context = 2;  // lines before and after

std::string snippet(const ir::Module& m, ir::PlaceId p, const std::string& title, const char* style) {
  const ir::Place* at = m.place(p);
  std::string out = fmt::format("<figure class=\"{}\"><figcaption>{}", style, escaped(title));
  if (at == nullptr || at->line == 0) return out + "</figcaption></figure>\n";
  out += fmt::format(" <span class=\"at\">{}</span></figcaption><pre>", escaped(ir::where(m, p)));
  const std::string& text = m.sources[at->file]->text;
  const auto lines = static_cast<uint32_t>(std::count(text.begin(), text.end(), '\n') + 1);
  for (uint32_t n = at->line > k_context ? at->line - k_context : 1; n <= std::min(lines, at->line + k_context); ++n) {
    const std::string line = whole_line(m, at->file, n);
    if (n == at->line) {
      const size_t column = std::min<size_t>(at->column > 0 ? at->column - 1 : 0, line.size());
      out += fmt::format("<b class=\"hit\"><i>{:5}</i>  {}<mark>{}</mark></b>\n", n, escaped(line.substr(0, column)),
                         escaped(line.substr(column)));
    } else {
      out += fmt::format("<i>{:5}</i>  {}\n", n, escaped(line));
    }
  }
  return out + "</pre></figure>\n";
}

// The two accesses of a race are told apart by the words above them, and by the colour of a line beside them.
constexpr const char* k_style =
    "figure.first,figure.second{border-left:4px solid "
    "var(--c2);padding-left:.6rem}figure.second{border-color:var(--c0)}"
    "pre i{color:var(--soft);font-style:normal}.at{color:var(--soft)}b.hit{font-weight:normal}"
    "mark{background:#ffe58a;color:#1b1f24}td,th{white-space:normal;overflow-wrap:anywhere}";

std::string verdict_of(const KernelReport& k) {
  if (k.status == Status::holds)
    return k.vacuous        ? "nothing is proved: the preconditions contradict each other"
           : k.note.empty() ? "verified"
                            : "verified: " + k.note;
  if (k.status == Status::fails)
    return (std::any_of(k.findings.begin(), k.findings.end(), [](const FindingReport& f) { return !f.only_possible(); })
                ? fmt::format("{} defect{}", k.findings.size(), k.findings.size() == 1 ? "" : "s")
                : defects_text(0, k.findings.size())) +
           (k.why.empty() ? "" : "; not decided: " + k.why);
  return k.not_read ? "not read: " + k.why : "not decided: " + k.why;
}

draw::Verdict verdict_of(const Report& r) {
  size_t verified = 0, defect = 0, open = 0;
  for (const KernelReport& k : r.kernels)
    ++(k.status == Status::holds && !k.vacuous ? verified : k.status == Status::fails ? defect : open);
  const std::string counts = fmt::format("{} kernel{}: {} verified, {} with a defect, {} not decided.",
                                         r.kernels.size(), r.kernels.size() == 1 ? "" : "s", verified, defect, open);
  if (r.exit_code > 3 || r.exit_code == 2) return draw::verdict_of(2, {"The input was not understood."});
  return draw::verdict_of(r.exit_code, {counts});
}
}  // namespace

// What is said of the machine that a proof is about.
static ordered_json profile_json(const launch::Options& o) {
  const bool standard = o.profile == launch::Profile::standard;
  ordered_json p;
  p["name"] = standard ? "standard" : "gpuverify";
  p["pointer_bits"] = o.pointer_bits;
  if (*o.dialect == ir::Dialect::cuda) p["cuda_arch"] = launch::cuda_arch_of(o);
  if (!o.cuda_path.empty())
    p["cuda_toolkit"] = {{"path", o.cuda_path}, {"version", launch::version_name(o.cuda_version)}};
  const std::optional<uint32_t> size = o.warp_size ? o.warp_size : o.sub_group_size;
  if (*o.dialect == ir::Dialect::cuda)
    p["warp_size"] = size.value_or(32);
  else
    p["sub_group_size"] = size ? ordered_json(*size) : ordered_json(nullptr);
  p["null_pointers"] = standard ? "where tested" : "never";
  p["alignment"] = standard ? "element" : "16";
  p["signed_overflow"] = "undefined, assumed absent";
  p["bodiless_functions"] = standard ? "not decided" : "touch no memory";
  return p;
}

const char* model_name(const launch::Options& o) {
  return *o.dialect == ir::Dialect::opencl ? "opencl" : o.model == launch::Model::ptx ? "ptx" : "cuda";
}

std::string json(const Report& r) {
  ordered_json j;
  j["schema"] = "fencepost.prove/1";
  j["path"] = utf8(r.file);
  j["answer"] = answer_name(r.exit_code);
  if (r.options != nullptr) {
    if (r.options->dialect) j["dialect"] = *r.options->dialect == ir::Dialect::cuda ? "cuda" : "opencl";
    j["launch"]["local_size"] = sizes(r.options->launch, true);
    j["launch"]["num_groups"] = sizes(r.options->launch, false);
    if (r.options->dialect) j["model"] = model_name(*r.options);
    if (r.options->dialect) j["profile"] = profile_json(*r.options);
  }
  j["kernels"] = ordered_json::array();
  for (const KernelReport& k : r.kernels) {
    ordered_json e;
    e["name"] = utf8(k.name);
    e["verdict"] = k.not_read ? "not_read" : fencepost::name(k.status);
    if (k.place.source) {
      e["symbol"] = utf8(k.symbol);
      e["at"] = utf8(k.place.location());
      if (k.options) {
        e["launch"]["local_size"] = sizes(k.options->launch, true);
        e["launch"]["num_groups"] = sizes(k.options->launch, false);
      }
      e["launched_at"] = ordered_json::array();
      for (const Span& s : k.launched_at) e["launched_at"].push_back(utf8(s.location()));
      if (k.named_only) e["launch_seen"] = false;
    }
    e["vacuous"] = k.vacuous;
    e["detail"] = utf8(k.why);
    if (!k.note.empty()) e["note"] = utf8(k.note);
    if (k.ends) e["ends"] = true;
    e["assumptions"] = ordered_json::array();
    for (const std::string& a : k.assumptions) e["assumptions"].push_back(utf8(a));
    e["findings"] = ordered_json::array();
    for (const FindingReport& f : k.findings) e["findings"].push_back(finding_json(*r.module, f, options_of(r, k)));
    e["seconds"] = k.seconds;
    e["effort"] = {
        {"passes", k.effort.passes}, {"rounds", k.effort.rounds},   {"candidates", k.effort.candidates},
        {"kept", k.effort.kept},     {"pairs", k.effort.pairs},     {"folded", k.effort.folded},
        {"solved", k.effort.solved}, {"clauses", k.effort.clauses}, {"solver_seconds", k.effort.solver_seconds}};
    j["kernels"].push_back(std::move(e));
  }
  if (r.second && !r.options->second_opinion.empty()) {
    ordered_json& s = j["second_opinion"];
    s["solver"] = r.options->second_opinion;
    s["agreed"] = r.second->agreed;
    s["disagreed"] = r.second->disagreed;
    s["unanswered"] = r.second->unanswered;
    s["seconds"] = r.second->seconds;
  }
  if (!r.not_found.empty()) {
    j["not_found"] = ordered_json::array();
    for (const std::string& name : r.not_found) j["not_found"].push_back(utf8(name));
  }
  j["diagnostics"] = diagnostics_json(diagnostics(r));
  j["seconds"] = r.seconds;
  return j.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string sarif(const Report& r) {
  ordered_json driver;
  driver["name"] = "fencepost prove";
  driver["semanticVersion"] = FENCEPOST_VERSION;
  driver["rules"] = ordered_json::array();
  for (const Rule& x : k_rules) {
    ordered_json e;
    e["id"] = x.id;
    e["name"] = x.name;
    e["shortDescription"]["text"] = x.sentence;
    e["defaultConfiguration"]["level"] = draw::level_of(1);
    driver["rules"].push_back(std::move(e));
  }
  ordered_json run;
  run["tool"]["driver"] = std::move(driver);
  run["columnKind"] = "unicodeCodePoints";
  ordered_json notes = ordered_json::array();
  const auto note = [&](const std::string& text, const char* level, const Span& span) {
    ordered_json n;
    n["level"] = level;
    n["message"]["text"] = utf8(text);
    if (span.source) {
      const Position at = span.position();
      ordered_json l;
      l["physicalLocation"] = physical(span.source->name, at.line, at.column, "");
      n["locations"] = ordered_json::array({l});
    }
    notes.push_back(std::move(n));
  };
  const Diagnostics said = diagnostics(r);
  for (const Diagnostic& d : said.list)
    note(d.message + (d.hint.empty() ? "" : " (" + d.hint + ")"), d.severity == Severity::error ? "error" : "warning",
         d.span);
  for (const std::string& name : r.not_found)
    note(fmt::format("not found, and taken to hold nothing that a kernel needs: {}", name), "warning", {});
  ordered_json results = ordered_json::array();
  for (const KernelReport& k : r.kernels) {
    for (const FindingReport& f : k.findings) results.push_back(result_json(r, k, f));
    for (const std::string& a : k.assumptions)
      note(fmt::format("the proof of '{}' assumes that {}", k.name, a), "note", {});
    if (!k.note.empty()) note(fmt::format("'{}' is verified: {}", k.name, k.note), "note", {});
    if (k.vacuous)
      note(fmt::format("the preconditions of '{}' contradict each other: nothing is proved", k.name), "warning", {});
    if (!k.why.empty())
      note(fmt::format("{}: '{}': {}", k.not_read ? "not read" : "not decided", k.name, k.why), "warning",
           k.not_read ? k.not_read->span : Span{});
  }
  ordered_json invocation;
  invocation["executionSuccessful"] = r.exit_code <= 1;
  invocation["exitCode"] = r.exit_code;
  invocation["toolExecutionNotifications"] = std::move(notes);
  run["invocations"] = ordered_json::array({invocation});
  ordered_json artifact;
  artifact["location"]["uri"] = uri_of_path(r.file);
  run["artifacts"] = ordered_json::array({artifact});
  run["results"] = std::move(results);
  ordered_json j;
  j["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  j["version"] = "2.1.0";
  j["runs"] = ordered_json::array({run});
  return j.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string html(const Report& r) {
  draw::Document page;
  page.title = utf8(r.file);
  page.verdict = verdict_of(r);
  page.style = k_style;
  if (r.options != nullptr && r.options->dialect) {
    const ordered_json profile = profile_json(*r.options);
    page.rests_on = {{"model", model_name(*r.options)}};
    for (const auto& [what, value] : profile.items()) {
      std::string name = what;
      std::replace(name.begin(), name.end(), '_', ' ');
      page.rests_on.emplace_back(name == "name" ? "profile" : name,
                                 value.is_string() ? value.get<std::string>()
                                 : value.is_null()
                                     ? "any"
                                     : value.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
    }
  }
  page.rests_on.emplace_back("made by", "fencepost " FENCEPOST_VERSION);
  std::string out;
  const Diagnostics said = diagnostics(r);
  for (const Diagnostic& d : said.list)
    out += fmt::format("<p class=\"{}\"><span class=\"at\">{}</span> {}{}</p>\n",
                       d.severity == Severity::error ? "bad" : "unsure", escaped(d.span.location()), escaped(d.message),
                       d.hint.empty() ? "" : " (" + escaped(d.hint) + ")");
  if (r.kernels.size() > 1) {
    draw::Rows rows{{"kernel", "verdict", "assumptions", "seconds"}, {}, 2};
    for (const KernelReport& k : r.kernels)
      rows.rows.push_back(
          {utf8(k.name), utf8(verdict_of(k)), std::to_string(k.assumptions.size()), fmt::format("{:.2f}", k.seconds)});
    out += draw::section("kernels", "Kernels", "", draw::table("Kernels", rows, rows.rows.size()));
  }
  size_t id = 0;
  for (const KernelReport& k : r.kernels) {
    const char* style = k.status == Status::holds && !k.vacuous ? "ok" : k.status == Status::fails ? "bad" : "unsure";
    out += fmt::format("<h2 id=\"kernel{}\"><code>{}</code></h2>\n<p><strong class=\"{}\">{}</strong></p>\n", ++id,
                       escaped(k.name), style, escaped(verdict_of(k)));
    for (const std::string& a : k.assumptions)
      out += fmt::format("<p class=\"unsure\">The proof assumes that {}.</p>\n", escaped(a));
    for (const FindingReport& f : k.findings) {
      const std::string at_launch = launch_text(*r.module, options_of(r, k), f.finding);
      out += fmt::format(
          "<section><p><strong class=\"bad\">{}</strong>. {}{}{}.</p>\n", escaped(f.title),
          f.confirmed ? "Confirmed by a run" : "Not confirmed: no run that was tried shows it",
          (at_launch.empty() ? "" : " at " + escaped(at_launch)) + (f.values.empty() ? "" : ": " + escaped(f.values)),
          escaped(beside(f)));
      if (f.finding.kind == Kind::race) {
        for (size_t t = 0; t < f.finding.threads.size(); ++t)
          out += snippet(*r.module, f.finding.threads[t].place, side_text(r, k, f.finding, f.finding.threads[t]),
                         t == 0 ? "first" : "second");
      } else {
        out += snippet(*r.module, f.finding.place,
                       f.finding.threads.empty() ? "" : side_text(r, k, f.finding, f.finding.threads[0]), "first");
        if (f.finding.other_place) out += snippet(*r.module, f.finding.other_place, "the requirement", "second");
      }
      if (!f.finding.arguments.empty()) {
        out += "<p>With";
        for (size_t i = 0; i < f.finding.arguments.size(); ++i)
          out += fmt::format("{} <code>{} = {}</code>", i == 0 ? "" : ",", escaped(f.finding.arguments[i].first),
                             f.finding.arguments[i].second);
        out += ".</p>\n";
      }
      out += "</section>\n";
    }
  }
  page.parts = {{"kernels", "Kernels", std::move(out)}};
  return draw::html(page);
}

void put_into_form(const Report& r, launch::Answer& a) {
  const launch::Form form = r.options->print_ir ? launch::Form::text : r.options->form;
  if (form == launch::Form::text) {
    Text said = text(r);
    a.out = std::move(said.out);
    a.err = std::move(said.err);
    return;
  }
  a.out = form == launch::Form::json ? json(r) : form == launch::Form::sarif ? sarif(r) : html(r);
}

}  // namespace fencepost::verifier
