#include "verifier/reference.h"

#include <fmt/format.h>

#include <algorithm>

namespace fencepost::verifier {

using launch::Ending;

void merge_sources(const ir::Module& m, std::vector<FindingReport>& findings) {
  const auto kinds = [](const prove::Finding& f) { return std::pair(f.threads[0].access, f.threads[1].access); };
  for (size_t i = 0; i < findings.size(); ++i) {
    const prove::Finding& a = findings[i].finding;
    if (a.kind != prove::Kind::race || a.threads.size() != 2) continue;
    for (size_t j = i + 1; j < findings.size();) {
      const prove::Finding& b = findings[j].finding;
      bool taken = false;
      if (b.kind == prove::Kind::race && b.threads.size() == 2 && a.region == b.region && kinds(a) == kinds(b))
        for (size_t t = 0; t < 2 && !taken; ++t)
          if (ir::where(m, a.threads[1 - t].place) == ir::where(m, b.threads[1 - t].place) &&
              findings[i].sources[1 - t].empty()) {
            findings[i].sources[t].push_back(b.threads[t].place);
            findings[i].confirmed = findings[i].confirmed || findings[j].confirmed;
            taken = true;
          }
      if (taken)
        findings.erase(findings.begin() + static_cast<ptrdiff_t>(j));
      else
        ++j;
    }
  }
}

void drop_callees_findings(const ir::Module& m, std::vector<KernelReport>& kernels) {
  const auto same = [&](const prove::Finding& a, const prove::Finding& b) {
    return a.kind == b.kind && ir::where(m, a.place) == ir::where(m, b.place) &&
           ir::where(m, a.other_place) == ir::where(m, b.other_place);
  };
  // Callers come before those that they call.
  for (size_t i = 0; i < kernels.size(); ++i) {
    const size_t before = kernels[i].findings.size();
    std::erase_if(kernels[i].findings, [&](const FindingReport& x) {
      for (size_t j = i + 1; j < kernels.size(); ++j)
        for (FindingReport& y : kernels[j].findings)
          if (same(x.finding, y.finding)) {
            y.confirmed = y.confirmed || x.confirmed;
            return true;
          }
      return false;
    });
    if (before > 0 && kernels[i].findings.empty()) kernels[i].status = Status::holds;
  }
}

std::string reference_wording(const Diagnostics& ds) {
  std::string out;
  for (const Diagnostic& d : ds.list) {
    const auto says = [&](const char* part) { return d.message.find(part) != std::string::npos; };
    if (says("does not appear at loop head")) out += fmt::format("{}: {}\n", d.span.location(), d.message);
    // Older versions of clang called this a declaration.
    if (says("use of undeclared identifier '")) {
      const size_t at = d.message.find('\'');
      const std::string name = d.message.substr(at, d.message.find('\'', at + 1) - at + 1);
      out += fmt::format("{}: error: implicit declaration of function {} is invalid\n", d.span.location(), name);
    }
    if (says("does not match return type")) out += "error: Type of __return_val function does not match return type\n";
    if (says("the address of the built-in function")) out += "error: Unsupported function pointer\n";
    if (!d.span.source) out += fmt::format("GPUVerify: error: {}\n", d.message);
  }
  return out;
}

Ending stage(const Diagnostics& ds) {
  const Diagnostic& d = ds.list.front();
  if (d.message.find("does not appear at loop head") != std::string::npos) return Ending::gpuverifyvcgen_error;
  if (d.fault == Fault::unsupported || d.message.find("function-wide invariant") != std::string::npos ||
      d.message.find("does not match return type") != std::string::npos)
    return Ending::bugle_error;
  return Ending::clang_error;
}

}  // namespace fencepost::verifier
