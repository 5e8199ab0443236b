#include "campaign/identity.h"

#include <charconv>
#include <map>

#include "plan/plan.h"
#include "print/litmus.h"
#include "store/store.h"
#include "term/term.h"

namespace fencepost::campaign {

std::string text_of(const prog::Test& test) { return print::print(test); }

std::string hash_of(const prog::Test& test) { return store::hash_of(text_of(test)); }

bool asked_about(const prog::Test& test, const std::vector<prog::Observable>& observables, const prog::State& s) {
  if (test.quantifier == prog::Quantifier::none) return false;
  return plan::holds(test, observables, s, test.condition) != (test.quantifier == prog::Quantifier::forall);
}

std::optional<prog::State> state_from(const std::vector<prog::Observable>& observables, const std::string& text) {
  std::map<std::string, std::string> values;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find(';', at);
    if (end == std::string::npos) return std::nullopt;
    const std::string part = text.substr(at, end - at);
    const size_t equals = part.rfind('=');
    if (equals == std::string::npos) return std::nullopt;
    if (!values.emplace(part.substr(0, equals), part.substr(equals + 1)).second) return std::nullopt;
    at = text.find_first_not_of(' ', end + 1);
    if (at == std::string::npos) break;
  }
  if (values.size() != observables.size()) return std::nullopt;
  prog::State s;
  for (const prog::Observable& o : observables) {
    const auto it = values.find(o.text);
    if (it == values.end() || it->second.empty()) return std::nullopt;
    const bool negative = it->second[0] == '-';
    const std::string digits = it->second.substr(negative ? 1 : 0);
    uint64_t magnitude = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude);
    if (read.ec != std::errc() || read.ptr != digits.data() + digits.size()) return std::nullopt;
    const uint64_t most = term::mask(o.width);
    if (magnitude > (negative ? most / 2 + 1 : most)) return std::nullopt;  // no value of that width
    s.push_back({false, (negative ? 0 - magnitude : magnitude) & most});
  }
  return s;
}

}  // namespace fencepost::campaign
