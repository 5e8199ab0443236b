// An execution as a violation witness of the exchange format of software verification (GraphML, version 1.0): a path of
// automaton states from the entry to the violation, an edge for each instruction in an order in which they may be told.
//
// The path is an order of the instructions, and a weak execution is more than one: where no order explains the values,
// the edges say from which instruction a value comes. Sources: the format's description (sv-witnesses, README-GraphML)
// and what the peer of the ASPLOS 2024 paper writes; keys of ours beside those have the prefix "fencepost.".
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <optional>
#include <set>

#include "draw/xml.h"
#include "prog/test.h"
#include "report/naming.h"
#include "report/report.h"
#include "verify/certificate.h"
#include "vocab/vocab.h"

namespace fencepost::report {

using reference::Execution;
using vocab::Base;
using vocab::Tag;

namespace {

struct Key {
  const char *id, *of, *type;
};
constexpr Key k_keys[] = {{"witness-type", "graph", "string"},
                          {"sourcecodelang", "graph", "string"},
                          {"producer", "graph", "string"},
                          {"specification", "graph", "string"},
                          {"programfile", "graph", "string"},
                          {"programhash", "graph", "string"},
                          {"architecture", "graph", "string"},
                          {"creationtime", "graph", "string"},
                          {"fencepost.model", "graph", "string"},
                          {"fencepost.order", "graph", "string"},
                          {"entry", "node", "boolean"},
                          {"violation", "node", "boolean"},
                          {"cyclehead", "node", "boolean"},
                          {"threadId", "edge", "string"},
                          {"createThread", "edge", "string"},
                          {"enterFunction", "edge", "string"},
                          {"startline", "edge", "int"},
                          {"endline", "edge", "int"},
                          {"sourcecode", "edge", "string"},
                          {"event-id", "edge", "string"},
                          {"loaded-value", "edge", "string"},
                          {"stored-value", "edge", "string"},
                          {"fencepost.reads-from", "edge", "string"},
                          {"fencepost.location", "edge", "string"}};

std::string data(const char* key, const std::string& text) {
  return text.empty() ? "" : fmt::format("<data key=\"{}\">{}</data>", key, draw::escape_xml(text));
}

// SOURCE_DATE_EPOCH (reproducible-builds.org) makes equal inputs give equal bytes.
std::string creation_time() {
  std::time_t now = std::time(nullptr);
  if (const char* fixed = std::getenv("SOURCE_DATE_EPOCH"); fixed != nullptr && *fixed != 0) {
    char* end = nullptr;
    const long long seconds = std::strtoll(fixed, &end, 10);
    if (*end == 0 && seconds >= 0) now = static_cast<std::time_t>(seconds);
  }
  std::tm utc{};
  if (gmtime_r(&now, &utc) == nullptr) return "1970-01-01T00:00:00Z";
  char text[32] = {};
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc));
}

struct Order {
  std::vector<uint32_t> events;  // of threads; without initial writes
  const char* respects = "";
};

// Which of several events is told next: of a lower phase, then the other half of a read-modify-write, then of the same
// thread.
std::pair<int32_t, int> rank(const Execution& x, const std::vector<int32_t>& phase, std::optional<uint32_t> last,
                             uint32_t e) {
  int far = 2;
  if (last && x.events[e].key.thread == x.events[*last].key.thread)
    far = x.events[e].key.instr == x.events[*last].key.instr && x.rel(Base::amo).test(*last, e) ? 0 : 1;
  return {phase.empty() ? 0 : phase[e], far};
}

// An interleaving that has the execution's values: each read sees the newest write of its location, and memory ends so
// that what the test asks about is what it is in the execution. Models with a partial co leave writes unordered, so
// that po, rf, co and fr without a cycle do not say that there is one: two threads may have seen two such writes in
// either order.
class Interleaving {
 public:
  Interleaving(const prog::Test& test, const Execution& x, const std::vector<int32_t>& phase)
      : test_(test), x_(x), phase_(phase), before_(x.rel(Base::po) | x.rel(Base::rf) | x.rel(Base::co)) {
    const auto n = static_cast<uint32_t>(x.events.size());
    before_ = before_ | (x.rel(Base::rf).inverse().compose(x.rel(Base::co)) - Relation::identity(n));
    done_.assign(n, false);
    for (uint32_t e = 0; e < n; ++e) {
      place_.push_back(e);  // the first event of its location
      for (uint32_t f = 0; f < e && place_[e] == e; ++f)
        if (x.rel(Base::loc).test(f, e)) place_[e] = place_[f];
      for (uint32_t w = 0; w < n; ++w)
        if (x.rel(Base::rf).test(w, e)) source_[e] = w;
      done_[e] = x.events[e].key.thread == reference::k_init;
      if (done_[e]) newest_[place_[e]] = e;
    }
  }
  enum class Found : uint8_t { yes, no, gave_up };
  Found search() {
    if (!before_.acyclic()) return Found::no;
    if (go(std::nullopt)) return Found::yes;
    return failed_.size() < k_most_states ? Found::no : Found::gave_up;
  }
  const std::vector<uint32_t>& events() const { return order_; }

 private:
  bool fits(uint32_t e) const {
    if (done_[e]) return false;
    for (uint32_t b = 0; b < done_.size(); ++b)
      if (!done_[b] && before_.test(b, e)) return false;
    const auto newest = newest_.find(place_[e]);
    if (x_.events[e].is_memory && x_.events[e].tags.has(Tag::R)) {
      const auto source = source_.find(e);
      return source == source_.end() || (newest != newest_.end() && newest->second == source->second);
    }
    if (x_.events[e].is_memory && x_.events[e].tags.has(Tag::W))
      for (const auto& [r, w] : source_)  // nothing comes between the halves of a read-modify-write
        if (x_.rel(Base::amo).test(r, e) && (newest == newest_.end() || newest->second != w)) return false;
    return true;
  }
  bool ends_as_it_says() const {
    if (!phase_.empty() || !x_.complete() || test_.quantifier == prog::Quantifier::none) return true;
    prog::FinalValues end = x_.final;
    for (const auto& [place, newest] : newest_) {
      const reference::EventKey& first = x_.events[place].key;
      if (first.thread == reference::k_init && first.instr < end.memory.size() &&
          first.occurrence < end.memory[first.instr].size())
        end.memory[first.instr][first.occurrence] = x_.events[newest].value;
    }
    return prog::holds(test_, test_.condition, end) == prog::holds(test_, test_.condition, x_.final);
  }
  bool go(std::optional<uint32_t> last) {
    std::vector<uint32_t> next;
    for (uint32_t e = 0; e < done_.size(); ++e)
      if (fits(e)) next.push_back(e);
    if (next.empty()) return std::find(done_.begin(), done_.end(), false) == done_.end() && ends_as_it_says();
    if (failed_.size() >= k_most_states || failed_.contains({done_, newest_})) return false;
    std::ranges::stable_sort(next, {}, [&](uint32_t e) { return rank(x_, phase_, last, e); });
    for (const uint32_t e : next) {
      const auto newest = newest_;
      done_[e] = true;
      if (x_.events[e].is_memory && x_.events[e].tags.has(Tag::W)) newest_[place_[e]] = e;
      order_.push_back(e);
      if (go(e)) return true;
      order_.pop_back();
      done_[e] = false;
      newest_ = newest;
    }
    failed_.insert({done_, newest_});
    return false;
  }

  static constexpr size_t k_most_states = 20000;
  const prog::Test& test_;
  const Execution& x_;
  const std::vector<int32_t>& phase_;
  Relation before_;
  std::vector<uint32_t> place_, order_;
  std::vector<bool> done_;
  std::map<uint32_t, uint32_t> source_, newest_;  // by read; by place
  std::set<std::pair<std::vector<bool>, std::map<uint32_t, uint32_t>>> failed_;
};

// The events in program order that agrees with as much of the execution as any order can. Both halves of a
// read-modify-write stay together, and a thread goes on, where the order leaves the choice. `phase`: events of a lower
// one come first.
Order order_of(const prog::Test& test, const Execution& x, const std::vector<int32_t>& phase) {
  const auto n = static_cast<uint32_t>(x.events.size());
  const Relation& po = x.rel(Base::po);
  Interleaving all(test, x, phase);
  const Interleaving::Found found = all.search();
  if (found == Interleaving::Found::yes)
    return {all.events(), "po, rf and a total order of the writes: sequentially consistent"};
  Relation before = po | x.rel(Base::rf);
  Order out{{},
            found == Interleaving::Found::no ? "po and rf: not sequentially consistent"
                                             : "po and rf: whether it is sequentially consistent was not decided"};
  if (!before.acyclic()) {
    before = po;
    out.respects = "po: values come from later instructions";
  }
  std::vector<bool> done(n, false);
  for (uint32_t e = 0; e < n; ++e) done[e] = x.events[e].key.thread == reference::k_init;
  std::optional<uint32_t> last;
  while (true) {
    std::optional<uint32_t> best;
    for (uint32_t e = 0; e < n; ++e) {
      if (done[e]) continue;
      bool ready = true;
      for (uint32_t b = 0; b < n && ready; ++b) ready = done[b] || !before.test(b, e);
      if (ready && (!best || rank(x, phase, last, e) < rank(x, phase, last, *best))) best = e;
    }
    if (!best) return out;
    done[*best] = true;
    out.events.push_back(*best);
    last = best;
  }
}

std::string specification(const prog::Test& test, const check::Options& options) {
  std::string what;
  switch (options.property) {
    case check::Property::condition:
      what = test.quantifier == prog::Quantifier::forall ? "G " + question_text(test) : "G ! " + question_text(test);
      break;
    case check::Property::races:
      what = "G ! data-race";
      break;
    case check::Property::termination:
      what = "F end";
      break;
  }
  return fmt::format("CHECK( init(main()), LTL({}) )", what);
}

}  // namespace

std::string automaton(const std::string& path, const prog::Test& test, const cat::Model& model,
                      const check::Options& options, const check::Result& result) {
  if (!result.execution) return "";
  const Execution& x = result.execution->execution;
  const Order order = order_of(test, x, result.round);
  std::string model_file = base_name(model.path);
  std::string out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" "
      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n";
  for (const Key& k : k_keys)
    out += fmt::format("  <key id=\"{0}\" for=\"{1}\" attr.name=\"{0}\" attr.type=\"{2}\"/>\n", k.id, k.of, k.type);
  const std::string text = test.span.source ? test.span.source->text : "";
  out += "  <graph edgedefault=\"directed\">\n";
  for (const auto& [key, value] :
       std::initializer_list<std::pair<const char*, std::string>>{{"witness-type", "violation_witness"},
                                                                  {"sourcecodelang", vocab::name(test.dialect)},
                                                                  {"producer", "fencepost " FENCEPOST_VERSION},
                                                                  {"specification", specification(test, options)},
                                                                  {"programfile", path},
                                                                  {"programhash", verify::sha256(text)},
                                                                  {"architecture", "64bit"},
                                                                  {"creationtime", creation_time()},
                                                                  {"fencepost.model", model_file},
                                                                  {"fencepost.order", order.respects}})
    out += "    " + data(key, value) + "\n";

  // Instructions: both halves of a read-modify-write are one where nothing stands between them.
  struct Edge {
    uint32_t event = 0;
    std::optional<uint32_t> second;
  };
  std::vector<Edge> edges;
  for (const uint32_t e : order.events) {
    if (!result.round.empty() && result.round[e] > 0) continue;  // a second round of the loops says nothing new
    if (!edges.empty() && !edges.back().second && x.rel(Base::amo).test(edges.back().event, e))
      edges.back().second = e;
    else
      edges.push_back({e, std::nullopt});
  }
  const size_t threads = test.threads.size(), first = threads + 1, all = first + edges.size();
  std::optional<size_t> head;  // where the loops begin
  if (result.lasso) {
    head = first;
    while (*head < all && result.round[edges[*head - first].event] < 0) ++*head;
  }
  const size_t end = head && *head < all ? all - 1 : all;  // the last edge of a loop goes back to its head
  for (size_t k = 0; k <= end; ++k)
    out +=
        fmt::format("    <node id=\"N{}\">{}{}{}</node>\n", k, data("entry", k == 0 ? "true" : ""),
                    data("violation", (!head && k == end) ? "true" : ""), data("cyclehead", head == k ? "true" : ""));
  const auto arc = [&](size_t from, size_t to, const std::string& inside) {
    out += fmt::format("    <edge source=\"N{}\" target=\"N{}\">{}</edge>\n", from, to, inside);
  };
  // The program's threads are made by one that does nothing else; thread k of the test is k + 1 here.
  arc(0, 1, data("threadId", "0") + data("enterFunction", "main"));
  for (size_t t = 0; t < threads; ++t)
    arc(t + 1, t + 2, data("threadId", "0") + data("createThread", std::to_string(t + 1)));
  for (size_t k = 0; k < edges.size(); ++k) {
    const Edge& edge = edges[k];
    std::string inside = data("threadId", std::to_string(x.events[edge.event].key.thread + 1));
    if (const Span& at = x.events[edge.event].span; at.source) {
      const std::string line = std::to_string(at.position().line);
      inside += data("startline", line) + data("endline", line);
    }
    std::string code = instruction_text(test, x, edge.event);
    // Both halves of a read-modify-write have one text; the listing for people marks them.
    for (const char* mark : {"  (its read)", "  (its write)"})
      if (const size_t at = code.find(mark); at != std::string::npos) code.erase(at, std::strlen(mark));
    inside += data("sourcecode", code);
    std::string ids = event_name(test, x, edge.event);
    if (edge.second) ids += " " + event_name(test, x, *edge.second);
    inside += data("event-id", ids) + data("fencepost.location", location_of(test, x, edge.event));
    for (const std::optional<uint32_t> e : {std::optional(edge.event), edge.second}) {
      if (!e || !x.events[*e].is_memory) continue;
      const bool reads = x.events[*e].tags.has(Tag::R);
      inside += data(reads ? "loaded-value" : "stored-value", number_text(test, x.events[*e]));
      for (uint32_t w = 0; reads && w < x.events.size(); ++w)
        if (x.rel(Base::rf).test(w, *e)) inside += data("fencepost.reads-from", event_name(test, x, w));
    }
    const bool back = head && *head < all && k + 1 == edges.size();
    arc(first + k, back ? *head : first + k + 1, inside);
  }
  return out + "  </graph>\n</graphml>\n";
}

}  // namespace fencepost::report
