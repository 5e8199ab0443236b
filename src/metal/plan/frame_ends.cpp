// The kernels before and after the test: initial values and sentinels; states counted.
#include "plan/frame_parts.h"

namespace fencepost::plan::parts {

void initialise(Program& p) {
  Frame f(p, Phase::initialise, "initialise",
          {BufferUse::parameters, BufferUse::memory, BufferUse::out, BufferUse::counts, BufferUse::sync,
           BufferUse::series});
  const Expr instances = f.parameter("instances"), records = f.parameter("records");
  List body = over_all(f, "n", records, [&](const Expr& n) {
    List l;
    const Expr i = f.named(l, "slot", n % instances);
    const Expr round_base = f.named(l, "round_base", n / instances * f.parameter("round-words"));
    for (prog::ObjectId o = 0; o < p.test.objects.size(); ++o) {
      const Expr base =
          f.named(l, fmt::format("at_{}", o),
                  f.parameter(object_name(o) + ".base") + round_base + i * f.parameter(object_name(o) + ".stride"));
      const uint32_t words = object_words(p, o);
      for (size_t c = 0; c < p.test.objects[o].init.size(); ++c)
        l.push_back(code::store(f.memory(o, base + n32(c * words), static_cast<uint8_t>(words * 32)),
                                term::constant(p.test.objects[o].init[c], static_cast<uint8_t>(words * 32))));
    }
    for (const uint32_t d : p.tree.places)
      for (uint32_t w = 0; w < p.record_words; ++w)
        l.push_back(code::store(f.numbered(BufferUse::out, d, n32(w) * records + n), n32(k_sentinel)));
    return l;
  });
  append(body, over_all(f, "c", n32(p.count_words()),
                        [&](const Expr& c) { return List{code::store(f.place(BufferUse::counts, c), n32(0))}; }));
  // What other lanes load must be a value that the test knows: it may decide where they go next.
  if (p.shape.mode == Mode::warp)
    append(body, over_all(f, "d", f.parameter("dummy-words"), [&](const Expr& d) {
             return List{code::store(f.place(BufferUse::memory, f.parameter("dummy-base") + d), n32(0))};
           }));
  append(body, over_all(f, "s", n32(k_sync_words), [&](const Expr& s) {
           return List{code::store(f.place(BufferUse::sync, s * n32(k_sync_stride)), n32(0))};
         }));
  body.push_back(
      code::branch(eq(f.group() + f.lane(), n32(0)), {code::store(f.place(BufferUse::series, n32(0)), n32(0))}));
  f.finish(std::move(body));
}

// ---- classify -------------------------------------------------------------------------------------------

// Index of the value among `digits`, or their number.
Expr digit_of(const Expr& value, const std::vector<uint64_t>& digits) {
  Expr d = n32(digits.size());
  for (size_t i = digits.size(); i-- > 0;)
    d = term::ite(eq(value, term::constant(digits[i], value.width())), n32(i), d);
  return d;
}

void classify(Program& p) {
  Frame f(p, Phase::classify, "classify",
          {BufferUse::parameters, BufferUse::memory, BufferUse::out, BufferUse::counts, BufferUse::series,
           BufferUse::interest});
  const bool in_shared = p.states <= k_histogram_in_shared;
  f.kernel().shared_words = in_shared ? p.count_words() : 0;
  const Expr instances = f.parameter("instances"), records = f.parameter("records");
  const auto own_words = [&](const std::string& name, const std::function<List(const Expr&)>& body) {
    List out;
    const Var n = f.variable(name);
    out.push_back(code::set(n, f.lane()));
    List inner = {code::leave_if(at_least(f.get(n), n32(p.count_words())))};
    append(inner, body(f.get(n)));
    inner.push_back(code::set(n, f.get(n) + f.lanes()));
    out.push_back(code::loop(std::move(inner)));
    return out;
  };
  List body;
  if (in_shared) {
    append(body, own_words("z", [&](const Expr& z) { return List{code::store(Frame::shared(z), n32(0))}; }));
    body.push_back(code::barrier());
  }
  append(body, over_all(f, "n", records, [&](const Expr& n) {
           List l;
           const Var bad = f.variable("bad", 1), unfinished = f.variable("unfinished", 1), state = f.variable("state");
           l.push_back(code::set(bad, term::constant(0, 1)));
           l.push_back(code::set(unfinished, term::constant(0, 1)));
           l.push_back(code::set(state, n32(0)));
           const Expr i = f.named(l, "instance", n % instances), round = f.named(l, "round", n / instances);
           const auto result = [&](const Slot& s, const std::string& name) {
             const Var v = f.variable(name, static_cast<uint8_t>(s.words * 32));
             l.push_back(
                 code::load(v, f.numbered(BufferUse::out, p.tree.seats[s.thread].place,
                                          n32(s.at) * records + n * n32(s.words), static_cast<uint8_t>(s.words * 32))));
             return f.get(v);
           };
           for (size_t s = 0; s < p.slots.size(); ++s) {
             if (p.slots[s].kind != Slot::Kind::status) continue;
             const Expr v = result(p.slots[s], fmt::format("status_{}", p.slots[s].thread));
             l.push_back(code::set(unfinished, f.get(unfinished) || eq(v, n32(2))));
             l.push_back(code::set(bad, f.get(bad) || !(eq(v, n32(1)) || eq(v, n32(2)))));
           }
           std::map<prog::ObjectId, Expr> bases;
           for (size_t o = 0; o < p.observables.size(); ++o) {
             const prog::Observable& ob = p.observables[o];
             Expr v;
             if (ob.is_register) {
               for (size_t s = 0; s < p.slots.size(); ++s)
                 if (p.slots[s].kind == Slot::Kind::value && p.slots[s].thread == ob.thread && p.slots[s].reg == ob.reg)
                   v = result(p.slots[s], fmt::format("value_{}", o));
             } else {
               const prog::ObjectId object = p.test.symbols[ob.symbol].object;
               if (!bases.contains(object))
                 bases[object] = f.named(l, fmt::format("at_{}", object),
                                         f.scattered(object_name(object), i) + round * f.parameter("round-words"));
               const uint32_t words = object_words(p, object);
               const Var cell = f.variable(fmt::format("value_{}", o), static_cast<uint8_t>(words * 32));
               l.push_back(code::load(
                   cell, f.memory(object, bases[object] + n32(ob.cell * words), static_cast<uint8_t>(words * 32))));
               v = f.get(cell);
             }
             const Expr d = f.named(l, fmt::format("digit_{}", o), digit_of(v, p.digits[o]));
             l.push_back(code::set(bad, f.get(bad) || eq(d, n32(p.digits[o].size()))));
             l.push_back(code::set(state, f.get(state) * n32(p.digits[o].size()) + d));
           }
           const Expr bin = f.named(l, "bin",
                                    term::ite(f.get(unfinished), n32(p.incomplete()),
                                              term::ite(f.get(bad), n32(p.corrupt()), f.get(state))));
           if (in_shared)
             l.push_back(
                 code::atomic(code::AtomicOp::add, code::k_no_var, Frame::shared(bin), n32(1), code::Order::group));
           else
             l.push_back(code::atomic(code::AtomicOp::add, code::k_no_var, f.place(BufferUse::counts, bin), n32(1)));
           const Var wanted = f.variable("wanted"), at = f.variable("at");
           l.push_back(code::load(wanted, f.place(BufferUse::interest, bin)));
           const Expr entry = n32(k_series_header) + f.get(at) * n32(k_series_words);
           l.push_back(code::branch(!eq(f.get(wanted), n32(0)),
                                    {code::atomic(code::AtomicOp::add, at, f.place(BufferUse::series, n32(0)), n32(1)),
                                     code::branch(less(f.get(at), f.parameter("series-room")),
                                                  {code::store(f.place(BufferUse::series, entry), bin),
                                                   code::store(f.place(BufferUse::series, entry + n32(1)), round),
                                                   code::store(f.place(BufferUse::series, entry + n32(2)), i)})}));
           return l;
         }));
  if (in_shared) {
    body.push_back(code::barrier());
    append(body, own_words("y", [&](const Expr& y) {
             const Var sum = f.variable("sum");
             return List{
                 code::load(sum, Frame::shared(y)),
                 code::branch(!eq(f.get(sum), n32(0)), {code::atomic(code::AtomicOp::add, code::k_no_var,
                                                                     f.place(BufferUse::counts, y), f.get(sum))})};
           }));
  }
  f.finish(std::move(body));
}

}  // namespace fencepost::plan::parts
