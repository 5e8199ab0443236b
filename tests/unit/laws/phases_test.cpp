// Both engines say of operations on one mbarrier object what an oracle of phases says that runs every interleaving:
// they are atomic and coherent (9.7.15.16), so nothing else may happen. FENCEPOST_PTX9_LAWS=N asks about N tests,
// FENCEPOST_PTX9_SEED=K about others.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "../prog/phase_oracle.h"
#include "base/job.h"
#include "cat/library.h"
#include "check/check.h"
#include "prog/test.h"
#include "read/read.h"

namespace fencepost {
namespace {

using prog::MbarrierOp;
using prog::phases::Oracle;

struct Line {
  enum class Kind { count, arrive_for_token, wait_parity, wait_token, pending } kind = Kind::count;
  MbarrierOp op = MbarrierOp::arrive;
  int64_t n = 1;      // of the operation; or the parity
  size_t result = 0;  // of a wait and of pending_count: which answer
  std::string text;
};

struct Program {
  int64_t expected = 1;
  std::vector<std::vector<Line>> threads;
  std::vector<std::string> answers;  // "P0:r1", of every wait and pending_count
  std::string text;
};

bool is_no_complete(MbarrierOp op) {
  return op == MbarrierOp::arrive_no_complete || op == MbarrierOp::arrive_drop_no_complete;
}

Program drawn(Rng& rng) {
  struct Count {
    MbarrierOp op;
    const char* text;
    int64_t n;
  };
  static constexpr Count k_counts[] = {
      {MbarrierOp::arrive, "mbarrier.arrive.{0}shared::cta.b64 _, [m]", 1},
      {MbarrierOp::arrive, "mbarrier.arrive.{0}shared::cta.b64 _, [m], 2", 2},
      {MbarrierOp::arrive_expect_tx, "mbarrier.arrive.expect_tx.{0}shared::cta.b64 _, [m], 16", 16},
      {MbarrierOp::expect_tx, "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [m], 16", 16},
      {MbarrierOp::complete_tx, "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [m], 16", 16},
      {MbarrierOp::arrive_drop, "mbarrier.arrive_drop.{0}shared::cta.b64 _, [m]", 1},
      {MbarrierOp::arrive_drop_expect_tx, "mbarrier.arrive_drop.expect_tx.{0}shared::cta.b64 _, [m], 16", 16},
      {MbarrierOp::arrive_no_complete, "mbarrier.arrive.noComplete.shared::cta.b64 r9, [m], 1", 1},
      {MbarrierOp::arrive_drop_no_complete, "mbarrier.arrive_drop.noComplete.shared::cta.b64 r9, [m], 1", 1},
      {MbarrierOp::inval, "mbarrier.inval.shared::cta.b64 [m]", 0},
      {MbarrierOp::init, "mbarrier.init.shared::cta.b64 [m], 2", 2},
  };
  Program p;
  // Two phases need arrivals that complete them: some programs have no others.
  const bool plain = rng.chance(0.1);
  p.expected = plain ? 1 : 1 + static_cast<int64_t>(rng.below(3));
  p.threads.resize(2);
  size_t longest = 0;
  for (size_t t = 0; t < p.threads.size(); ++t) {
    bool token = false, counted = false;  // r8 and r9 hold what an arrival returned
    for (size_t k = 1 + rng.below(3); k-- > 0;) {
      Line l;
      const std::string order = rng.chance(0.5) ? "" : rng.chance(0.5) ? "relaxed.cta." : "release.cta.";
      const uint64_t which = rng.below(10);
      if (which < 6) {
        // An object that is not valid tells little, so its end is rare.
        const Count& c = k_counts[plain ? 0 : rng.chance(0.1) ? rng.below(std::size(k_counts)) : rng.below(9)];
        l.op = c.op;
        l.n = c.n;
        l.text = fmt::format(fmt::runtime(c.text), order);
        counted = counted || is_no_complete(l.op);
      } else if (which < 7) {
        l.kind = Line::Kind::arrive_for_token;
        l.text = fmt::format("mbarrier.arrive.{}shared::cta.b64 r8, [m]", order);
        token = true;
      } else if (counted && rng.chance(0.7)) {
        l.kind = Line::Kind::pending;
        l.result = p.answers.size();
        p.answers.push_back(fmt::format("P{}:r{}", t, l.result));
        // Of r8, which is of no such form: undefined.
        l.n = token && rng.chance(0.1) ? 8 : 9;
        l.text = fmt::format("mbarrier.pending_count.b64 r{}, r{}", l.result, l.n);
      } else {
        const bool by_token = token && rng.chance(0.6);
        l.kind = by_token ? Line::Kind::wait_token : Line::Kind::wait_parity;
        l.n = static_cast<int64_t>(rng.below(2));
        l.result = p.answers.size();
        const std::string r = fmt::format("r{}", p.answers.size());
        p.answers.push_back(fmt::format("P{}:{}", t, r));
        const char* form = rng.chance(0.5) ? "test" : "try";
        l.text = by_token ? fmt::format("mbarrier.{}_wait.shared::cta.b64 {}, [m], r8", form, r)
                          : fmt::format("mbarrier.{}_wait.parity.shared::cta.b64 {}, [m], {}", form, r, l.n);
      }
      p.threads[t].push_back(std::move(l));
    }
    longest = std::max(longest, p.threads[t].size());
  }
  p.text = fmt::format("PTX phases\n{{ m @ mbarrier P0 = {}; }}\n P0@cta 0, gpu 0 | P1@cta 0, gpu 0 ;\n", p.expected);
  for (size_t k = 0; k < longest; ++k) {
    const auto at = [&](size_t t) { return k < p.threads[t].size() ? p.threads[t][k].text : std::string(); };
    p.text += fmt::format(" {} | {} ;\n", at(0), at(1));
  }
  return p;
}

struct Told {
  std::set<std::vector<int64_t>> answers;
  bool undefined = false;
  bool unwaited = false;  // 9.7.15.16.5.1: an arrival in a phase, and no wait for the phase before it was successful
};

bool is_arrival(MbarrierOp op) { return op >= MbarrierOp::arrive && op <= MbarrierOp::arrive_drop_no_complete; }

// `waited`: the phase in which a wait for the one before it was successful; 0: none was.
struct Held {
  std::vector<uint64_t> token;   // by thread: the phase that r8 captures
  std::vector<int64_t> pending;  // "the pending count of the mbarrier object prior to the arrive-on operation", of r9
};
void interleave(const Program& p, std::vector<size_t> at, const Held& before, std::vector<int64_t> answers,
                const Oracle& object, uint64_t waited, Told& told) {
  bool ended = true;
  for (size_t t = 0; t < p.threads.size(); ++t) {
    if (at[t] == p.threads[t].size()) continue;
    ended = false;
    const Line& l = p.threads[t][at[t]];
    Oracle next = object;
    auto seen = answers;
    Held held = before;
    auto then = at;
    uint64_t after = waited;
    if (l.kind == Line::Kind::arrive_for_token || (l.kind == Line::Kind::count && is_arrival(l.op)))
      told.unwaited |= object.valid && object.phase > 0 && waited != object.phase;
    ++then[t];
    switch (l.kind) {
      case Line::Kind::arrive_for_token:
        held.token[t] = object.phase;
        [[fallthrough]];
      case Line::Kind::count:
        if (is_no_complete(l.op)) held.pending[t] = object.pending;
        told.undefined |= !next.apply(l.op, l.n);
        if (l.op == MbarrierOp::init || l.op == MbarrierOp::inval) after = 0;
        break;
      case Line::Kind::wait_parity:
        told.undefined |= !object.valid;
        seen[l.result] = object.wait_parity(static_cast<uint64_t>(l.n));
        break;
      case Line::Kind::wait_token: {
        const auto answer = object.wait_token(held.token[t]);
        told.undefined |= !object.valid || !answer;
        seen[l.result] = answer.value_or(false);
        break;
      }
      case Line::Kind::pending:
        told.undefined |= l.n == 8;
        seen[l.result] = held.pending[t];
        break;
    }
    const bool waits = l.kind == Line::Kind::wait_parity || l.kind == Line::Kind::wait_token;
    if (waits && seen[l.result]) after = object.phase;
    interleave(p, then, held, seen, next, after, told);
  }
  if (ended) told.answers.insert(answers);
}

// The number that n draws of this probability fall below once in 30,000 times: four standard deviations.
size_t least(size_t n, double probability) {
  const double mean = static_cast<double>(n) * probability;
  return static_cast<size_t>(std::max(0.0, mean - 4 * std::sqrt(mean)));
}

TEST(Phases, EnginesSayWhatTheOracleSays) {
  const char* asked = std::getenv("FENCEPOST_PTX9_LAWS");
  const char* key = std::getenv("FENCEPOST_PTX9_SEED");
  const size_t n = asked == nullptr ? 75 : std::strtoull(asked, nullptr, 10);
  Rng rng(916 + (key == nullptr ? 0 : 1000003 * std::strtoull(key, nullptr, 10)));
  auto model = cat::load_model("ptx-9", vocab::Dialect::ptx);
  ASSERT_TRUE(model.has_value());
  size_t possible = 0, impossible = 0, undefined = 0, defined = 0, unwaited = 0, late = 0, counted = 0;
  for (size_t k = 0; k < n; ++k) {
    const Program p = drawn(rng);
    Told told;
    Oracle object;
    object.apply(MbarrierOp::init, p.expected);
    const size_t threads = p.threads.size();
    interleave(p, std::vector<size_t>(threads), {std::vector<uint64_t>(threads), std::vector<int64_t>(threads)},
               std::vector<int64_t>(p.answers.size()), object, 0, told);
    std::vector<int64_t> answer(p.answers.size());
    std::vector<bool> counts(p.answers.size());
    for (const auto& thread : p.threads)
      for (const Line& l : thread)
        if (l.kind == Line::Kind::pending) counts[l.result] = true;
    counted += std::count(counts.begin(), counts.end(), true) > 0 && !told.undefined;
    std::string question = "true";
    for (size_t w = 0; w < p.answers.size(); ++w) {
      answer[w] = static_cast<int64_t>(rng.below(counts[w] ? 4 : 2));
      question += fmt::format(" /\\ {} = {}", p.answers[w], answer[w]);
    }
    const std::string text = p.text + "exists (" + question + ")\n";
    const auto t = read::parse_one(make_source("phases.litmus", text));
    ASSERT_TRUE(t.has_value()) << render(t.error()) << text;
    for (check::Engine e : {check::Engine::enumerate, check::Engine::solve}) {
      const auto status = [&](check::Property property) {
        check::Options o;
        o.engine = e;
        o.property = property;
        Job job = Job::with_budget(30);
        return check::check(*t, *model, o, job).verdict.status;
      };
      // What an undefined operation leaves behind is not promised, so answers are compared where there is none.
      if (!told.undefined)
        ASSERT_EQ(status(check::Property::condition) == Status::holds, told.answers.contains(answer)) << text;
      const Status races = status(check::Property::races);
      ASSERT_TRUE(races != Status::gave_up || e == check::Engine::enumerate) << text;
      late += races == Status::gave_up;  // seven operations on one mbarrier have 7! orders
      if (races != Status::gave_up)
        ASSERT_EQ(races, told.undefined || told.unwaited ? Status::fails : Status::holds) << text;
    }
    ++(told.undefined ? undefined : told.answers.contains(answer) ? possible : impossible);
    defined += !told.undefined;
    unwaited += !told.undefined && told.unwaited;
  }
  fmt::print(
      "{} programs of phases: {} undefined, {} possible, {} impossible, {} with a phase without a wait, {} count\n", n,
      undefined, possible, impossible, unwaited, counted);
  EXPECT_GE(counted, least(n, 0.01));
  EXPECT_GE(unwaited, least(n, 0.05));
  EXPECT_LE(late, n / 20);
  EXPECT_GE(possible, least(n, 0.15));
  EXPECT_GE(impossible, least(n, 0.1));
  EXPECT_GE(undefined, least(n, 0.4));
}

}  // namespace
}  // namespace fencepost
