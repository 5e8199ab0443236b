#include <fmt/core.h>

#include "draw/graphml.h"
#include "report/report.h"

namespace fencepost::report {

Report witness(const std::string& path, const prog::Test& test, const cat::Model& model, const check::Options& options,
               const check::Result& result) {
  if (!result.execution) return {};
  Report r = result.lasso ? explain_lasso(path, test, model, options, result)
             : options.property == check::Property::races && !result.flags.empty()
                 ? explain_race(path, test, model, result)
                 : explain_allowed(path, test, model, result);
  r.json = check_json(path, test, model, options, result);
  r.automaton = automaton(path, test, model, options, result);
  return r;
}

Expected<std::string> file_text(const std::string& file, const Report& report) {
  size_t dot = file.find_last_of("./");
  std::string ending = dot == std::string::npos || file[dot] == '/' ? "" : file.substr(dot);
  std::string text;
  if (file.ends_with(".witness.graphml")) {
    if (report.automaton.empty())
      return error_at({}, fmt::format("there is no execution to write as a witness in '{}'", file),
                      "write .graphml, .txt or .json instead");
    text = report.automaton;
  } else if (ending == ".svg" || ending == ".dot" || ending == ".graphml") {
    if (report.pictures.empty())
      return error_at({}, fmt::format("there is no execution to draw in '{}'", file), "write .txt or .json instead");
    const draw::Graph& picture = report.pictures.front();
    text = ending == ".svg"   ? draw::to_svg(picture)
           : ending == ".dot" ? draw::to_dot(picture)
                              : draw::to_graphml(picture);
  } else if (ending == ".json") {
    text = report.json;
  } else if (ending == ".txt") {
    text = report.text;
  } else {
    return error_at({}, fmt::format("'{}' does not say what to write", file),
                    "end the name in .svg, .dot, .graphml, .witness.graphml, .json or .txt");
  }
  return text;
}

}  // namespace fencepost::report
