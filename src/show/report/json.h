#pragma once
// JSON of the values that reports show. Internal to the room: the only header here with nlohmann in it.
#include <nlohmann/json.hpp>
#include <string>

#include "report/report.h"

namespace fencepost::report {

using Json = nlohmann::ordered_json;

// {"schema": "fencepost.<kind>/1", path, title, dialect, model, question}
Json json_header(const std::string& kind, const std::string& path, const prog::Test& test, const cat::Model& model);
Json to_json(const check::Result& result);                         // verdict, detail, ..., statistics
Json to_json(const prog::Test& test, const witness::RunResult& run);  // events, relations, final state
Json to_json(const prog::Test& test, const cat::Model& model, const witness::Execution& x, const witness::Explanation& e);

}  // namespace fencepost::report
