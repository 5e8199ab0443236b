#include "draw/document.h"

#include <fmt/format.h>

#include "draw/xml.h"

namespace fencepost::draw {
namespace {

// Colours: Okabe and Ito's, told apart by the colour-blind; on dark ground their lighter variants.
const char* const k_style = R"(
:root{--ground:#fff;--ink:#1b1f24;--soft:#57606a;--rule:#d0d7de;--card:#f6f8fa;--c0:#0072b2;--c1:#b87a00;--c2:#d55e00;--c3:#009e73;--c4:#b8618f;--c5:#6e7781;--bad:#a33a00;--good:#006b4e;--open:#7a4a00}
@media (prefers-color-scheme:dark){:root{--ground:#0d1117;--ink:#e6edf3;--soft:#9198a1;--rule:#3d444d;--card:#151b23;--c0:#56b4e9;--c1:#f0b429;--c2:#ff7b54;--c3:#3fcf9f;--c4:#e5a3c8;--c5:#9198a1;--bad:#ff9a7a;--good:#3fcf9f;--open:#f0b429}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main,header,footer{max-width:78rem;margin:0 auto;padding:0 1rem}
header{padding-top:1.5rem}
h1,h2,h3{overflow-wrap:anywhere}
h1{font-size:1.6rem;line-height:1.2;margin:.2rem 0 .4rem}
h2{font-size:1.25rem;margin:2.4rem 0 .3rem;padding-top:.6rem;border-top:1px solid var(--rule)}
h3{font-size:1rem;margin:1.2rem 0 .2rem}
p{max-width:46rem;margin:.3rem 0 .8rem}
nav ul{display:flex;flex-wrap:wrap;gap:.3rem 1rem;padding:0;margin:.3rem 0;list-style:none}
nav{border-top:1px solid var(--rule);padding:.4rem 0}nav p{margin:.4rem 0 0;font-weight:600}
.verdict{border-left:.6rem solid var(--c5);padding:.2rem .8rem;margin:.6rem 0}
.verdict strong{display:block;font-size:1.6rem;line-height:1.3}.verdict ul{margin:.2rem 0;padding-left:1.2rem}.verdict p{margin:.1rem 0}
.verdict.good{border-color:var(--c3)}.verdict.bad{border-color:var(--c2)}.verdict.open{border-color:var(--c1)}
.rests{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,20rem),1fr));gap:.2rem 1.5rem;margin:.8rem 0;font-size:.9rem}
.rests div{display:flex;gap:.6rem;min-width:0}.rests dt{color:var(--soft);flex:none}.rests dd{margin:0;overflow-wrap:anywhere}
.part{font-size:1.45rem;border-top:3px solid var(--rule)}.part+section h2{border:0;margin-top:.4rem;padding-top:0}
a{color:var(--c0)}
.lead{color:var(--soft)}
.cards{margin-bottom:1rem;display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,19rem),1fr));gap:1rem}
.card{background:var(--card);border:1px solid var(--rule);border-radius:8px;padding:.7rem .9rem}
.card h3{margin:0 0 .4rem;overflow-wrap:anywhere}
.card dl{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:.1rem .8rem;margin:0;font-size:.9rem}
.card dt{color:var(--soft)}.card dd{margin:0;text-align:right;max-width:12rem;overflow-wrap:anywhere}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,22rem),1fr));gap:1.2rem;align-items:start}
figure{margin:0 0 .6rem;min-width:0}
figcaption{font-size:.95rem;margin:0 0 .2rem;overflow-wrap:anywhere}
pre{background-color:var(--card);border:1px solid var(--rule);border-radius:6px;padding:.5rem .7rem;overflow-x:auto;font-size:.8rem;line-height:1.35;margin:.2rem 0}
svg{display:block;width:100%;max-width:34rem;height:auto;font:11px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
svg text{fill:var(--ink)}svg .on-dark{fill:#fff}@media (prefers-color-scheme:dark){svg .on-dark{fill:#0d1117}}
.axis{stroke:var(--ink)}.grid{stroke:var(--rule)}
.c0{fill:var(--c0)}.c1{fill:var(--c1)}.c2{fill:var(--c2)}.c3{fill:var(--c3)}.c4{fill:var(--c4)}.c5{fill:var(--c5)}
.s0{stroke:var(--c0)}.s1{stroke:var(--c1)}.s2{stroke:var(--c2)}.s3{stroke:var(--c3)}.s4{stroke:var(--c4)}.s5{stroke:var(--c5)}
g .ink{fill:var(--ink);stroke:none}.bar{stroke-width:2}.arrow{fill:none;stroke-width:1.5}
.curve{fill:none;stroke-width:2}.fit{fill:none;stroke:var(--c2);stroke-width:2}.heat{fill:var(--c0)}
details{margin:.3rem 0}summary{cursor:pointer;color:var(--c0);font-size:.9rem}
.scroll{overflow-x:auto;max-height:32rem;overflow-y:auto;border:1px solid var(--rule);border-radius:6px;margin:.3rem 0 .8rem}
.scroll,pre{background-image:linear-gradient(to right,var(--under) 30%,transparent),linear-gradient(to left,var(--under) 30%,transparent),linear-gradient(to right,var(--c5),transparent),linear-gradient(to left,var(--c5),transparent);background-position:left,right,left,right;background-size:2.5rem 100%,2.5rem 100%,.6rem 100%,.6rem 100%;background-repeat:no-repeat;background-attachment:local,local,scroll,scroll}
.scroll{--under:var(--ground)}pre{--under:var(--card)}
.scroll:focus-visible{outline:2px solid var(--c0)}
table{border-collapse:collapse;font-size:.85rem;width:100%}
caption{text-align:left;padding:.3rem .5rem;color:var(--soft)}
th,td{padding:.2rem .55rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--rule);white-space:nowrap}
td:first-child,th:first-child{white-space:normal;overflow-wrap:anywhere;min-width:8rem;max-width:24rem}
@media(min-width:48rem){td:first-child,th:first-child{min-width:17rem}}
thead th{position:sticky;top:0;background:var(--card)}
th button{all:unset;cursor:pointer;font-weight:600}th button:focus-visible{outline:2px solid var(--c0)}
th[aria-sort] button::after{content:" \25B2";font-size:.7em}th[aria-sort=descending] button::after{content:" \25BC"}
.n{text-align:right;font-variant-numeric:tabular-nums}
strong.bad,li.bad,p.bad{color:var(--bad);font-weight:600}.ok{color:var(--good)}.unsure{color:var(--open)}
footer{color:var(--soft);font-size:.85rem;padding-bottom:3rem}
@media print{.scroll{max-height:none;overflow:visible}details>*{display:block}nav{display:none}section,figure,tr{break-inside:avoid}}
)";

// Sorts a table by the column whose head is chosen, up and then down; equal rows keep their order. What has no number
// comes last in a column of numbers. Rows that are no rows of the table ("and 12 more rows") stay at the end.
const char* const k_script = R"(
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0], heads = [...table.querySelectorAll("thead th")];
  if (body.rows.length === 1 || heads.length === 0) continue;
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending", sign = down ? -1 : 1;
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const whole = [...body.rows].filter((row) => row.cells.length === heads.length);
      const rest = [...body.rows].filter((row) => row.cells.length !== heads.length);
      const number = (row) => {
        const found = row.cells[column].textContent.match(/-?[0-9][0-9,]*([.][0-9]+)?(e[+-]?[0-9]+)?/i);
        return found === null ? NaN : parseFloat(found[0].replaceAll(",", ""));
      };
      whole.sort((a, b) => {
        if (!head.classList.contains("n"))
          return sign * a.cells[column].textContent.localeCompare(b.cells[column].textContent, "en", {numeric: true});
        const x = number(a), y = number(b);
        return isNaN(x) || isNaN(y) ? isNaN(x) - isNaN(y) : sign * (x - y);
      });
      body.append(...whole, ...rest);
    });
  });
}
)";
// SHA-256 of the script, in base 64: what the policy admits. A test computes it.
const char* const k_script_hash = "ghpa40DZrfGrJn1exAlLXP7nSBBc7YdmxktHtbgy1OA=";

std::string verdict_html(const Verdict& v) {
  constexpr const char* k_tones[] = {"good", "bad", "open", "plain"};
  std::string out = fmt::format("<div class=\"verdict {}\"><strong>{}</strong>", k_tones[static_cast<size_t>(v.tone)],
                                escape_xml(v.word));
  if (v.why.size() == 1) out += "<p>" + escape_xml(v.why[0]) + "</p>";
  if (v.why.size() > 1) {
    out += "<ul>\n";
    for (const std::string& s : v.why) out += "<li>" + escape_xml(s) + "</li>\n";
    out += "</ul>";
  }
  return out + "</div>\n";
}

// Links to the sections of a part.
std::string links_to(const std::string& body) {
  std::string out;
  for (size_t at = body.find("<h2 id=\""); at != std::string::npos; at = body.find("<h2 id=\"", at + 1)) {
    const size_t id = at + 8, quote = body.find('"', id), title = body.find('>', quote) + 1,
                 end = body.find("</h2>", title);
    out +=
        fmt::format("<li><a href=\"#{}\">{}</a></li>\n", body.substr(id, quote - id), body.substr(title, end - title));
  }
  return out;
}

std::string navigation(const std::vector<Part>& parts) {
  std::string out;
  for (const Part& p : parts) {
    const std::string links = links_to(p.body);
    if (parts.size() > 1) out += fmt::format("<p><a href=\"#{}\">{}</a></p>\n", escape_xml(p.id), escape_xml(p.title));
    if (!links.empty()) out += "<ul>\n" + links + "</ul>\n";
  }
  return out.empty() ? "" : "<nav aria-label=\"Sections\">\n" + out + "</nav>\n";
}

}  // namespace

std::string table(const std::string& caption, const Rows& r, size_t most) {
  std::string out = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{0}\"><table><caption>{0}</caption>\n<thead><tr>",
      escape_xml(caption));
  const auto kind = [&](size_t c) { return c >= r.numbers ? " class=\"n\"" : ""; };
  for (size_t c = 0; c < r.head.size(); ++c)
    out += fmt::format("<th scope=\"col\"{}>{}</th>", kind(c), escape_xml(r.head[c]));
  out += "</tr></thead>\n<tbody>\n";
  for (size_t i = 0; i < r.rows.size() && i < most; ++i) {
    out += "<tr>";
    for (size_t c = 0; c < r.rows[i].size(); ++c)
      out += c == 0 ? fmt::format("<th scope=\"row\">{}</th>", escape_xml(r.rows[i][c]))
                    : fmt::format("<td{}>{}</td>", kind(c), escape_xml(r.rows[i][c]));
    out += "</tr>\n";
  }
  if (r.rows.size() > most)
    out += fmt::format("<tr><td colspan=\"{}\">and {} more rows, which --csv of stats and judge have</td></tr>\n",
                       r.head.size(), r.rows.size() - most);
  return out + "</tbody></table></div>\n";
}

std::string figure(const std::string& caption, const std::string& svg, const std::string& rows) {
  if (svg.empty()) return rows;
  if (rows.empty())
    return fmt::format("<figure>\n<figcaption>{}</figcaption>\n{}</figure>\n", escape_xml(caption), svg);
  return fmt::format(
      "<figure>\n<figcaption>{}</figcaption>\n{}<details><summary>The numbers of this "
      "plot</summary>\n{}</details>\n</figure>\n",
      escape_xml(caption), svg, rows);
}

std::string section(const std::string& id, const std::string& title, const std::string& lead, const std::string& body) {
  if (body.empty()) return "";
  return fmt::format("<section aria-labelledby=\"{0}\">\n<h2 id=\"{0}\">{1}</h2>\n{2}{3}</section>\n", id,
                     escape_xml(title), lead.empty() ? "" : fmt::format("<p class=\"lead\">{}</p>\n", escape_xml(lead)),
                     body);
}

std::string html(const Document& d) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'sha256-{}'; img-src data:\">\n<title>{}</title>\n<style>{}{}</style>\n</head>\n"
      "<body>\n<header>\n<h1>{}</h1>\n",
      k_script_hash, escape_xml((d.verdict && !d.verdict->word.empty() ? d.verdict->word + ": " : "") + d.title),
      k_style, d.style, escape_xml(d.title));
  if (d.verdict) out += verdict_html(*d.verdict);
  for (const std::string& p : d.lead) out += "<p>" + escape_xml(p) + "</p>\n";
  if (!d.rests_on.empty()) {
    out += "<dl class=\"rests\">\n";
    for (const auto& [what, value] : d.rests_on)
      out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escape_xml(what), escape_xml(value));
    out += "</dl>\n";
  }
  out += navigation(d.parts) + "</header>\n<main>\n";
  for (const Part& p : d.parts) {
    if (d.parts.size() > 1)
      out += fmt::format("<h2 class=\"part\" id=\"{}\">{}</h2>\n", escape_xml(p.id), escape_xml(p.title));
    out += p.body;
  }
  out += "</main>\n";
  if (!d.foot.empty()) out += "<footer><p>" + escape_xml(d.foot) + "</p></footer>\n";
  return out + fmt::format("<script>{}</script>\n</body>\n</html>\n", k_script);
}

std::string_view document_style() { return k_style; }
std::string_view document_script() { return k_script; }

}  // namespace fencepost::draw
