// What the interpreter behind `prove` does with random kernels, many at a time; differ.py writes the job and reads the
// answers.
#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "clangfe/clangfe.h"
#include "interp/interp.h"

namespace fencepost {
namespace {

using nlohmann::json;

std::vector<uint8_t> bytes_of(const std::string& hex) {
  std::vector<uint8_t> out;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    out.push_back(static_cast<uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  return out;
}

std::string first_line(const Diagnostics& ds) {
  const std::string all = render(ds);
  return all.substr(0, all.find('\n'));
}

// {"programs": [{"text": TEXT, "lanes", "groups", "buffers": [HEX]}]}, one kernel in each text
// -> for each "ended", a defect in words, or the status and its detail.

json interpret(const json& program) {
  clangfe::Options options;
  options.pointer_bits = 64;
  options.standard = "CL2.0";
  const auto module = clangfe::compile(make_source("k.cl", program.at("text")), options);
  if (!module) return "refused: " + first_line(module.error());
  const ir::FunctionId kernel = module->kernels().at(0);
  interp::Inputs inputs;
  const json& buffers = program.at("buffers");
  for (uint32_t r = 0, b = 0; r < module->regions.size(); ++r)
    if (module->regions[r].origin == ir::Origin::parameter && b < buffers.size())
      inputs.contents[r] = bytes_of(buffers.at(b++));
  interp::Shape shape;
  shape.local_size[0] = program.at("lanes");
  shape.num_groups[0] = program.at("groups");
  const interp::Outcome o = interp::run(*module, kernel, shape, inputs);
  if (const interp::Defect* d = o.first_defect(true)) return "defect: " + interp::describe(*module, *d);
  if (o.status == interp::Outcome::ended) return "ended";
  return fmt::format("status {}: {}", static_cast<int>(o.status), o.detail);
}

json interpret_all(const json& job) {
  json out = json::array();
  for (const json& program : job.at("programs")) out.push_back(interpret(program));
  return out;
}

}  // namespace
}  // namespace fencepost

int main() {
  using nlohmann::json;
  const json job = json::parse(std::string(std::istreambuf_iterator<char>(std::cin), {}));
  fmt::print("{}\n", fencepost::interpret_all(job).dump());
}
