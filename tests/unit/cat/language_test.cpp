#include <algorithm>

#include "text.h"

namespace fencepost::cat {
namespace {

using vocab::Base;

TEST(Precedence, IsThatOfThePublishedGpuModels) {
  // Tightest first: A * B, then postfix, then ~, then & \ ; |.
  EXPECT_EQ(expr("R * W+"), "(+ (x R W))");
  EXPECT_EQ(expr("~po & rf"), "(& (~ po) rf)");
  EXPECT_EQ(expr("~po+"), "(~ (+ po))");
  EXPECT_EQ(expr("~R * W"), "(~ (x R W))") << complaint("let x = ~R * W");
  EXPECT_EQ(expr("R * ~W & po"), "(& (x R (~ W)) po)");
  EXPECT_EQ(expr("po & rf \\ co"), "(\\ (& po rf) co)");
  EXPECT_EQ(expr("po \\ rf & co"), "(\\ po (& rf co))");
  EXPECT_EQ(expr("po \\ rf \\ co"), "(\\ (\\ po rf) co)");
  EXPECT_EQ(expr("po ; rf \\ co"), "(; po (\\ rf co))");
  EXPECT_EQ(expr("po | rf ; co"), "(| po (; rf co))");
  EXPECT_EQ(expr("po ; rf | co"), "(| (; po rf) co)");
  EXPECT_EQ(expr("po; rf; co"), "(; (; po rf) co)");
  EXPECT_EQ(expr("rf^-1; co"), "(; (inv rf) co)");
  EXPECT_EQ(expr("po?; rf+; co*"), "(; (; (? po) (+ rf)) (star co))");
}

TEST(Operators, StarIsAProductBeforeAnOperandOnly) {
  EXPECT_EQ(expr("po*"), "(star po)");
  EXPECT_EQ(expr("(po* ; rf)"), "(; (star po) rf)");
  EXPECT_EQ(expr("R*W"), "(x R W)");
  EXPECT_EQ(expr("_*_ \\ po"), "(\\ (x _ _) po)");
  EXPECT_EQ(value("let x = po*\n~empty po as a"), "(star po)");
  EXPECT_EQ(value("let x = po*\nlet y = po"), "(star po)");
  EXPECT_EQ(expr("R*(W|F)"), "(x R (| W F))");
}

TEST(Operators, HerdsSpellings) {
  EXPECT_EQ(expr("po^+"), "(+ po)");
  EXPECT_EQ(expr("po^*"), "(star po)");
  EXPECT_EQ(expr("po^?"), "(? po)");
  EXPECT_EQ(expr("(po | rf)-1"), "(inv (| po rf))");
  EXPECT_EQ(expr("rf^ -1"), "(inv rf)");
  EXPECT_EQ(expr("R^2"), "(x R R)");
  EXPECT_EQ(expr("[!R]"), "(id (~ R))");
  EXPECT_EQ(expr("toid(R)"), "(id R)");
  EXPECT_EQ(expr("domain rf"), "(domain rf)");
  EXPECT_EQ(expr("range(rf) & R"), "(& (range rf) R)");
  EXPECT_EQ(expr("begin po end | rf"), "(| po rf)");
  EXPECT_EQ(expr("{}"), "0");
  EXPECT_EQ(expr("emptyset"), "{}");
  EXPECT_EQ(expr("newSet()"), "{}");
  EXPECT_EQ(expr("newRelation()"), "0");
  EXPECT_EQ(expr("try S with po"), "po");
  EXPECT_EQ(expr("try rf with po"), "rf");
}

TEST(Names, MayHoldDashesDotsAndPrimes) {
  EXPECT_EQ(value("let membar.gl = po let po-x' = membar.gl; rf let x = po-x'^-1"), "(inv (; po rf))");
  EXPECT_EQ(value("let a-1 = po let x = a-1^-1"), "(inv po)");
  EXPECT_EQ(value("let f = fun x-> x let x = f(po)"), "po");
}

TEST(Comments, OfAllKindsNestedOrNot) {
  const std::string want = "(; po rf)";
  EXPECT_EQ(value("(* a (* nested *) comment *) let x = po (* ; co *) ; rf"), want);
  EXPECT_EQ(value("(* ends (* without nesting *) let x = po; rf"), want);
  EXPECT_EQ(value("(**) (***) (*) a *) let x = po /* ; co */ ; rf // ; co"), want);
  EXPECT_EQ(value("# herd\nlet x = {%(* \\paragraph{x} *)%} po; rf"), want);
  EXPECT_EQ(value("// (* not opened\nlet x = po; rf"), want);
  EXPECT_EQ(value("\xEF\xBB\xBFlet x = po;\xC2\xA0\xA0rf\r\n"), want);
}

TEST(Definitions, LaterOnesHideEarlierOnesFromThereOn) {
  const Model m = model("let fr = rf^-1; co\nlet co = co+\nlet y = fr; co\nlet fr = rf^-1; co\nlet x = fr");
  EXPECT_EQ(text(m, *m.find("y")), "(; (; (inv rf) co) (+ co))");
  EXPECT_EQ(text(m, *m.find("x")), "(; (inv rf) (+ co))");
  EXPECT_EQ(text(m, *m.find("fr")), "(; (inv rf) (+ co))");
  EXPECT_EQ(std::count_if(m.names.begin(), m.names.end(), [](const auto& n) { return n.first == "fr"; }), 1);
}

TEST(Definitions, AndDefinesAtOnce) { EXPECT_EQ(value("let a = po let a = rf and b = a let x = b"), "po"); }

TEST(Functions, TakeSetsRelationsAndFunctions) {
  EXPECT_EQ(value("let f(s, r) = [s]; r let x = f(R, po)"), "(; (id R) po)");
  EXPECT_EQ(value("let f s r = [s]; r let x = f R po"), "(; (id R) po)");
  EXPECT_EQ(value("let f(s)(r) = [s]; r let g = f(W) let x = g(rf)"), "(; (id W) rf)");
  EXPECT_EQ(value("let twice f = fun r -> f(f r) let g(r) = r; po let x = twice g rf"), "(; (; rf po) po)");
  EXPECT_EQ(value("let f a = a*W | W*a let x = f R & po"), "(& (| (x R W) (x W R)) po)");
  // Closures keep their own arguments.
  EXPECT_EQ(value("let k(a) = fun b -> a; b let p = k(po) let q = k(rf) let x = p(co)"), "(; po co)");
}

TEST(Functions, SeeTheNamesOfTheirDefinition) {
  EXPECT_EQ(value("let a = po let f(r) = a; r let a = rf let x = f(co)"), "(; po co)");
  // A parameter hides everything of its name, the vocabulary included.
  EXPECT_EQ(value("let fencerel(F) = po; [F]; po let x = fencerel(W)"), "(; (; po (id W)) po)");
}

TEST(Functions, LocalDefinitions) {
  EXPECT_EQ(expr("let a = po and b = rf in let c = a; b in c | c^-1"), "(| (; po rf) (inv (; po rf)))");
  EXPECT_EQ(value("let f k = let r = loc & k in r \\ id let x = f(po)"), "(\\ (& loc po) id)");
  EXPECT_EQ(value("let f k = let rec r = k | (r; k) in r let x = f(po) | f(rf)"), "(| $r $r)");
}

TEST(Recursion, BecomesOneGroupPerLet) {
  const Model m = model("let rec a = po | (b; a) and b = rf | (a; b)\nlet rec c = c; a | co\nacyclic c as x");
  ASSERT_EQ(m.groups.size(), 2u);
  EXPECT_EQ(m.groups[0].variables, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(m.groups[1].variables, (std::vector<uint32_t>{2}));
  EXPECT_EQ(text(m, m.variables[0].definition), "(| po (; $b $a))");
  EXPECT_EQ(text(m, m.variables[1].definition), "(| rf (; $a $b))");
  EXPECT_EQ(text(m, m.variables[2].definition), "(| (; $c $a) co)");
  for (uint32_t v = 0; v < 3; ++v) {
    EXPECT_EQ(m.nodes[m.variables[v].reference].op, NodeOp::rec_var);
    EXPECT_EQ(m.nodes[m.variables[v].reference].rec, v);
    EXPECT_EQ(m.nodes[m.variables[v].reference].name, m.variables[v].name);
  }
  EXPECT_EQ(m.axioms[0].node, m.variables[2].reference);
}

TEST(Recursion, EqualDefinitionsStayTwoVariables) {
  const Model m = model("let rec a = po | (a; a)\nlet rec b = po | (b; b)\nlet x = a \\ b");
  ASSERT_EQ(m.groups.size(), 2u);
  EXPECT_EQ(text(m, *m.find("x")), "(\\ $a $b)");
}

TEST(Recursion, OverSetsAndThroughFunctions) {
  const Model m = model("let close(r, s) = s | range([s]; r)\nlet rec reach = IW | close(rf, reach)\nlet x = [reach]");
  EXPECT_EQ(m.variables[0].type, Type::set);
  EXPECT_EQ(text(m, m.variables[0].definition), "(| IW (| $reach (range (; (id $reach) rf))))");
  EXPECT_EQ(model("let rec a = b and b = a | R").variables[0].type, Type::set);
}

TEST(Recursion, RecWithoutRecursionIsALet) {
  const Model m = model("let rec a = po; rf and b = co let x = a | b");
  EXPECT_TRUE(m.groups.empty());
  EXPECT_TRUE(m.variables.empty());
  EXPECT_EQ(text(m, *m.find("x")), "(| (; po rf) co)");
}

TEST(Recursion, MustBeMonotone) {
  EXPECT_EQ(complaint("let rec a = po | (rf \\ a)"),
            "1:24: 'a' stands on the right of '\\' in its own recursive definition");
  EXPECT_EQ(complaint("let rec a = po | ~a"), "1:19: 'a' stands under '~' in its own recursive definition");
  EXPECT_EQ(complaint("let rec a = po | b\nand b = co & ~(rf; a)"),
            "2:20: 'a' stands under '~' in its own recursive definition");
  EXPECT_EQ(complaint("let neg(r) = ~r\nlet rec a = po | neg(a)"),
            "1:15: 'r' stands under '~' in its own recursive definition");
  EXPECT_EQ(complaint("let rec a = po | (a \\ rf)"), "loads");
  // Outside its group a recursive relation may be subtracted.
  EXPECT_EQ(complaint("let rec a = po | (a; a) let b = rf \\ a let rec c = c; c | (rf \\ a)"), "loads");
}

TEST(Axioms, KindsNegationFlagsAndNames) {
  const Model m = model(
      "acyclic po as one\n~empty rf as two\nflag irreflexive co\nflag ~empty (rf) as four\n"
      "undefined_unless empty co as five undefined_unless ~acyclic po as six");
  ASSERT_EQ(m.axioms.size(), 6u);
  const auto say = [&](size_t i) {
    const Axiom& a = m.axioms[i];
    return std::string(a.flag ? "flag " : "") + (a.negated ? "~" : "") + name(a.kind) + " " + text(m, a.node) + " " +
           a.name;
  };
  EXPECT_EQ(say(0), "acyclic po one");
  EXPECT_EQ(say(1), "~empty rf two");
  EXPECT_EQ(say(2), "flag irreflexive co line 3");
  EXPECT_EQ(say(3), "flag ~empty rf four");
  EXPECT_EQ(say(4), "flag ~empty co five");
  EXPECT_EQ(say(5), "flag acyclic po six");
}

TEST(Axioms, OfASetAreOfItsIdentity) {
  const Model m = model("empty R & IW as a");
  EXPECT_EQ(text(m, m.axioms[0].node), "(id (& R IW))");
}

TEST(Procedures, RunWhereTheyAreCalled) {
  const Model m = model(
      "procedure total(r, e) =\n let both = r | r^-1\n empty (e * e) \\ both\nend\n"
      "procedure twice(r) = call total(r, W) call total(r, R) end\n"
      "call twice(co) as order call total(rf, M) as m");
  ASSERT_EQ(m.axioms.size(), 3u);
  EXPECT_EQ(text(m, m.axioms[0].node), "(\\ (x W W) (| co (inv co)))");
  EXPECT_EQ(text(m, m.axioms[1].node), "(\\ (x R R) (| co (inv co)))");
  EXPECT_EQ(m.axioms[1].name, "order");
  EXPECT_EQ(m.axioms[2].name, "m");
}

TEST(Show, KeepsWhatIsShown) {
  const Model m = model("let hb = po | rf show hb as happens, co, W \\ IW as writes unshow co");
  ASSERT_EQ(m.shown.size(), 3u);
  EXPECT_EQ(m.shown[0].name, "happens");
  EXPECT_EQ(m.shown[1].name, "co");
  EXPECT_EQ(text(m, m.shown[2].node), "(\\ W IW)");
}

TEST(Title, QuotedOrBareWords) {
  EXPECT_EQ(model("\"A title\" withco let x = po").title, "A title");
  EXPECT_EQ(model("PTX\n(* c *)\nlet x = po").title, "PTX");
  EXPECT_EQ(model("let x = po").title, "");
}

TEST(Dag, EqualExpressionsAreOneNode) {
  const Model m = model("let f(r) = po; r let a = f(rf) let b = po; rf let c = (rf | co) & (co | rf)");
  EXPECT_EQ(*m.find("a"), *m.find("b"));
  EXPECT_EQ(text(m, *m.find("c")), "(| rf co)");
  for (NodeId i = 0; i < m.nodes.size(); ++i)
    for (NodeId k : m.nodes[i].kids) EXPECT_LT(k, i);
}

TEST(Dag, NamesAreTheFirstThatALetGives) {
  const Model m = model("let f(r) = po; r\nlet a = f(rf)\nlet b = po; rf\nlet c = po");
  EXPECT_EQ(m.nodes[*m.find("b")].name, "a");
  EXPECT_EQ(m.nodes[*m.find("c")].name, "") << "a base relation keeps its own name";
  const Model n = model("let g(s, r) = [s]; r let x = (g(R, po); co) | g(W | F, g(R, po))");
  std::vector<std::string> names;
  for (const Node& node : n.nodes)
    if (!node.name.empty()) names.push_back(node.name);
  EXPECT_EQ(names, (std::vector<std::string>{"g(R, po)", "g(W | F, g(R, po))", "x"}));
}

TEST(Dag, FoldsWhatIsEqualInEveryExecution) {
  EXPECT_EQ(expr("po | 0"), "po");
  EXPECT_EQ(expr("R | {}"), "R");
  EXPECT_EQ(expr("po & (_ * _)"), "po");
  EXPECT_EQ(expr("po \\ po"), "0");
  EXPECT_EQ(expr("[R]; [W | F]"), "(id (& R (| W F)))");
  EXPECT_EQ(expr("[R] & [IW]"), "(id (& R IW))");
  EXPECT_EQ(expr("[_]; po; id"), "po");
  EXPECT_EQ(expr("po+?"), "(star po)");
  EXPECT_EQ(expr("po?+"), "(star po)");
  EXPECT_EQ(expr("po*+"), "(star po)");
  EXPECT_EQ(expr("po^-1^-1"), "po");
  EXPECT_EQ(expr("[~~R]"), "(id R)");
  EXPECT_EQ(expr("R | W"), "M");
  EXPECT_EQ(expr("domain([R])"), "R");
  EXPECT_EQ(expr("0+; po"), "0");
  EXPECT_EQ(expr("0?"), "id");
  EXPECT_EQ(expr("~(_ * _)"), "0");
  EXPECT_EQ(expr("[R]^-1"), "(id R)");
}

TEST(Dag, HoldsNothingThatNobodyNeeds) {
  const Model m = model("let f(r) = po; r; po empty [R] as a");
  EXPECT_EQ(m.nodes.size(), 2u);
  EXPECT_TRUE(m.uses(Base::po) == false);
}

TEST(Vocabulary, ATagIsASetAndABaseARelation) {
  for (const auto& t : vocab::tags()) {
    const Model m = model(std::string("let x = ") + t.name);
    EXPECT_EQ(m.nodes[*m.find("x")].type, Type::set) << t.name;
    EXPECT_FALSE(vocab::find_base(t.name)) << t.name << " would be both";
  }
  for (const auto& b : vocab::bases()) {
    const Model m = model(std::string("let x = ") + b.name);
    EXPECT_EQ(m.nodes[*m.find("x")].type, Type::rel) << b.name;
    EXPECT_TRUE(m.uses(b.base));
  }
}

TEST(Spans, PointAtTheExpression) {
  const Model m = model("let x = po;\n  (rf | co)");
  const Node& n = m.nodes[*m.find("x")];
  EXPECT_EQ(n.span.location(), "test.cat:1:9");
  EXPECT_EQ(m.nodes[n.kids[1]].span.location(), "test.cat:2:3");
  EXPECT_EQ(m.nodes[n.kids[1]].span.text(), "(rf | co)");
}

TEST(Types, MistakesAreLocated) {
  EXPECT_EQ(complaint("let x = po; R"), "1:13: ';' needs a relation, but 'R' is a set");
  EXPECT_EQ(complaint("let x = [po]"), "1:10: '[ ]' needs a set, but 'po' is a relation");
  EXPECT_EQ(complaint("let x = R | po"),
            "1:13: '|' joins two sets or two relations, but 'R' is a set and 'po' a relation");
  EXPECT_EQ(complaint("acyclic R as a"), "1:9: 'acyclic' needs a relation, but 'R' is a set");
  EXPECT_EQ(complaint("let f(r) = [r]\nlet x = f(po)"), "1:13: '[ ]' needs a set, but 'r' is a relation");
  EXPECT_EQ(hint("let f(r) = [r]\nlet x = f(po)"),
            "domain(r) and range(r) are sets; this happens in the call at test.cat:2:9");
  EXPECT_EQ(complaint("let f(r) = r let x = f | po"), "1:22: '|' needs a relation, but 'f' is a function");
  EXPECT_EQ(complaint("let x = po (rf)"), "1:9: 'po' is a relation, not a function");
  EXPECT_EQ(complaint("let f(a, b) = a; b let x = f(po)"), "1:28: 'f' takes 2 arguments, not 1");
  EXPECT_EQ(complaint("let x = domain(R)"), "1:16: 'domain' needs a relation, but 'R' is a set");
  EXPECT_EQ(complaint("let x = domain(po, rf)"), "1:9: 'domain' takes one argument, not 2");
}

TEST(Errors, AllUnknownNamesAreToldAtOnce) {
  const auto m = load("let x = poo; rff\nlet y = [Wr]; x\nacyclic y; z as a");
  ASSERT_FALSE(m.has_value());
  EXPECT_EQ(m.error().list.size(), 4u) << render(m.error());
  EXPECT_EQ(m.error().list[0].hint, "did you mean 'po'?");
}

TEST(Errors, UnknownNamesInFunctionsThatNobodyCalls) {
  EXPECT_EQ(complaint("let f(r) = r; rg\nlet x = po"), "1:15: unknown name 'rg'");
}

TEST(Errors, HintsForOtherHabits) {
  EXPECT_EQ(hint("let x = po-rf"), "'-' is part of a name; the difference is written po \\ rf");
  EXPECT_EQ(hint("let x = rf-1"), "the inverse is written rf^-1");
  EXPECT_EQ(hint("let x = membar.gl"), "here it is 'po; [F & SC & GPU]; po'");
  EXPECT_EQ(hint("let x = [atom]"), "did you mean 'ATOM'?");
}

TEST(Unsupported, IsSaidAsSuch) {
  for (const char* body :
       {"with co from generate_cos(co0)", "let x = match po with || {} -> 0 end", "let x = po ++ rf", "let x = 'acq",
        "let x = {po, rf}", "let x = (po, rf)", "let rec f(x) = f(x)", "forall x in y do acyclic x end",
        "let (a, b) = po", "if \"v\" include \"x\" end", "assert empty po", "let rec a = let rec b = b; a | po in b"}) {
    const auto m = load(body);
    ASSERT_FALSE(m.has_value()) << body;
    EXPECT_EQ(m.error().list.front().fault, Fault::unsupported) << render(m.error());
    EXPECT_GT(m.error().list.front().span.position().line, 0u) << body;
  }
}

TEST(Declarations, OfHerdsBellAreSkipped) {
  EXPECT_EQ(value("enum scope = 'wi || 'wg || 'dev\ninstructions R[{'wi,'wg}]\nlet x = po"), "po");
}

}  // namespace
}  // namespace fencepost::cat
