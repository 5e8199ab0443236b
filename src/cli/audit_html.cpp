// The page of an audit: a card for each finding, with the lines that it is about; what is not decided, what was found
// nowhere and what is taken for granted as lists, which need no width.
#include <fmt/format.h>

#include "cli/audit.h"
#include "cli/audit_page.h"
#include "cli/help.h"
#include "draw/answer.h"
#include "draw/xml.h"

namespace fencepost::cli::audit {
namespace {

using draw::escape_xml;

std::string text(const Json& j, const char* key) { return j.contains(key) && j[key].is_string() ? j[key] : ""; }

std::string card(const Section& s, const Json& x) {
  const bool known = x.value("known", false);
  std::string out =
      fmt::format("<article class=\"finding {}\"><h3>{}{} <span>{}</span></h3>\n<p>{}</p>\n", known ? "known" : "new",
                  s.one, known ? " (known)" : "", escape_xml(text(x, "location")), escape_xml(text(x, "message")));
  if (x.contains("source") && !x["source"].empty()) {
    out += "<pre>";
    for (const Json& q : x["source"])
      out += fmt::format("{:>5} | {}\n", q["line"].get<uint64_t>(), escape_xml(text(q, "text")));
    out += "</pre>\n";
  }
  if (x["kind"] == "race")
    for (const Json& a : x.value("accesses", Json::array()))
      out += fmt::format("<p class=\"lead\">{}</p>\n", escape_xml(a.get<std::string>()));
  out += fmt::format("<p class=\"lead\">{}</p>\n", escape_xml(standing(x)));
  if (const std::string advice = text(x, "advice"); !advice.empty())
    out += fmt::format("<p><strong>What to change:</strong> {}</p>\n", escape_xml(advice));
  return out + "</article>\n";
}

// A titled list; nothing where it is empty. `line` gives HTML.
template <class Line>
std::string list(const char* title, const Json& of, Line&& line) {
  if (of.empty()) return "";
  std::string out = fmt::format("<h3>{}</h3>\n<ul class=\"said\">\n", title);
  for (const Json& o : of) out += "<li>" + line(o) + "</li>\n";
  return out + "</ul>\n";
}

std::string kernel_html(const Json& k) {
  std::string out;
  for (const Section& s : k_sections)
    for (const Json& x : k["findings"])
      if (x["kind"] == s.kind) out += card(s, x);
  const auto plain = [](const Json& o) { return escape_xml(o.get<std::string>()); };
  out += list("Not decided", k["not_decided"], [](const Json& o) {
    const std::string at = text(o, "launch");
    return fmt::format("<strong class=\"unsure\">{}</strong>{}: {}", escape_xml(text(o, "question")),
                       at.empty() ? "" : " (" + escape_xml(at) + ")", escape_xml(text(o, "why")));
  });
  out += list("Nothing found", k["silent"], plain);
  out += list("Notes", k["notes"], plain);
  out += list("Proofs assume", granted_to_proofs(k), plain);
  return out + list("Small launches assume", k["assumptions"], plain);
}

}  // namespace

std::string html_of(const Json& page) {
  draw::Document out;
  out.title = "Audit";
  out.verdict = draw::verdict_of(page["exit_code"].get<int>(), {summary(page)});
  out.rests_on = {{"made by", version()}};
  size_t id = 0;
  for (const Json& f : page["files"]) {
    draw::Part part{fmt::format("file{}", out.parts.size() + 1), text(f, "path") + arch_words(f), ""};
    if (const std::string why = text(f, f.contains("error") ? "error" : "not_read"); !why.empty())
      part.body += draw::section(fmt::format("f{}", ++id), text(f, "path"), "",
                                 fmt::format("<p class=\"bad\">{}</p>\n", escape_xml(why)));
    for (const Json& k : f["kernels"])
      part.body += draw::section(fmt::format("f{}", ++id), text(k, "name"), text(k, "location"), kernel_html(k));
    out.parts.push_back(std::move(part));
  }
  out.style =
      ".finding{background:var(--card);border:1px solid var(--rule);border-left:.35rem solid var(--c2);"
      "border-radius:6px;padding:.5rem .9rem;margin:.8rem 0;overflow-wrap:anywhere}"
      ".finding.known{border-left-color:var(--c5)}.finding h3{margin:.1rem 0 .3rem}.finding h3 span{font-weight:400}"
      ".finding p{max-width:none;margin:.2rem 0}.finding pre{background-color:var(--ground);--under:var(--ground)}"
      ".said{padding-left:1.2rem;max-width:60rem;overflow-wrap:anywhere}";
  return draw::html(out);
}

}  // namespace fencepost::cli::audit
