// The words of reports. Where the reference's tests fix the wording, it is theirs, so that scripts read both.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "verifier/service.h"

namespace fencepost::verifier {
namespace {

using namespace ir;
using prove::Finding;
using prove::Kind;
using prove::Side;

std::string tuple(const std::array<uint64_t, 3>& v, uint32_t dimensions) {
  if (dimensions <= 1) return std::to_string(v[0]);
  return dimensions == 2 ? fmt::format("({}, {})", v[0], v[1]) : fmt::format("({}, {}, {})", v[0], v[1], v[2]);
}

}  // namespace

std::string thread_text(const Module& m, const Side& s, const launch::Options& o) {
  const uint32_t dims = std::max(1u, o.launch.dimensions());
  std::array<uint64_t, 3> global{};
  bool known = true;
  for (uint32_t d = 0; d < 3; ++d) {
    const launch::Size size = o.launch.local(d);
    known = known && (size || s.group_id[d] == 0);
    global[d] = s.group_id[d] * size.value_or(0) + s.local_id[d] + o.launch.offset(d);
  }
  if (m.dialect == Dialect::cuda)
    return fmt::format("thread {} in thread block {}{}", tuple(s.local_id, dims), tuple(s.group_id, dims),
                       known ? fmt::format(" (global id {})", tuple(global, dims)) : "");
  return fmt::format("work item {}with local id {} in work group {}", known ? tuple(global, dims) + " " : "",
                     tuple(s.local_id, dims), tuple(s.group_id, dims));
}

namespace {

std::string kind_text(AccessKind k) {
  return k == AccessKind::read ? "read" : k == AccessKind::write ? "write" : "atomic";
}
std::string capital(std::string s) {
  s[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(s[0])));
  return s;
}

std::string code(const Module& m, PlaceId p) {
  const std::string line = source_line(m, p);
  return line.empty() ? "" : "  " + line + "\n";
}

// The calls that led to a place inside a function that was put in the place of its call.
std::string calls(const Module& m, PlaceId p) {
  std::string out;
  const Place* at = m.place(p);
  for (PlaceId from = at != nullptr ? at->called_from : PlaceId{}; from; from = m.place(from)->called_from)
    out += fmt::format("invoked from {}:\n{}", where(m, from), code(m, from));
  return out;
}

const char* sentence(Kind k) {
  switch (k) {
    case Kind::assertion:
      return "this assertion might not hold";
    case Kind::unreachable:
      return "this place might be reached";
    case Kind::invariant_entry:
      return "loop invariant might not hold on entry";
    case Kind::invariant_maintained:
      return "loop invariant might not be maintained by the loop";
    case Kind::precondition:
      return "a precondition for this call might not hold";
    case Kind::postcondition:
      return "postcondition might not hold on all return paths";
    case Kind::barrier_invariant:
      return "this barrier invariant might not hold";
    case Kind::barrier_divergence:
      return "barrier may be reached by non-uniform control flow";
    case Kind::warp_divergence:
      return "threads of one warp may go different ways here";
    case Kind::null_pointer:
      return "possible null pointer access";
    case Kind::constant_write:
      return "possible attempt to modify constant memory";
    case Kind::async_operands:
      return "threads of a group may disagree about this group copy, or not all reach it";
    case Kind::warp_operands:
      return "threads of a warp may disagree about this matrix function, or not all reach it";
    default:
      return "";
  }
}

bool names_thread(Kind k) {
  return k == Kind::assertion || k == Kind::unreachable || k == Kind::invariant_entry ||
         k == Kind::invariant_maintained || k == Kind::null_pointer || k == Kind::out_of_bounds;
}

}  // namespace

std::string element_text(const Region& r, uint64_t offset, uint64_t first, uint64_t last) {
  // The first one is 0 where the length is not known: of a parameter, and of `extern __shared__ int s[]`.
  const bool open = !r.dimensions.empty() && (r.origin == Origin::parameter || !r.size);
  if (std::count(r.dimensions.begin() + (open ? 1 : 0), r.dimensions.end(), 0u) > 0)
    return fmt::format("0-sized array {}", r.name);
  const uint64_t element = std::max<uint32_t>(1, r.element);
  // A parameter may point into the middle of an array: offsets may be negative.
  const auto below = [](int64_t x, int64_t by) { return x / by - (x % by < 0 ? 1 : 0); };
  int64_t index = below(static_cast<int64_t>(offset), static_cast<int64_t>(element));
  const uint64_t begin = static_cast<uint64_t>(index) * element;
  std::vector<int64_t> indices;
  for (size_t d = r.dimensions.size(); d-- > 1;) {
    const auto n = static_cast<int64_t>(r.dimensions[d]);
    indices.push_back(index - below(index, n) * n);
    index = below(index, n);
  }
  indices.push_back(index);
  std::string out = r.name;
  for (size_t d = indices.size(); d-- > 0;) out += fmt::format("[{}]", indices[d]);
  // Differences: they do not wrap.
  const auto from = static_cast<int64_t>(first - begin), to = static_cast<int64_t>(last - begin);
  const auto size = static_cast<int64_t>(element);
  // Of an address that is arithmetic on a number, the two accesses of a counterexample need not meet in one element.
  if ((from <= 0 && to + 1 >= size) || to < 0 || from >= size || to < from) return out;
  const int64_t a = std::max<int64_t>(from, 0), b = std::min(to, size - 1);
  return out + (a == b ? fmt::format(" (byte {})", a) : fmt::format(" (bytes {}..{})", a, b));
}

namespace {

std::string race_text(const Module& m, const Finding& f) {
  const uint64_t first = static_cast<uint64_t>(std::max(f.offset, f.other_offset)),
                 last = static_cast<uint64_t>(std::min(f.offset + f.bytes, f.other_offset + f.other_bytes)) - 1;
  return fmt::format("possible {}-{} race on {}", kind_text(f.threads[0].access), kind_text(f.threads[1].access),
                     element_text(m.region(f.region), first, first, last));
}

}  // namespace

size_t Report::verified() const {
  if (proves_nothing && options->compat) return kernels.size();
  return static_cast<size_t>(
      std::ranges::count_if(kernels, [](const KernelReport& k) { return k.status == Status::holds; }));
}

size_t Report::possible() const {
  if (options->compat) return 0;
  size_t n = 0;
  for (const KernelReport& k : kernels)
    n += static_cast<size_t>(std::ranges::count_if(k.findings, &FindingReport::only_possible));
  return n;
}

size_t Report::errors() const {
  size_t n = 0;
  for (const KernelReport& k : kernels) n += k.findings.size();
  return n - possible();
}

launch::Mutants Report::mutants() const {
  launch::Mutants all;
  for (const KernelReport& k : kernels) all += k.mutants;
  return all;
}

size_t Report::open() const {
  return static_cast<size_t>(
      std::ranges::count_if(kernels, [](const KernelReport& k) { return k.not_read || k.open(); }));
}

int Report::verdict() const {
  if (!refusal.list.empty()) return refusal.list.front().fault == Fault::unsupported ? 3 : 2;
  if (second && (second->disagreed > 0 || !second->lost.empty())) return 4;
  if (std::ranges::any_of(kernels, [](const KernelReport& k) { return !k.our_fault.empty(); })) return 4;
  return errors() + possible() > 0 ? 1 : open() > 0 ? 3 : 0;
}

launch::Options launched(const launch::Options& o, const Finding& f) {
  launch::Options r = o;
  for (size_t d = 0; d < 3; ++d) {
    if (d < r.launch.local_size.size() && !r.launch.local_size[d] && f.local_size[d] > 0)
      r.launch.local_size[d] = f.local_size[d];
    if (d < r.launch.num_groups.size() && !r.launch.num_groups[d] && f.num_groups[d] > 0)
      r.launch.num_groups[d] = f.num_groups[d];
  }
  return r;
}

std::string launch_text(const Module& m, const launch::Options& o, const Finding& f) {
  const launch::Options all = launched(o, f);
  const auto side = [](const char* name, const std::vector<launch::Size>& given, const std::vector<launch::Size>& is) {
    std::string text;
    if (std::find(given.begin(), given.end(), launch::Size{}) == given.end()) return text;
    for (const launch::Size& s : is) text += (text.empty() ? "" : ",") + (s ? std::to_string(*s) : std::string("*"));
    return is.size() > 1 ? fmt::format("{}=[{}]", name, text) : fmt::format("{}={}", name, text);
  };
  const bool cuda = m.dialect == Dialect::cuda;
  const std::string local = side(cuda ? "blockDim" : "local_size", o.launch.local_size, all.launch.local_size),
                    groups = side(cuda ? "gridDim" : "num_groups", o.launch.num_groups, all.launch.num_groups);
  return local.empty() ? groups : groups.empty() ? local : local + ", " + groups;
}

std::string defects_text(size_t found, size_t possible) {
  std::string out;
  if (found > 0 || possible == 0) out = fmt::format("{} error{}", found, found == 1 ? "" : "s");
  if (possible > 0)
    out +=
        fmt::format("{}{} possible race{}, not confirmed", out.empty() ? "" : ", ", possible, possible == 1 ? "" : "s");
  return out;
}

std::string finding_title(const Module& m, const Finding& f, const launch::Options& given) {
  const launch::Options o = launched(given, f);
  if (f.kind == Kind::race && f.threads.size() == 2) return race_text(m, f);
  const std::string thread = f.threads.empty() ? "" : thread_text(m, f.threads[0], o);
  if (f.kind == Kind::out_of_bounds) {
    const auto offset = static_cast<uint64_t>(f.offset);
    return fmt::format("possible array out-of-bounds access on array {}{}",
                       element_text(m.region(f.region), offset, offset, offset + f.bytes - 1),
                       thread.empty() ? "" : " by " + thread);
  }
  const bool as_assertion = f.kind == Kind::unreachable && o.compat;  // the reference calls it so
  return fmt::format("{}{}", sentence(as_assertion ? Kind::assertion : f.kind),
                     names_thread(f.kind) && !thread.empty() ? " for " + thread : "");
}

std::string finding_text(const Module& m, FunctionId entry, const FindingReport& x, const launch::Options& given) {
  const Finding& f = x.finding;
  const launch::Options o = launched(given, f);
  std::string out;
  const std::string at_launch = launch_text(m, given, f);
  std::string label = fmt::format("  {} ({}){}{}\n", f.kind == Kind::race ? "race" : "defect",
                                  x.confirmed ? "confirmed by a run" : "not confirmed",
                                  at_launch.empty() ? "" : " at " + at_launch, x.values.empty() ? "" : ": " + x.values);
  if (!x.elsewhere.empty()) label += fmt::format("  {}\n", x.elsewhere);
  for (const std::string& g : x.given) label += fmt::format("  note: {}\n", g);
  const auto arguments = [&] {
    if (f.arguments.empty() && f.null_parameters.empty()) return std::string();
    std::string text = fmt::format("Bitwise values of parameters of '{}':\n", m.function(entry).name);
    for (const auto& [n, v] : f.arguments) text += fmt::format("  {} = {}\n", n, v);
    for (const std::string& n : f.null_parameters) text += fmt::format("  {} = null\n", n);
    return text;
  };
  if (f.kind == Kind::race && f.threads.size() == 2) {
    for (const Side& s : f.threads)
      if (s.spec)
        out +=
            fmt::format("{}: error: insufficient permission may be held for evaluation of this barrier invariant\n{}",
                        where(m, s.place), code(m, s.place));
    const bool found = x.confirmed || o.compat;
    out += fmt::format("{}: {}{}{}:\n\n", m.sources[0]->name, found ? "error: " : "", race_text(m, f),
                       found ? "" : ", which no run shows");
    for (size_t t = 0; t < 2; ++t) {
      const Side& s = f.threads[t];
      const std::string who = fmt::format("{} by {}", capital(kind_text(s.access)), thread_text(m, s, o));
      const std::string at = s.by_contract && o.compat ? "" : where(m, s.place);
      if (at.empty()) {
        out += who + ", from external source location\n\n";
      } else if (x.sources[t].empty()) {
        out += fmt::format("{}, {}:\n{}{}\n", who, at, code(m, s.place), calls(m, s.place));
      } else {
        out += fmt::format("{}, possible sources are:\n{}:\n{}", who, at, code(m, s.place));
        for (const PlaceId p : x.sources[t]) out += fmt::format("{}:\n{}", where(m, p), code(m, p));
        out += "\n";
      }
    }
    return out + label + arguments();
  }
  const std::string at = where(m, f.place);
  out = fmt::format("{}: error: {}{}\n{}", at.empty() ? m.sources[0]->name : at, finding_title(m, f, o),
                    f.kind == Kind::out_of_bounds ? ":" : "", code(m, f.place));
  out += calls(m, f.place);
  if (f.kind == Kind::precondition && f.other_place)
    out += fmt::format("{}: note: this is the precondition that might not hold\n{}", where(m, f.other_place),
                       code(m, f.other_place));
  return out + label + arguments();
}

}  // namespace fencepost::verifier
