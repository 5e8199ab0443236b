// The automaton of one progress model over one test: which threads are in F, live and started, and the model's
// variables.
// A state is a row of words: F, live, started (or what the model sees of it), then the variables. Rows are interned in
// one array behind an open hash table; transitions are memoised in a flat table when the event is (thread, kind) alone,
// and in a hash table keyed by the parts of the instruction that the model reads otherwise.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <unordered_map>

#include "fair/impl.h"

namespace fencepost::fair {
namespace {

enum class Event : uint8_t { step, terminate, both };
constexpr uint32_t k_unknown = UINT32_MAX;
constexpr size_t k_fair = 0, k_live = 1, k_started = 2, k_variables = 3;

uint64_t mix(uint64_t h, uint64_t w) {
  h ^= w + 0x9e3779b97f4a7c15ULL + (h << 6) + (h >> 2);
  h *= 0xff51afd7ed558ccdULL;
  return h ^ (h >> 32);
}

// What a transition depends on besides the state: the event, and the parts of the instruction that the model reads.
struct Key {
  uint32_t state = 0, thread = 0;
  Event event = Event::step;
  Step step;
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  size_t operator()(const Key& k) const {
    uint64_t h = mix(k.state, (uint64_t{k.thread} << 8) | static_cast<uint64_t>(k.event));
    h = mix(h, k.step.location);
    h = mix(h, k.step.compared);
    h = mix(h, k.step.exchanged_value);
    return mix(h, (k.step.exchanged ? 2u : 0u) | (k.step.jumped ? 1u : 0u));
  }
};

}  // namespace

struct Machine::Impl {
  Model model;
  const Model::Impl& m;
  uint32_t threads;
  ThreadSet all, live_at_start;
  std::vector<uint32_t> variable_at;  // in words from the first variable
  size_t width;                       // words of a row

  std::vector<uint64_t> rows;
  uint32_t count = 0;
  std::vector<uint32_t> buckets;  // open addressing, power of two; k_unknown: free
  std::vector<uint32_t> plain;    // (state * threads + thread) * 3 + event
  std::unordered_map<Key, uint32_t, KeyHash> keyed;

  using Row = std::vector<uint64_t>;
  Row row;                      // the state under construction
  std::vector<int64_t> values;  // its variables
  std::unordered_map<ThreadSet, uint32_t> initial;
  Span last_fair;  // the last assignment to F in this event

  Impl(const Model& mod, uint32_t n, ThreadSet live)
      : model(mod),
        m(model.impl()),
        threads(n),
        all(n == 64 ? ~ThreadSet{0} : (ThreadSet{1} << n) - 1),
        live_at_start(live) {
    FENCEPOST_INVARIANT(n <= 64, "a machine has at most 64 threads");
    FENCEPOST_INVARIANT((live & ~all) == 0, "threads live at the start are threads of the test");
    uint32_t words = 0;
    for (const Variable& v : m.variables) {
      variable_at.push_back(words);
      words += v.per_thread ? threads : 1;
    }
    values.resize(words);
    width = k_variables + words;
    row.resize(width);
    buckets.assign(64, k_unknown);
  }

  const uint64_t* at(uint32_t s) const { return rows.data() + s * width; }

  // ---- interning -------------------------------------------------------------------------------------------------
  uint64_t hash(const uint64_t* r) const {
    uint64_t h = width;
    for (size_t i = 0; i < width; ++i) h = mix(h, r[i]);
    return h;
  }

  void grow() {
    buckets.assign(buckets.size() * 2, k_unknown);
    for (uint32_t s = 0; s < count; ++s) {
      size_t b = hash(at(s)) & (buckets.size() - 1);
      while (buckets[b] != k_unknown) b = (b + 1) & (buckets.size() - 1);
      buckets[b] = s;
    }
  }

  uint32_t intern() {
    for (size_t i = 0; i < values.size(); ++i) row[k_variables + i] = static_cast<uint64_t>(values[i]);
    size_t b = hash(row.data()) & (buckets.size() - 1);
    for (; buckets[b] != k_unknown; b = (b + 1) & (buckets.size() - 1))
      if (std::equal(row.begin(), row.end(), at(buckets[b]))) return buckets[b];
    const uint32_t id = count++;
    FENCEPOST_INVARIANT(id != k_unknown, "the states of a progress model have 32-bit numbers");
    buckets[b] = id;
    rows.insert(rows.end(), row.begin(), row.end());
    plain.resize(size_t{count} * threads * 3, k_unknown);
    if (count * 2 > buckets.size()) grow();
    return id;
  }

  // What the model sees of the threads that have started.
  ThreadSet seen(ThreadSet started) const {
    if (m.started_use == StartedUse::never || started == 0) return 0;
    return m.started_use == StartedUse::any ? started : ThreadSet{1} << (63 - std::countl_zero(started));
  }

  // ---- evaluation ------------------------------------------------------------------------------------------------
  Environment environment(int64_t thread, const Step& step) {
    Environment env;
    env.threads = all;
    env.fair = row[k_fair];
    env.live = row[k_live];
    env.started = row[k_started];
    env.event_thread = thread;
    env.step = step;
    env.variables = values;
    env.variable_at = variable_at;
    return env;
  }

  std::string at_event(Event e, int64_t thread) const {
    const std::string where =
        fmt::format("(live {}{})", to_text(row[k_live]),
                    m.started_use == StartedUse::never
                        ? ""
                        : fmt::format(", {} {}", m.started_use == StartedUse::any ? "started" : "max started",
                                      to_text(row[k_started])));
    if (thread == k_none) return fmt::format("at the start {}", where);
    return fmt::format("when thread {} {} {}", thread, e == Event::step ? "takes a step" : "ends", where);
  }

  Expected<void> in_range(const Variable& v, int64_t value, const Span& span, Event e, int64_t thread) const {
    if (v.type != Type::integer || (value >= v.low && value <= v.high)) return {};
    return error_at(
        span,
        fmt::format("{} '{}' becomes {}, out of its range {}..{}", at_event(e, thread), v.name, value, v.low, v.high),
        "widen the range, or keep the value in it with 'if ... then ... else ...'");
  }

  Expected<void> run(const std::vector<Statement>& body, Event e, int64_t thread, const Step& step) {
    for (const Statement& s : body) {
      const int64_t value = s.value_code.run(environment(thread, step));
      switch (s.kind) {
        case Statement::Kind::branch:
          if (auto ok = run(value != 0 ? s.then_part : s.else_part, e, thread, step); !ok) return ok;
          break;
        case Statement::Kind::set_fair:
          row[k_fair] = static_cast<ThreadSet>(value);
          last_fair = s.span;
          break;
        default: {
          const Variable& v = m.variables[s.variable];
          if (auto ok = in_range(v, value, s.span, e, thread); !ok) return ok;
          int64_t offset = 0;
          if (s.kind == Statement::Kind::set_element) offset = s.index_code.run(environment(thread, step));
          if (offset != k_none) values[variable_at[s.variable] + static_cast<size_t>(offset)] = value;
        }
      }
    }
    return {};
  }

  // F after the event, and the law that every F obeys.
  Expected<void> settle(ThreadSet before, Event e, int64_t thread) {
    Span blame = last_fair;
    if (!m.stores_fair) {
      row[k_fair] = static_cast<ThreadSet>(m.fair_code.run(environment(k_none, {})));
      blame = m.fair_span;
    } else if (!blame.source) {
      const Handler& h = e == Event::step ? m.on_step : m.on_terminate;
      blame = h.present && thread != k_none ? h.span : m.fair_span;
    }
    const ThreadSet after = row[k_fair], live = row[k_live];
    const ThreadSet strangers = after & ~live, lost = before & live & ~after;
    if (strangers != 0)
      return error_at(
          blame, fmt::format("{} F is {}, and {} not live", at_event(e, thread), to_text(after), several(strangers)),
          "only live threads can be fairly scheduled; add '& live'");
    if (lost != 0)
      return error_at(
          blame,
          fmt::format("{} F goes from {} to {}: it loses {}, which {} not ended", at_event(e, thread), to_text(before),
                      to_text(after), named(lost), std::popcount(lost) == 1 ? "has" : "have"),
          m.stores_fair ? "a thread leaves F only when it ends; add to F with 'fair = fair | ...'"
                        : "a thread leaves F only when it ends; a set that can shrink belongs in 'var fair', joined "
                          "with 'fair | ...'");
    return {};
  }

  static std::string named(ThreadSet s) {
    return std::popcount(s) == 1 ? fmt::format("thread {}", std::countr_zero(s))
                                 : fmt::format("threads {}", to_text(s));
  }
  static std::string several(ThreadSet s) {
    return fmt::format("{} {}", named(s), std::popcount(s) == 1 ? "is" : "are");
  }

  Expected<StateId> start(ThreadSet live) {
    if (const auto it = initial.find(live); it != initial.end()) return it->second;
    FENCEPOST_INVARIANT((live & ~all) == 0, "threads live at the start are threads of the test");
    row.assign(width, 0);
    row[k_live] = live;
    std::fill(values.begin(), values.end(), 0);
    for (size_t i = 0; i < m.variables.size(); ++i) {
      const Variable& v = m.variables[i];
      const int64_t value = v.init_code.run(environment(k_none, {}));
      if (auto ok = in_range(v, value, v.init.span, Event::step, k_none); !ok) return std::unexpected(ok.error());
      for (uint32_t k = 0; k < (v.per_thread ? threads : 1); ++k) values[variable_at[i] + k] = value;
    }
    if (m.stores_fair) row[k_fair] = static_cast<ThreadSet>(m.fair_code.run(environment(k_none, {})));
    last_fair = m.fair_span;
    if (auto ok = settle(0, Event::step, k_none); !ok) return std::unexpected(ok.error());
    return initial[live] = intern();
  }

  Expected<void> apply(Event e, uint32_t thread, const Step& step) {
    const ThreadSet bit = ThreadSet{1} << thread, before = row[k_fair];
    last_fair = {};
    if (e == Event::step) row[k_started] = seen(row[k_started] | bit);
    if (e == Event::terminate) row[k_live] &= ~bit;
    const Handler& h = e == Event::step ? m.on_step : m.on_terminate;
    if (auto ok = run(h.body, e, thread, step); !ok) return ok;
    return settle(before, e, thread);
  }

  Step projected(const Step& s) const {
    Step out;
    if (m.instr_fields & k_location) out.location = s.location;
    if (m.instr_fields & k_value) out.exchanged_value = s.exchanged_value;
    if (m.instr_fields & k_compared) out.compared = s.compared;
    if (m.instr_fields & k_exchanged) out.exchanged = s.exchanged;
    if (m.instr_fields & k_jumped) out.jumped = s.jumped;
    return out;
  }

  Expected<StateId> go(StateId s, uint32_t thread, Event e, const Step& step) {
    FENCEPOST_INVARIANT(s < count && thread < threads && (at(s)[k_live] >> thread & 1) != 0,
                        "an event of a machine is of a live thread in a known state");
    const bool by_instr = m.instr_fields != 0 && e != Event::terminate;
    const size_t slot = (size_t{s} * threads + thread) * 3 + static_cast<size_t>(e);
    Key key;
    if (!by_instr) {
      if (plain[slot] != k_unknown) return plain[slot];
    } else {
      key = {s, thread, e, projected(step)};
      if (const auto it = keyed.find(key); it != keyed.end()) return it->second;
    }
    row.assign(at(s), at(s) + width);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(row[k_variables + i]);
    if (e != Event::terminate)
      if (auto ok = apply(Event::step, thread, step); !ok) return std::unexpected(ok.error());
    if (e != Event::step)
      if (auto ok = apply(Event::terminate, thread, {}); !ok) return std::unexpected(ok.error());
    const StateId to = intern();
    (by_instr ? keyed[key] : plain[slot]) = to;
    return to;
  }
};

Machine::Machine(const Model& model, uint32_t threads, ThreadSet live_at_start)
    : impl_(std::make_unique<Impl>(model, threads, live_at_start)) {}
Machine::~Machine() = default;
Machine::Machine(Machine&&) noexcept = default;
Machine& Machine::operator=(Machine&&) noexcept = default;

Expected<Machine::StateId> Machine::initial() { return impl_->start(impl_->live_at_start); }
Expected<Machine::StateId> Machine::initial(ThreadSet live_at_start) { return impl_->start(live_at_start); }
Expected<Machine::StateId> Machine::after(StateId s, uint32_t t, const Step& step, bool ends) {
  return impl_->go(s, t, ends ? Event::both : Event::step, step);
}
Expected<Machine::StateId> Machine::after_step(StateId s, uint32_t t, const Step& step) {
  return impl_->go(s, t, Event::step, step);
}
Expected<Machine::StateId> Machine::after_termination(StateId s, uint32_t t) {
  return impl_->go(s, t, Event::terminate, {});
}
ThreadSet Machine::fair(StateId s) const { return impl_->at(s)[k_fair]; }
ThreadSet Machine::live(StateId s) const { return impl_->at(s)[k_live]; }
size_t Machine::states() const { return impl_->count; }

std::string Machine::describe(StateId s) const {
  const uint64_t* r = impl_->at(s);
  std::string out = "F=" + to_text(r[k_fair]);
  for (size_t i = 0; i < impl_->m.variables.size(); ++i) {
    const Variable& v = impl_->m.variables[i];
    std::vector<std::string> words;
    for (uint32_t k = 0; k < (v.per_thread ? impl_->threads : 1); ++k) {
      const uint64_t w = r[k_variables + impl_->variable_at[i] + k];
      const auto n = static_cast<int64_t>(w);
      words.push_back(v.type == Type::set                     ? to_text(w)
                      : v.type == Type::boolean               ? (n != 0 ? "true" : "false")
                      : v.type == Type::thread && n == k_none ? "none"
                                                              : fmt::format("{}", n));
    }
    const std::string joined = fmt::format("{}", fmt::join(words, ","));
    out += v.per_thread ? fmt::format(" {}=[{}]", v.name, joined) : fmt::format(" {}={}", v.name, joined);
  }
  return out;
}

namespace {

// Instructions that differ in what the model reads.
std::vector<Step> steps_of(const Model& model) {
  const uint8_t fields = model.impl().instr_fields;
  std::vector<Step> out;
  for (uint32_t bits = 0; bits < 32; ++bits)
    if ((bits & ~uint32_t{fields}) == 0)
      out.push_back({(bits & k_location) != 0, (bits & k_compared) != 0, (bits & k_value) != 0,
                     (bits & k_exchanged) != 0, (bits & k_jumped) != 0});
  return out;
}

Expected<void> find_fault_of(const Model& model, uint32_t threads, size_t max_states) {
  const std::vector<Step> steps = steps_of(model);
  Machine machine(model, threads, 0);
  // A test may have threads without code, which are never live.
  for (ThreadSet live = 0; live >> threads == 0; ++live)
    if (auto s = machine.initial(live); !s) return std::unexpected(s.error());
  for (Machine::StateId s = 0; s < machine.states() && machine.states() < max_states; ++s)
    for (ThreadSet left = machine.live(s); left != 0; left &= left - 1)
      for (const Step& step : steps) {
        const auto t = static_cast<uint32_t>(std::countr_zero(left));
        if (auto to = machine.after_step(s, t, step); !to) return std::unexpected(to.error());
        if (auto to = machine.after(s, t, step, true); !to) return std::unexpected(to.error());
      }
  return {};
}

}  // namespace

Expected<void> find_fault(const Model& model, uint32_t threads, size_t max_states) {
  FENCEPOST_INVARIANT(threads <= 16, "a fault is looked for with few threads");
  for (uint32_t n = 1; n <= threads; ++n)
    if (auto ok = find_fault_of(model, n, max_states); !ok) return ok;
  return {};
}

}  // namespace fencepost::fair
