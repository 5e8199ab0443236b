// The frame around a test. Every number that a configuration may choose is a word of the parameter buffer; the kernel
// reads it once at its start. Private work (addresses, registers' first values) is done before a role begins, so that
// between two operations of a role stand only the role's own instructions.
#include "plan/frame.h"

#include <set>

#include "plan/frame_parts.h"

namespace fencepost::plan {
namespace {

using namespace parts;

// ---- test -----------------------------------------------------------------------------------------------

class TestKernel {
 public:
  explicit TestKernel(Program& p)
      : p_(p),
        f_(p, Phase::test, "test",
           {BufferUse::parameters, BufferUse::memory, BufferUse::out, BufferUse::sync, BufferUse::scratch}) {
    any_shared_ = std::find(p.shared.begin(), p.shared.end(), true) != p.shared.end();
    f_.kernel().shared_words = k_shared_header + (any_shared_ ? p.shared_words : 0);
  }

  Expected<void> build() {
    List body;
    u_ = f_.named(body, "subgroup", f_.lane() / f_.parameter("subgroup-size"));
    v_ = f_.named(body, "sublane", f_.lane() % f_.parameter("subgroup-size"));
    place_group(body);
    const Expr testing = f_.parameter("testing-groups");
    List test;
    prologue(test);
    auto rounds = round_loop();
    if (!rounds) return std::unexpected(rounds.error());
    append(test, std::move(*rounds));
    test.push_back(
        code::branch(eq(f_.lane(), n32(0)),
                     {code::atomic(code::AtomicOp::add, code::k_no_var, f_.sync(k_sync_timeouts), f_.get(timeouts_)),
                      code::atomic(code::AtomicOp::add, code::k_no_var, f_.sync(k_sync_waits), f_.get(waits_)),
                      code::atomic(code::AtomicOp::add, code::k_no_var, f_.sync(k_sync_done), n32(1))}));
    const Expr stressing = f_.parameter("stress-groups");
    body.push_back(code::branch(less(group_, testing), std::move(test),
                                {code::branch(less(group_ - testing, stressing), stress())}));
    f_.finish(std::move(body));
    return {};
  }

 private:
  static constexpr uint32_t k_shared_header = 2;     // word 0: the workgroup's ticket
  static constexpr uint32_t k_nowhere = 0x7fffffff;  // a place behind all testing and stressing workgroups

  // The workgroup's place among all: by ticket or by permutation of its number; with clusters, by permutation of its
  // cluster's. The device says what cluster and rank a workgroup has: a launch that was made with other clusters than
  // the plan has no testing workgroups, which the host sees by what they count at their end.
  void place_group(List& body) {
    if (p_.clusters) {
      const Var cluster = f_.variable("cluster"), rank = f_.variable("rank"), ranks = f_.variable("ranks");
      body.push_back(code::read_builtin(cluster, code::Builtin::cluster));
      body.push_back(code::read_builtin(rank, code::Builtin::rank));
      body.push_back(code::read_builtin(ranks, code::Builtin::ranks));
      const Expr size = f_.parameter("cluster");
      const Expr moved = (f_.get(cluster) * f_.parameter("group-a") + f_.parameter("group-c")) % (f_.groups() / size);
      group_ = f_.named(body, "place", term::ite(eq(f_.get(ranks), size), moved * size + f_.get(rank), n32(k_nowhere)));
      return;
    }
    const Var place = f_.variable("place"), ticket = f_.variable("ticket");
    body.push_back(code::branch(
        !eq(f_.parameter("ticket"), n32(0)),
        {code::branch(eq(f_.lane(), n32(0)), {code::atomic(code::AtomicOp::add, ticket, f_.sync(k_sync_ticket), n32(1)),
                                              code::store(Frame::shared(n32(0)), f_.get(ticket))}),
         code::barrier(), code::load(place, Frame::shared(n32(0)))},
        {code::set(place, (f_.group() * f_.parameter("group-a") + f_.parameter("group-c")) % f_.groups())}));
    group_ = f_.get(place);
  }

  // The two accesses of a pattern (0 ss, 1 sl, 2 ls, 3 ll) at a word of the scratch buffer, `count` times. Loaded
  // values end in a store that never happens but that no compiler can rule out.
  // `stressing`: a stressing workgroup, which may run a longer word of accesses, and stops when the tests have ended.
  List hammer(const std::string& prefix, const Expr& word, const Expr& pattern, const Expr& count, bool stressing) {
    const Var n = f_.variable(prefix + "_n"), got = f_.variable(prefix + "_got"), sum = f_.variable(prefix + "_sum"),
              done = f_.variable(prefix + "_done");
    const code::Place p = f_.place(BufferUse::scratch, word);
    const auto access = [&](const Expr& load) {
      return code::branch(load, {code::load(got, p, code::Order::device), code::set(sum, f_.get(sum) + f_.get(got))},
                          {code::store(p, f_.get(n), code::Order::device)});
    };
    List out = {code::set(n, n32(0)), code::set(sum, n32(0))};
    List two = {access(at_least(pattern, n32(2))), access(!eq(pattern % n32(2), n32(0)))};
    List loop = {code::leave_if(at_least(f_.get(n), count))};
    if (stressing) {
      const Var at = f_.variable(prefix + "_at");
      const Expr bits = f_.parameter("stress-word-bits"), length = f_.parameter("stress-word-length");
      List longer = {code::set(at, n32(0)),
                     code::loop({code::leave_if(at_least(f_.get(at), length)),
                                 access(eq(term::binary(Op::lshr, bits, f_.get(at)) % n32(2), n32(0))),
                                 code::set(at, f_.get(at) + n32(1))})};
      loop.push_back(code::branch(eq(length, n32(0)), std::move(two), std::move(longer)));
    } else {
      append(loop, std::move(two));
    }
    loop.push_back(code::set(n, f_.get(n) + n32(1)));
    if (stressing) {
      loop.push_back(
          code::branch(eq(f_.get(n) % n32(16), n32(0)), {code::load(done, f_.sync(k_sync_done), code::Order::device)}));
      loop.push_back(code::leave_if(at_least(f_.get(done), f_.parameter("testing-groups"))));
    }
    out.push_back(code::loop(std::move(loop)));
    out.push_back(code::branch(eq(f_.get(sum), n32(0x5bd1e995)), {code::store(p, f_.get(sum), code::Order::device)}));
    return out;
  }

  // Word of the line that workgroup number `g` of `of` stresses.
  Expr target_word(List& out, const std::string& prefix, const Expr& g, const Expr& of) {
    const Expr targets = f_.parameter("stress-targets");
    const Expr which = term::ite(eq(f_.parameter("stress-assignment"), n32(0)), g % targets, g * targets / of);
    const Var base = f_.variable(prefix + "_base");
    out.push_back(code::load(base, f_.place(BufferUse::parameters, n32(table_word()) + which % n32(k_most_targets))));
    return f_.named(out, prefix + "_word", f_.get(base) + f_.lane() * f_.parameter("stress-spread"));
  }

  // The table of stressed lines is a run of parameter words.
  uint32_t table_word() {
    const auto [word, fresh] = p_.parameter_words.emplace("stress-table", p_.parameter_count);
    if (fresh) p_.parameter_count += k_most_targets;
    return word->second;
  }

  List stress() {
    List out;
    const Expr testing = f_.parameter("testing-groups"), stressing = f_.parameter("stress-groups");
    const Expr word = target_word(out, "stress", group_ - testing, stressing);
    append(out, hammer("stress", word, f_.parameter("stress-pattern"), f_.parameter("stress-iterations"), true));
    return out;
  }

  // Who plays what, and where its memory is: everything that no round changes.
  void prologue(List& out) {
    const Expr groups = p_.clusters ? Expr() : f_.parameter("c");
    const Expr warps = f_.parameter("u"), lanes = f_.parameter("s");
    const Expr gp = p_.clusters ? Expr() : f_.parameter("group-parts");
    const Expr wp = f_.parameter("warp-parts"), lp = f_.parameter("lane-parts");
    if (p_.clusters) {
      const Expr size = f_.parameter("cluster"), cp = f_.parameter("cluster-parts"), rp = f_.parameter("rank-parts");
      const Expr at = f_.named(out, "at_cluster", group_ / size), rank = f_.named(out, "at_rank", group_ % size);
      vgroup_ = f_.named(out, "vcluster", at / cp);
      gpart_ = f_.named(out, "cpart", at % cp);
      vrank_ = f_.named(out, "vrank", rank / rp);
      rpart_ = f_.named(out, "rpart", rank % rp);
    } else {
      vgroup_ = f_.named(out, "vgroup", group_ / gp);
      gpart_ = f_.named(out, "gpart", group_ % gp);
    }
    vwarp_ = f_.named(out, "vwarp", u_ / wp);
    const Expr wpart = f_.named(out, "wpart", u_ % wp);
    vlane_ = f_.named(out, "vlane", v_ / lp);
    const Expr lpart = f_.named(out, "lpart", v_ % lp);
    const Expr in_range = f_.named(
        out, "in_range",
        (p_.clusters ? less(vgroup_, f_.parameter("x")) && less(vrank_, f_.parameter("y")) : less(vgroup_, groups)) &&
            less(vwarp_, warps));
    roles_.resize(p_.test.threads.size());
    for (uint32_t t = 0; t < roles_.size(); ++t) {
      Role& r = roles_[t];
      const std::string n = fmt::format("r{}", t);
      const auto param = [&](const char* what) { return f_.parameter(n + "." + what); };
      const Seat& seat = p_.tree.seats[t];
      const Expr here = in_range && plays(seat) && eq(wpart, n32(seat.warp) % wp) && eq(lpart, n32(seat.position) % lp);
      r.active = f_.named(out, n + "_active", here && less(vlane_, lanes));
      if (p_.shape.mode == Mode::warp) r.dummy = f_.named(out, n + "_dummy", here && at_least(vlane_, lanes));
      // The lane of a dummy is brought into range; what is computed from it is not used.
      const Expr a = param("a-inverse") * (vwarp_ + warps - param("o")) % warps;
      const Expr e = param("b-inverse") * (vlane_ % lanes + lanes - param("q")) % lanes;
      r.l = f_.named(out, n + "_l", a * lanes + e);
      r.instance = f_.named(out, n + "_instance", instance(n, r.l));
      for (const prog::ObjectId o : objects_of(p_, t))
        r.bases[o] = f_.named(out, fmt::format("{}_{}", n, object_name(o)),
                              p_.shared[o] ? shared_word(o, r.l) : f_.scattered(object_name(o), r.instance));
    }
    if (any_shared_) {
      own_ = f_.named(out, "own", vwarp_ * lanes + vlane_);
      owns_ = f_.named(out, "owns", in_range && less(vlane_, lanes) && eq(wpart, n32(0)) && eq(lpart, n32(0)));
    }
    timeouts_ = f_.variable("timeouts");
    waits_ = f_.variable("waits");
    if (!any_shared_ || p_.shape.mode != Mode::warp) return;
    const Var n = f_.variable("zeroed");
    out.push_back(code::set(n, f_.lane()));
    out.push_back(code::loop(
        {code::leave_if(at_least(f_.get(n), f_.parameter("subgroups") * n32(k_shared_dummy_words))),
         code::store(Frame::shared(n32(k_shared_header) + f_.parameter("shared-dummy-base") + f_.get(n)), n32(0)),
         code::set(n, f_.get(n) + f_.lanes())}));
    out.push_back(code::barrier());
  }

  // This workgroup plays the seat's block.
  Expr plays(const Seat& seat) {
    const Expr here = part(seat);
    return p_.several ? here && eq(f_.parameter("place"), n32(seat.place)) : here;
  }
  Expr part(const Seat& seat) {
    if (!p_.clusters) return eq(gpart_, n32(seat.cluster) % f_.parameter("group-parts"));
    return eq(gpart_, n32(seat.cluster) % f_.parameter("cluster-parts")) &&
           eq(rpart_, n32(seat.rank) % f_.parameter("rank-parts"));
  }

  // Number of the instance whose part `l` role `n` plays in this workgroup.
  Expr instance(const std::string& n, const Expr& l) {
    if (p_.clusters) {
      const Expr all = f_.parameter("x"), ranks = f_.parameter("y");
      const Expr moved =
          (f_.parameter(n + ".d-offset") + l * f_.parameter(n + ".d-k") % f_.parameter(n + ".d-m")) % all;
      const Expr y = f_.parameter(n + ".p-inverse") * (vrank_ + ranks - f_.parameter(n + ".r")) % ranks;
      return ((vgroup_ + all - moved) % all * ranks + y) * f_.parameter("per-group") + l;
    }
    const Expr c = f_.parameter("c");
    const Expr shift = (f_.parameter(n + ".d-offset") + l * f_.parameter(n + ".d-k") % f_.parameter(n + ".d-m")) % c;
    return (vgroup_ + c - shift) % c * f_.parameter("per-group") + l;
  }

  Expr shared_word(prog::ObjectId o, const Expr& l) {
    const std::string n = object_name(o);
    const Expr slot = (f_.parameter(n + ".shared-a") * l + f_.parameter(n + ".shared-c")) % f_.parameter("per-group");
    return n32(k_shared_header) + f_.parameter(n + ".shared-base") + slot * f_.parameter(n + ".shared-stride");
  }

  // ---- one round ----
  Expected<List> round_loop() {
    List out;
    const Var round = f_.variable("round");
    round_ = f_.get(round);
    List body = {code::leave_if(at_least(round_, f_.parameter("rounds")))};
    round_base_ = f_.named(body, "round_base", round_ * f_.parameter("round-words"));
    batch(body);
    for (uint32_t t = 0; t < roles_.size(); ++t) {
      RoleContext c{p_.test, p_.values, p_.narrow, p_.shared, {}, f_.parameter("spin-limit"), {}};
      for (prog::ObjectId o = 0; o < p_.test.objects.size(); ++o) c.memory_buffers.push_back(f_.memory_buffer(o));
      c.bases.assign(p_.test.objects.size(), n32(0));
      for (const auto& [o, base] : roles_[t].bases) c.bases[o] = pointer_base(t, o, base);
      auto code = role_code(f_.kernel(), t, c);
      if (!code) return std::unexpected(code.error());
      roles_[t].code = std::move(*code);
    }
    if (const auto ok = segments(body); !ok) return std::unexpected(ok.error());
    body.push_back(code::set(round, round_ + n32(1)));
    out.push_back(code::set(round, n32(0)));
    out.push_back(code::loop(std::move(body)));
    return out;
  }

  // What an address register holds at first. Dummy lanes have a word of their own behind it, for loads and stores
  // alike.
  Expr pointer_base(uint32_t t, prog::ObjectId o, const Expr& base) {
    const Expr word = p_.shared[o] ? base : base + round_base_;
    const auto& init = p_.test.threads[t].init;
    const bool pointed = std::any_of(init.begin(), init.end(), [&](const prog::InitValue& i) {
      return i.address != prog::k_none && p_.test.symbols[i.address].object == o;
    });
    if (p_.shape.mode != Mode::warp || !pointed) return word;
    const Expr own = v_ * n32(2);
    return term::ite(
        roles_[t].dummy,
        p_.shared[o] ? shared_dummies() + n32(k_shared_dummy_own) + own : dummy_area(p_.operations++) + own, word);
  }

  // Before each batch of rounds: stress, then wait for the other testing workgroups.
  void batch(List& body) {
    const Expr every = f_.parameter("align-every"), testing = f_.parameter("testing-groups");
    const Expr first = eq(round_ % every, n32(0));
    List pre;
    const Expr word =
        target_word(pre, "pre", group_ * f_.parameter("subgroups") + u_, testing * f_.parameter("subgroups"));
    append(pre, hammer("pre", word, f_.parameter("pre-pattern"), f_.parameter("pre-iterations"), false));
    body.push_back(code::branch(first && !eq(f_.parameter("pre-iterations"), n32(0)), std::move(pre)));
    touch(body);

    List wait;
    const Var polls = f_.variable("polls"), seen = f_.variable("seen");
    const Expr all = f_.named(wait, "all", testing * (round_ / every + n32(1)));
    if (p_.several)
      arrive(wait, testing);
    else
      wait.push_back(code::atomic(code::AtomicOp::add, code::k_no_var, f_.sync(k_sync_arrived), n32(1)));
    wait.push_back(code::set(polls, n32(0)));
    // Who waits for workgroups that do not run would spend its time on nothing else.
    const Expr patience =
        f_.named(wait, "patience", term::ite(less(f_.get(timeouts_), n32(8)), f_.parameter("align-limit"), n32(1)));
    List look =
        p_.several ? slowest(seen, testing) : List{code::load(seen, f_.sync(k_sync_arrived), code::Order::device)};
    append(look, {code::leave_if(at_least(f_.get(seen), all)), code::set(polls, f_.get(polls) + n32(1)),
                  code::leave_if(at_least(f_.get(polls), patience))});
    wait.push_back(code::loop(std::move(look)));
    wait.push_back(code::set(waits_, f_.get(waits_) + n32(1)));
    wait.push_back(code::branch(less(f_.get(seen), all), {code::set(timeouts_, f_.get(timeouts_) + n32(1))}));
    body.push_back(
        code::branch(first && !eq(f_.parameter("align"), n32(0)),
                     {code::barrier(), code::branch(eq(f_.lane(), n32(0)), std::move(wait)), code::barrier()}));

    const Expr mix = (group_ * n32(73) + u_ * n32(31) + round_ * n32(17)) * n32(2654435761u);
    body.push_back(code::branch(!eq(f_.parameter("delay"), n32(0)), {code::pause(term::binary(Op::lshr, mix, n32(16)) %
                                                                                 (f_.parameter("delay") + n32(1)))}));
  }

  // The workgroup that completes a batch on its device tells all devices.
  void arrive(List& out, const Expr& testing) {
    const Var before = f_.variable("before");
    out.push_back(code::atomic(code::AtomicOp::add, before, f_.sync(k_sync_arrived), n32(1)));
    const Expr count = f_.get(before) + n32(1);
    List tell;
    const std::vector<uint32_t> here = p_.tree.host ? std::vector<uint32_t>{k_meeting} : p_.tree.places;
    for (const uint32_t d : here)
      tell.push_back(
          code::store(f_.numbered(BufferUse::sync, d, (n32(k_sync_flags) + f_.parameter("place")) * n32(k_sync_stride)),
                      count / testing, code::Order::system));
    out.push_back(code::branch(eq(count % testing, n32(0)), std::move(tell)));
  }

  // seen := arrivals that all devices have told of.
  List slowest(Var seen, const Expr& testing) {
    const Var told = f_.variable("told");
    List out;
    for (size_t k = 0; k < p_.tree.places.size(); ++k) {
      const uint32_t word = k_sync_flags + p_.tree.places[k];
      const auto flag =
          p_.tree.host ? f_.numbered(BufferUse::sync, k_meeting, n32(uint64_t{word} * k_sync_stride)) : f_.sync(word);
      out.push_back(code::load(told, flag, code::Order::system));
      const Expr now = f_.get(told) * testing;
      out.push_back(code::set(seen, k == 0 ? now : term::ite(less(now, f_.get(seen)), now, f_.get(seen))));
    }
    return out;
  }

  // Brings lines of the locations that come next into the cache, by loads of words that nobody ever writes; all are
  // under way before one is waited for.
  void touch(List& body) {
    const Expr wish = f_.parameter("touch");
    const Var sum = f_.variable("touch_sum");
    List all, sums = {code::set(sum, n32(0))};
    uint32_t number = 0;
    for (const Role& r : roles_)
      for (const auto& [o, base] : r.bases) {
        if (p_.shared[o]) continue;
        const Expr drawn = term::binary(
            Op::lshr,
            (round_ * n32(40503) + (group_ * n32(73) + u_) * n32(3266489917u) + n32(++number * 2246822519u)) *
                n32(2654435761u),
            n32(31));
        const Var got = f_.variable(fmt::format("touch_{}", number));
        all.push_back(code::set(got, n32(0)));
        all.push_back(code::branch(r.active && (eq(wish, n32(1)) || !eq(drawn, n32(0))),
                                   {code::load(got, f_.memory(o, base + round_base_ + n32(footprint(p_, o))))}));
        sums.push_back(code::set(sum, f_.get(sum) + f_.get(got)));
      }
    append(all, std::move(sums));
    if (number == 0) return;
    // The loads have to have happened before the roles begin.
    all.push_back(code::branch(eq(f_.get(sum), n32(0x5bd1e995)),
                               {code::store(f_.place(BufferUse::scratch, n32(0)), f_.get(sum), code::Order::device)}));
    body.push_back(code::branch(!eq(wish, n32(0)), std::move(all)));
  }

  // Shared objects get their initial values in each round, and their last ones go where `classify` looks.
  void shared_begin(List& body) {
    for (prog::ObjectId o = 0; o < p_.shared.size(); ++o) {
      if (!p_.shared[o]) continue;
      List store;
      const uint32_t words = object_words(p_, o);
      const Expr base = f_.named(store, fmt::format("first_{}", o), shared_word(o, own_));
      for (size_t c = 0; c < p_.test.objects[o].init.size(); ++c)
        store.push_back(code::store(Frame::shared(base + n32(c * words), static_cast<uint8_t>(words * 32)),
                                    term::constant(p_.test.objects[o].init[c], static_cast<uint8_t>(words * 32))));
      body.push_back(code::branch(owns_ && plays(p_.tree.seats[role_in(block_of(o))]), std::move(store)));
    }
    body.push_back(code::barrier());
  }

  void shared_end(List& body) {
    body.push_back(code::barrier());
    for (prog::ObjectId o = 0; o < p_.shared.size(); ++o) {
      if (!p_.shared[o]) continue;
      List copy;
      const uint32_t words = object_words(p_, o);
      const auto width = static_cast<uint8_t>(words * 32);
      const Expr from = f_.named(copy, fmt::format("last_{}", o), shared_word(o, own_));
      const Expr to = f_.named(
          copy, fmt::format("copy_{}", o),
          f_.scattered(object_name(o), instance(fmt::format("r{}", role_in(block_of(o))), own_)) + round_base_);
      const Var v = f_.variable(fmt::format("word_{}", o), width);
      for (size_t c = 0; c < p_.test.objects[o].init.size(); ++c) {
        copy.push_back(code::load(v, Frame::shared(from + n32(c * words), width)));
        copy.push_back(code::store(f_.memory(o, to + n32(c * words), width), f_.get(v)));
      }
      body.push_back(code::branch(owns_ && plays(p_.tree.seats[role_in(block_of(o))]), std::move(copy)));
    }
  }

  // Block of the threads that access a shared object (make_program has seen to it that there is one).
  uint32_t block_of(prog::ObjectId o) const {
    for (uint32_t t = 0; t < roles_.size(); ++t)
      if (roles_[t].bases.contains(o)) return p_.tree.seats[t].block;
    return 0;
  }
  uint32_t role_in(uint32_t block) const {
    for (uint32_t t = 0; t < roles_.size(); ++t)
      if (p_.tree.seats[t].block == block) return t;
    return 0;
  }

  Expected<void> segments(List& body) {
    size_t most = 0;
    uint32_t longest = 0;
    for (uint32_t t = 0; t < roles_.size(); ++t)
      if (roles_[t].code.barriers.size() > most) {
        most = roles_[t].code.barriers.size();
        longest = t;
      }
    p_.barriers = most > 0;
    if (const auto ok = same_barriers(longest); !ok) return ok;
    for (const Role& r : roles_) p_.loops = p_.loops || r.code.loops;
    if (p_.loops && p_.shape.mode == Mode::warp)
      return unsupported_at(p_.test.span, "mode warp has no loops: the other lanes would run them to the limit",
                            "use mode parallel or single");
    if (any_shared_) shared_begin(body);
    const auto n = static_cast<uint32_t>(roles_.size());
    const Var slot = f_.variable("slot"), which = f_.variable("which");
    const Expr turn =
        f_.named(body, "turn", (group_ * f_.parameter("subgroups") + u_) * f_.parameter("rotate") % n32(n));
    for (size_t s = 0; s <= most; ++s) {
      List turns = {code::leave_if(at_least(f_.get(slot), n32(n))), code::set(which, (f_.get(slot) + turn) % n32(n))};
      for (uint32_t t = 0; t < n; ++t) {
        List part = role_part(t, s, most);
        if (part.empty()) continue;
        const Expr plays = p_.shape.mode == Mode::warp ? roles_[t].active || roles_[t].dummy : roles_[t].active;
        turns.push_back(code::branch(eq(f_.get(which), n32(t)) && plays, std::move(part)));
      }
      turns.push_back(code::set(slot, f_.get(slot) + n32(1)));
      body.push_back(code::set(slot, n32(0)));
      body.push_back(code::loop(std::move(turns)));
      if (s < most) body.push_back(code::test(barrier_operation(longest, s)));
    }
    if (any_shared_) shared_end(body);
    return {};
  }

  // Threads of one workgroup execute the same barriers; a block without any may stand beside one with.
  Expected<void> same_barriers(uint32_t longest) {
    const auto text = [](const prog::Instr& i) {
      return std::tuple(i.mnemonic, i.spelling, i.tags, i.barrier.id ? i.barrier.id.value() : 0);
    };
    for (uint32_t t = 0; t < roles_.size(); ++t) {
      const auto& mine = roles_[t].code.barriers;
      const auto& other = roles_[longest].code.barriers;
      for (uint32_t s = 0; s < t; ++s)
        if (p_.tree.seats[s].block == p_.tree.seats[t].block && roles_[s].code.barriers.size() != mine.size())
          return unsupported_at(p_.test.span,
                                fmt::format("P{} and P{} are in one workgroup and execute {} and {} barriers", s, t,
                                            roles_[s].code.barriers.size(), mine.size()),
                                "runs know barriers that every thread of the group passes");
      for (size_t b = 0; b < mine.size(); ++b)
        if (text(mine[b]) != text(other[b]))
          return unsupported_at(mine[b].span, fmt::format("P{} and P{} execute different barriers here", longest, t),
                                "runs know barriers that every thread of the group passes");
    }
    return {};
  }

  uint32_t barrier_operation(uint32_t t, size_t number) {
    code::Operation o;
    o.role = t;
    o.position = roles_[t].code.barrier_positions[number];
    o.instr = roles_[t].code.barriers[number];
    o.dialect = p_.test.dialect;
    f_.kernel().operations.push_back(std::move(o));
    return static_cast<uint32_t>(f_.kernel().operations.size() - 1);
  }

  // Segment `s` of role `t`, with what comes before its first and after its last one.
  List role_part(uint32_t t, size_t s, size_t last) {
    Role& r = roles_[t];
    List out;
    if (s == 0) begin_role(t, out);
    if (s < r.code.segments.size()) append(out, std::move(r.code.segments[s]));
    if (s == last) end_role(t, out);
    return out;
  }

  void begin_role(uint32_t t, List& out) {
    Role& r = roles_[t];
    out.push_back(code::note(fmt::format("role {}", t)));
    append(out, std::move(r.code.start));
    std::map<prog::ObjectId, uint32_t> users;
    for (uint32_t p = 0; p < r.code.addresses.size(); ++p)
      if (r.code.addresses[p] != code::k_no_var) ++users[p_.values.targets[t][p].object];
    for (uint32_t p = 0; p < r.code.addresses.size(); ++p) {
      if (r.code.addresses[p] == code::k_no_var) continue;
      const prog::ObjectId o = p_.values.targets[t][p].object;
      if (!r.bases.contains(o)) continue;  // never reached
      Expr word = p_.shared[o] ? r.bases[o] : r.bases[o] + round_base_;
      // Two accesses to one location: the compiler must not know that their addresses are equal.
      if (users[o] > 1) word = word + f_.parameter(fmt::format("alias-{}", p_.aliases++));
      if (p_.shape.mode == Mode::warp) word = dummy_or(t, p, word, out);
      out.push_back(code::set(r.code.addresses[p], word));
    }
  }

  // Other lanes of a testing subgroup access words of their own: all in one line, all the same (loads), or all in one
  // bank.
  Expr dummy_or(uint32_t t, uint32_t position, const Expr& word, List& out) {
    const bool load = p_.test.instrs(t)[position].kind == prog::Kind::load;
    const bool shared = p_.shared[p_.values.targets[t][position].object];
    const uint32_t number = p_.operations++;
    const Expr base = shared ? shared_dummies() : dummy_area(number);
    const Expr wish = f_.parameter("dummy-pattern");
    const Expr mixed =
        term::binary(Op::lshr, (round_ * n32(40503) + n32(number * 2246822519u)) * n32(2654435761u), n32(20));
    const Expr pattern =
        f_.named(out, fmt::format("r{}_pattern{}", t, position), term::ite(eq(wish, n32(3)), mixed % n32(3), wish));
    const Expr own = v_ * n32(2), parallel = shared ? n32(k_shared_dummy_own) + own : own;
    const Expr same = n32(shared ? k_shared_dummy_read : 0),
               conflict = v_ * n32(32) % n32(k_dummy_words) + v_ / n32(32) * n32(2);
    const Expr at =
        term::ite(eq(pattern, n32(2)), conflict, load ? term::ite(eq(pattern, n32(1)), same, parallel) : parallel);
    return term::ite(roles_[t].dummy, base + at, word);
  }

  Expr dummy_area(uint32_t number) {
    return f_.parameter("dummy-base") +
           ((group_ * f_.parameter("subgroups") + u_) * f_.parameter("dummy-operations") + n32(number)) *
               n32(k_dummy_words);
  }

  // Those of the subgroup in shared memory: one area for all operations, where every lane has words of its own.
  Expr shared_dummies() {
    return n32(k_shared_header) + f_.parameter("shared-dummy-base") + u_ * n32(k_shared_dummy_words);
  }

  void end_role(uint32_t t, List& out) {
    Role& r = roles_[t];
    const Expr number = r.instance + round_ * f_.parameter("instances");
    const Expr records = f_.parameter("records");
    const Expr ended = eq(f_.get(r.code.to), n32(0));
    List values;
    for (const Slot& s : p_.slots) {
      if (s.thread != t) continue;
      const auto place =
          f_.place(BufferUse::out, n32(s.at) * records + number * n32(s.words), static_cast<uint8_t>(s.words * 32));
      if (s.kind == Slot::Kind::status) {
        values.push_back(code::store(place, term::ite(ended, n32(1), n32(2))));
      } else if (s.kind == Slot::Kind::value) {
        values.push_back(code::store(place, term::resize(register_value(t, s.reg), place.width, false)));
      } else {
        Expr sink = n32(0);
        for (const prog::RegId reg : unobserved_loads(p_, t))
          sink = term::binary(Op::xor_, sink, narrow(register_value(t, reg)));
        values.push_back(code::store(place, sink));
      }
    }
    if (p_.shape.mode == Mode::warp)
      out.push_back(code::branch(r.active, std::move(values)));
    else
      append(out, std::move(values));
  }

  Expr register_value(uint32_t t, prog::RegId reg) const {
    const Var v = roles_[t].code.registers[reg];
    if (v != code::k_no_var) return f_.get(v);
    for (const prog::InitValue& i : p_.test.threads[t].init)
      if (i.reg == reg) return term::constant(i.value, word_width(p_.test.code(t).registers[reg].width, p_.narrow));
    return term::constant(0, word_width(p_.test.code(t).registers[reg].width, p_.narrow));
  }

 public:
  // Loaded registers that no observable shows: they are reported too, or a compiler might delete the load.
  static std::vector<prog::RegId> unobserved_loads(const Program& p, uint32_t t) {
    std::set<prog::RegId> out;
    for (const prog::Instr& i : p.test.instrs(t))
      if ((i.kind == prog::Kind::load || i.kind == prog::Kind::rmw) && i.dst != prog::k_none) out.insert(i.dst);
    for (const prog::Observable& o : p.observables)
      if (o.is_register && o.thread == t) out.erase(o.reg);
    return {out.begin(), out.end()};
  }

 private:
  struct Role {
    Expr active, dummy, l, instance;
    std::map<prog::ObjectId, Expr> bases;  // without the round's words
    RoleCode code;
  };

  Program& p_;
  Frame f_;
  bool any_shared_ = false;
  Expr u_, v_, group_, vgroup_, gpart_, vrank_, rpart_, vwarp_, vlane_, own_, owns_, round_, round_base_;
  Var timeouts_ = 0, waits_ = 0;
  std::vector<Role> roles_;
};

// Wide slots first, so that they are at even words whatever the number of instances.
void make_slots(Program& p) {
  std::vector<Slot> wide, rest;
  for (uint32_t t = 0; t < p.test.threads.size(); ++t) {
    bool reports = false, loops = false;
    const auto& code = p.test.instrs(t);
    for (uint32_t i = 0; i < code.size(); ++i)
      loops = loops || ((code[i].kind == prog::Kind::jump || code[i].kind == prog::Kind::branch) &&
                        p.test.code(t).labels[code[i].label].at <= i);
    for (const prog::Observable& o : p.observables) {
      if (!o.is_register || o.thread != t) continue;
      const uint32_t words = word_width(p.test.code(t).registers[o.reg].width, p.narrow) == 64 ? 2 : 1;
      (words == 2 ? wide : rest).push_back({Slot::Kind::value, t, o.reg, words, 0});
      reports = true;
    }
    if (!TestKernel::unobserved_loads(p, t).empty()) rest.push_back({Slot::Kind::sink, t, 0, 1, 0});
    if (!reports || loops) rest.push_back({Slot::Kind::status, t, 0, 1, 0});
  }
  p.slots = std::move(wide);
  p.slots.insert(p.slots.end(), rest.begin(), rest.end());
  for (Slot& s : p.slots) {
    s.at = p.record_words;
    p.record_words += s.words;
  }
}

}  // namespace

std::vector<prog::ObjectId> objects_of(const Program& p, uint32_t t) {
  std::set<prog::ObjectId> out;
  for (const Reach& r : p.values.targets[t])
    if (!r.cells.empty()) out.insert(r.object);
  for (const prog::InitValue& i : p.test.threads[t].init)
    if (i.address != prog::k_none) out.insert(p.test.symbols[i.address].object);
  return {out.begin(), out.end()};
}

Expected<void> build_kernels(Program& p) {
  make_slots(p);
  initialise(p);
  if (const auto ok = TestKernel(p).build(); !ok) return ok;
  classify(p);
  return {};
}

}  // namespace fencepost::plan
