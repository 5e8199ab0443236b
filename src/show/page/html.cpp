#include "page/html.h"

#include <fmt/format.h>

#include "draw/xml.h"

namespace fencepost::page {
namespace {

// Colours: Okabe and Ito's, told apart by the colour-blind; on dark ground their lighter variants.
const char* const k_style = R"(
:root{--ground:#fff;--ink:#1b1f24;--soft:#57606a;--rule:#d0d7de;--card:#f6f8fa;--c0:#0072b2;--c1:#e69f00;--c2:#d55e00;--c3:#009e73;--c4:#cc79a7;--c5:#6e7781}
@media (prefers-color-scheme:dark){:root{--ground:#0d1117;--ink:#e6edf3;--soft:#9198a1;--rule:#3d444d;--card:#151b23;--c0:#56b4e9;--c1:#f0b429;--c2:#ff7b54;--c3:#3fcf9f;--c4:#e5a3c8;--c5:#9198a1}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main,header,footer{max-width:78rem;margin:0 auto;padding:0 1rem}
header{padding-top:1.5rem}
h1{font-size:1.6rem;line-height:1.2;margin:.2rem 0 .4rem}
h2{font-size:1.25rem;margin:2.4rem 0 .3rem;padding-top:.6rem;border-top:1px solid var(--rule)}
h3{font-size:1rem;margin:1.2rem 0 .2rem}
p{max-width:46rem;margin:.3rem 0 .8rem}
nav ul{display:flex;flex-wrap:wrap;gap:.3rem 1rem;padding:0;margin:.6rem 0;list-style:none}
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
svg{display:block;width:100%;max-width:34rem;height:auto;font:11px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
svg text{fill:var(--ink)}svg .on-dark{fill:#fff}@media (prefers-color-scheme:dark){svg .on-dark{fill:#0d1117}}
.axis{stroke:var(--ink)}.grid{stroke:var(--rule)}
.c0{fill:var(--c0)}.c1{fill:var(--c1)}.c2{fill:var(--c2)}.c3{fill:var(--c3)}.c4{fill:var(--c4)}.c5{fill:var(--c5)}
.s0{stroke:var(--c0)}.s1{stroke:var(--c1)}.s2{stroke:var(--c2)}.s3{stroke:var(--c3)}.s4{stroke:var(--c4)}.s5{stroke:var(--c5)}
g .ink{fill:var(--ink);stroke:none}.bar{stroke-width:2}.arrow{fill:none;stroke-width:1.5}
.curve{fill:none;stroke-width:2}.fit{fill:none;stroke:var(--c2);stroke-width:2}.heat{fill:var(--c0)}
details{margin:.3rem 0}summary{cursor:pointer;color:var(--c0);font-size:.9rem}
.scroll{overflow-x:auto;max-height:32rem;overflow-y:auto;border:1px solid var(--rule);border-radius:6px;margin:.3rem 0 .8rem}
.scroll:focus-visible{outline:2px solid var(--c0)}
table{border-collapse:collapse;font-size:.85rem;width:100%}
caption{text-align:left;padding:.3rem .5rem;color:var(--soft)}
th,td{padding:.2rem .55rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--rule);white-space:nowrap}
td:first-child,th:first-child{white-space:normal;overflow-wrap:anywhere;min-width:8rem;max-width:24rem}
@media(min-width:48rem){td:first-child,th:first-child{min-width:17rem}}
thead th{position:sticky;top:0;background:var(--card)}
.n{text-align:right;font-variant-numeric:tabular-nums}
.bad{color:var(--c2);font-weight:600}
footer{color:var(--soft);font-size:.85rem;padding-bottom:3rem}
@media print{.scroll{max-height:none;overflow:visible}details>*{display:block}}
)";

}  // namespace

std::string escape(const std::string& s) { return draw::escape_xml(s); }

std::string table(const std::string& caption, const Rows& r, size_t most) {
  std::string out = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{0}\"><table><caption>{0}</caption>\n<thead><tr>",
      escape(caption));
  const auto kind = [&](size_t c) { return c >= r.numbers ? " class=\"n\"" : ""; };
  for (size_t c = 0; c < r.head.size(); ++c)
    out += fmt::format("<th scope=\"col\"{}>{}</th>", kind(c), escape(r.head[c]));
  out += "</tr></thead>\n<tbody>\n";
  for (size_t i = 0; i < r.rows.size() && i < most; ++i) {
    out += "<tr>";
    for (size_t c = 0; c < r.rows[i].size(); ++c)
      out += c == 0 ? fmt::format("<th scope=\"row\">{}</th>", escape(r.rows[i][c]))
                    : fmt::format("<td{}>{}</td>", kind(c), escape(r.rows[i][c]));
    out += "</tr>\n";
  }
  if (r.rows.size() > most)
    out += fmt::format("<tr><td colspan=\"{}\">and {} more rows, which --csv of stats and judge have</td></tr>\n",
                       r.head.size(), r.rows.size() - most);
  return out + "</tbody></table></div>\n";
}

std::string figure(const std::string& caption, const std::string& svg, const std::string& rows) {
  if (svg.empty()) return rows;
  if (rows.empty()) return fmt::format("<figure>\n<figcaption>{}</figcaption>\n{}</figure>\n", escape(caption), svg);
  return fmt::format(
      "<figure>\n<figcaption>{}</figcaption>\n{}<details><summary>The numbers of this "
      "plot</summary>\n{}</details>\n</figure>\n",
      escape(caption), svg, rows);
}

std::string section(const std::string& id, const std::string& title, const std::string& lead, const std::string& body) {
  if (body.empty()) return "";
  return fmt::format("<section aria-labelledby=\"{0}\">\n<h2 id=\"{0}\">{1}</h2>\n{2}{3}</section>\n", id,
                     escape(title), lead.empty() ? "" : fmt::format("<p class=\"lead\">{}</p>\n", escape(lead)), body);
}

std::string head(const std::string& title) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src "
      "data:\">\n<title>{}</title>\n<style>{}</style>\n</head>\n",
      escape(title), k_style);
}

}  // namespace fencepost::page
