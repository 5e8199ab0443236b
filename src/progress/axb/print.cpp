#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "axb/scan.h"

namespace fencepost::axb {
namespace {

std::string target(const Thread& t, uint32_t jump, const char* end) {
  return jump >= t.code.size() ? end : fmt::format("{}", jump);
}

uint32_t used_locations(const Test& t) {  // one more than the largest that an instruction names
  uint32_t n = 0;
  for (const Thread& th : t.threads)
    for (const Instr& i : th.code) n = std::max(n, i.location + 1);
  return n;
}

bool has_default_names(const Test& t) {
  for (uint32_t k = 0; k < t.locations.size(); ++k)
    if (t.locations[k].name != default_location_name(k)) return false;
  return true;
}

// The name as config/id with an id that a JSON number gives back, or "".
std::string numeric_id(const Test& t) {
  std::string_view id = t.name;
  if (!t.config.empty()) {
    if (!id.starts_with(t.config + "/")) return {};
    id.remove_prefix(t.config.size() + 1);
  }
  if (id.empty() || id.size() > 9 || (id.size() > 1 && id[0] == '0') ||
      !std::ranges::all_of(id, [](char c) { return c >= '0' && c <= '9'; }))
    return {};
  return std::string(id);
}

}  // namespace

std::string to_string(const Test& test, uint32_t thread, uint32_t pc) {
  const Thread& t = test.threads[thread];
  const Instr& i = t.code[pc];
  const std::string& x = test.locations[i.location].name;
  if (is_store(i, pc)) return fmt::format("{} = {};", x, i.value);
  const std::string to = target(t, i.jump, "end");
  if (i.compares) {
    const std::string cas = fmt::format("cas({}, {}, {})", x, i.check, i.value);
    if (i.jump == pc + 1) return cas + ";";
    return fmt::format("if ({} {} {}) goto {};", cas, i.unless ? "!=" : "==", i.check, to);
  }
  if (i.exchanges) return fmt::format("if (exch({}, {}) == {}) goto {};", x, i.value, i.check, to);
  return fmt::format("if ({} == {}) goto {};", x, i.check, to);
}

std::string to_text(const Test& test) {
  std::string out = fmt::format("progress {}", quote(test.name));
  if (!test.config.empty()) out += fmt::format(" config {}", quote(test.config));
  out += '\n';
  for (const std::string& r : test.remarks) out += r.empty() ? "//\n" : fmt::format("// {}\n", r);
  for (size_t k = 0; k < test.locations.size(); ++k)
    out += fmt::format("{}{} = {}", k == 0 ? "" : ", ", test.locations[k].name, test.locations[k].init);
  if (!test.locations.empty()) out += ";\n";
  for (uint32_t n = 0; n < test.threads.size(); ++n) {
    out += fmt::format("thread {} {{\n", n);
    for (uint32_t pc = 0; pc < test.threads[n].code.size(); ++pc)
      out += fmt::format("  {}: {}\n", pc, to_string(test, n, pc));
    out += "}\n";
  }
  return out;
}

std::string to_pseudo_code(const Test& test) {
  std::string out;
  const uint32_t used = used_locations(test);
  for (uint32_t k = 0; k < test.locations.size(); ++k)
    if (test.locations[k].init != 0 || k >= used) out += fmt::format("INIT({},{})\n", k, test.locations[k].init);
  for (size_t n = 0; n < test.threads.size(); ++n) {
    if (n != 0) out += '\n';
    out += fmt::format("THREAD{}\n", n);
    const Thread& t = test.threads[n];
    for (uint32_t pc = 0; pc < t.code.size(); ++pc) {
      const Instr& i = t.code[pc];
      const std::string to = target(t, i.jump, "END");
      if (is_store(i, pc))
        out += fmt::format("atomic_store({},{})\n\n", i.location, i.value);
      else if (i.compares)
        out += fmt::format("atomic_cas_{}branch({},{},{},{})\n\n", i.unless ? "fail_" : "", i.location, i.check,
                           i.value, to);
      else if (i.exchanges)
        out += fmt::format("atomic_exch_branch({},{},{},{})\n\n", i.location, i.check, i.value, to);
      else
        out += fmt::format("atomic_chk_branch({},{},{})\n\n", i.location, i.check, to);
    }
  }
  return out;
}

std::string to_json_line(const Test& test) {
  std::string out = "{";
  if (!test.config.empty()) out += fmt::format("\"config\":{},", quote(test.config));
  if (const std::string id = numeric_id(test); !id.empty())
    out += fmt::format("\"id\":{},", id);
  else if (test.name != test.config)  // without name and id the reader takes the configuration
    out += fmt::format("\"name\":{},", quote(test.name));
  const auto list = [&](const char* field, auto&& range, auto&& element) {
    out += fmt::format("\"{}\":[", field);
    bool first = true;
    for (const auto& e : range) {
      if (!first) out += ',';
      first = false;
      element(e);
    }
    out += ']';
  };
  if (!test.remarks.empty()) {
    list("remarks", test.remarks, [&](const std::string& r) { out += quote(r); });
    out += ',';
  }
  if (!has_default_names(test) || test.locations.size() > used_locations(test)) {
    list("locations", test.locations, [&](const Location& l) { out += quote(l.name); });
    out += ',';
  }
  if (std::ranges::any_of(test.locations, [](const Location& l) { return l.init != 0; })) {
    list("init", test.locations, [&](const Location& l) { out += fmt::format("{}", l.init); });
    out += ',';
  }
  list("threads", test.threads, [&](const Thread& t) {
    out += '[';
    for (size_t pc = 0; pc < t.code.size(); ++pc) {
      const Instr& i = t.code[pc];
      fmt::format_to(std::back_inserter(out), "{}[{},{},{},{},{}]", pc == 0 ? "" : ",", i.location, i.check, i.jump,
                     i.compares    ? (i.unless ? 3 : 2)
                     : i.exchanges ? 1
                                   : 0,
                     i.value);
    }
    out += ']';
  });
  return out + "}";
}

}  // namespace fencepost::axb
