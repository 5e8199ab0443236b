#pragma once
// Internal to the room: in what order the host's code comes to events (host_walk.h), and what is known on every way.
//
// Each activation has a sequence of steps, in the order of the text, with loops, branches and calls inside. A walk goes
// over them with what is known at each place; where ways meet, only what holds on all of them is left. A loop is gone
// over until nothing more is lost. What a `try` has begun may end anywhere.
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace fencepost::clangfe {

constexpr uint32_t k_no_event = ~uint32_t{0};

struct Step {
  enum Kind : uint8_t {
    event,       // number: which
    choice,      // one of the parts; sequence 0 is none
    loop,        // parts: condition, body, next; `first`: the body comes before the condition
    call,        // number: the activation
    attempt,     // parts: what is tried, and the handlers
    cases,       // parts: the body of a `switch`; `first`: there is a default
    case_label,  // of the innermost `switch`
    label,       // jumps to `what` come here
    jump,
    leaves,  // the innermost loop or `switch`
    next,    // round of the innermost loop
    returns,
    throws,
    aside  // parts: what is done at any time, perhaps by several threads
  } kind = event;
  uint32_t number = 0;
  std::vector<uint32_t> parts;
  bool first = false;
  const void* what = nullptr;
};

class HostFlow {
 public:
  struct Root {
    uint32_t sequence = 0;
    bool sometimes = false;  // nothing says when it is called
    bool by_others = false;  // perhaps by several threads
  };
  void clear();
  // What is added in the meantime is a sequence of its own.
  uint32_t within(const std::function<void()>& go_over);
  void add(Step s) {
    if (!closed) sequences_[now_].push_back(std::move(s));
  }
  // An activation's own sequence.
  void body(uint32_t frame, uint32_t sequence) { bodies_[frame] = sequence; }
  const std::vector<Step>& now() const { return sequences_[now_]; }
  std::vector<Root> roots;
  bool closed = false;  // nothing more is added

 private:
  friend class Ways;
  std::vector<std::vector<Step>> sequences_{{}, {}};
  std::map<uint32_t, uint32_t> bodies_;
  uint32_t now_ = 1;
};

// What is known of some memory at a place of the program.
struct Standing {
  bool reached = false;
  bool first = false;                             // no event before
  uint64_t zero = 0;                              // bytes that are 0
  uint32_t by = k_no_event, missed = k_no_event;  // who put something else there; a reset that did not reach it
  std::set<uint32_t> running;                     // events of the device that may not be done
  std::set<uint32_t> elsewhere;                   // of these, on what may be another device
  // Of two ways.
  void join(const Standing& o);
  friend bool operator==(const Standing&, const Standing&) = default;
};

// Goes over a flow for the events of one object.
class Ways {
 public:
  Ways(const HostFlow& flow, std::vector<bool> concerns, std::function<void(uint32_t, Standing&)> done);
  // Whether something in it concerns the object.
  bool touches(uint32_t sequence) const { return touches_[sequence]; }
  // False: it is not followed to the end.
  bool go_over(uint32_t sequence, const Standing& at_first);
  // An event in it that concerns the object, wherever it is noted; k_no_event: none does.
  uint32_t event_in(uint32_t sequence) const;
  // An event that is done aside, of those that concern the object; k_no_event: none is.
  uint32_t done_aside(uint32_t sequence) const;

 private:
  Standing over(uint32_t sequence, Standing s);
  Standing loop(const Step& step, const Standing& s);
  Standing enter(uint32_t frame, const Standing& s);
  void may_end(const Standing& s);
  uint32_t any_event(uint32_t sequence, std::set<uint32_t>& seen) const;

  const HostFlow& flow_;
  std::vector<bool> concerns_;
  std::function<void(uint32_t, Standing&)> done_;
  std::vector<bool> touches_, jumps_;
  Standing *leaves_ = nullptr, *next_ = nullptr, *returns_ = nullptr;
  const Standing* at_switch_ = nullptr;
  std::vector<Standing*> attempts_;
  std::map<const void*, Standing> jumped_;
  std::vector<uint32_t> active_;
  uint64_t steps_ = 0;
  bool lost_ = false;
};

}  // namespace fencepost::clangfe
