#pragma once
// What the program says to people and to other programs about one test: text, JSON, pictures. Everything here
// is a function from values (test, model, result) to text; nothing is decided here, and every sentence is
// backed by an execution or by an explanation that the concrete evaluator has re-derived.
//
// Words: an execution is *allowed* when the model accepts it, a candidate is *rejected* when it meets the
// condition and the model does not accept it. Events are called a, b, c, ... in the order of the threads'
// code; a write of an initial value is called "init x".
//
// JSON: one object per call with "schema": "fencepost.<kind>/1". A field is added without a new number;
// changing or removing one takes a new number. docs/json.md lists them.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "cat/model.h"
#include "check/beside.h"
#include "check/check.h"
#include "draw/graph.h"
#include "prog/names.h"
#include "reference/explain.h"

namespace fencepost::report {

// One answer in every form: `text` for a terminal, `json` for programs, one picture per execution shown.
struct Report {
  std::string text;                   // ends in a newline
  std::string json;                   // one object, on several lines, ends in a newline
  std::vector<draw::Graph> pictures;  // the most telling first; may be empty
  std::string automaton;              // a violation witness (GraphML), where there is an execution; else empty
};

// ---- check -----------------------------------------------------------------------------------------
// What another reading of the model's document says (check --readings), and the sentences that the two read otherwise.
struct OtherReading {
  std::string model;
  Verdict verdict;
  std::vector<std::string> sentences;
};
// One line: "PATH  holds|fails|vacuous|unknown|...  <what was found>  [what is so beside it]  under MODEL, launch L,
// bound N reached|not reached" (launch: of shaders; bound: of loops, reached or not where that matters), and one more,
// indented, where the front end took something for granted: "  assumes: a; b"; a line for each other reading. No
// newline at the end. `path` is printed as given.
std::string check_line(const std::string& path, const prog::Test& test, const cat::Model& model,
                       const check::Options& options, const check::Result& result, const check::Beside& beside = {},
                       const std::vector<OtherReading>& readings = {});
// schema fencepost.check/1: path, title, dialect, model, launch, property, engine, bound, bound_reached, verdict,
// detail, reachable, flags, beside, readings, assumptions, statistics and, when there is one, the execution.
std::string check_json(const std::string& path, const prog::Test& test, const cat::Model& model,
                       const check::Options& options, const check::Result& result, const check::Beside& beside = {},
                       const std::vector<OtherReading>& readings = {});
// What is asked beside the question itself.
struct Around {
  std::function<Expected<const cat::Model*>(const std::string& name)> model;  // another model for this test
  std::function<Job()> job;  // for each further question, which has the time of the first
  std::string named;         // the model as the user named it: an answer in it, "ptx-9[P2=strict]", is not assumed
  bool readings = false;     // other readings of the model's document are asked too
};
struct Checked {
  check::Result result;
  std::string answer;  // check_json, or check_line with its newline
  bool other_readings = false;
};
// Decides the question and tells the answer, with what is so beside it, what it assumes, and other readings. This is
// the verb `check`.
Checked checked(const std::string& path, const prog::Test& test, const cat::Model& model, const check::Options& options,
                const Around& around, bool json, Job& job);
// The execution a verdict rests on, in every form (for --witness); empty texts when it rests on none.
Report witness(const std::string& path, const prog::Test& test, const cat::Model& model, const check::Options& options,
               const check::Result& result);

// ---- outcomes --------------------------------------------------------------------------------------
// herd's log format, readable by mcompare7: Test, States, one state per line, Ok or No, Witnesses, Positive and
// Negative, Condition, Observation, Time, and Model= unless `model` is empty. `Hash=` is left out: it is herd's own
// digest of its parse tree. Behind a state or flag that is there out of thin air alone stands a comment.
std::string outcomes_text(const prog::Test& test, const check::Outcomes& outcomes, double seconds,
                          const std::string& model = "", const check::ThinAirOfList& air = {});
// schema fencepost.outcomes/1. Values as decimal strings (64 bits do not fit a JSON number), null when free. A complete
// list has the assumption of loops_text among its own.
std::string outcomes_json(const std::string& path, const prog::Test& test, const cat::Model& model,
                          const check::Outcomes& outcomes, double seconds, const check::ThinAirOfList& air = {});

// ---- explain ---------------------------------------------------------------------------------------
struct ExplainOptions {
  uint32_t max_candidates = 3;   // rejected candidates told in full; the rest are counted
  uint32_t search_limit = 4096;  // rejected candidates looked at
  bool axioms_of_all = true;     // count by axiom every candidate looked at, also those not told in full
};
// Decides the question, then explains the answer: the execution that reaches the condition (or raises the flag),
// or else the candidates that meet the condition and why each is rejected. This is the verb `explain`.
struct Explained {
  check::Result result;
  Report report;
};
Explained explain(const std::string& path, const prog::Test& test, const cat::Model& model,
                  const check::Options& check_options, const ExplainOptions& options, Job& job);

// The parts of `explain`.
// `result` holds an execution: a listing per thread, where each value comes from, the order of writes per
// location, the final state, and in one sentence why it meets the condition.
Report explain_allowed(const std::string& path, const prog::Test& test, const cat::Model& model,
                       const check::Result& result);
// `result` holds an execution that raises flags: the conflicting accesses, and what is missing to order them.
Report explain_race(const std::string& path, const prog::Test& test, const cat::Model& model,
                    const check::Result& result);

// `result` holds a lasso: what happens before the loops and in every round of them, and why it may go on.
Report explain_lasso(const std::string& path, const prog::Test& test, const cat::Model& model,
                     const check::Options& options, const check::Result& result);

// Candidates that meet the condition, each rejected by at least one axiom.
struct Candidate {
  reference::RunResult run;
  reference::Choices choices;
  std::vector<reference::Explanation> why;  // shortest first; every edge verified
};
struct Candidates {
  std::vector<Candidate> list;                             // shortest explanation first, one per distinct explanation
  uint64_t seen = 0;                                       // candidates looked at, duplicates included
  bool complete = true;                                    // false: search_limit or the budget ended the search
  std::vector<std::pair<std::string, uint64_t>> by_axiom;  // how many of those seen each axiom rejects
};
Candidates rejected_candidates(const prog::Test& test, const cat::Model& model, const check::Options& check_options,
                               const ExplainOptions& options, Job& job);
Report explain_forbidden(const std::string& path, const prog::Test& test, const cat::Model& model,
                         const check::Result& result, const Candidates& candidates, const ExplainOptions& options);

// ---- pictures and files ----------------------------------------------------------------------------
// Nodes "a: W x=1" with the instruction text below, one column per thread, initial writes on top; edges rf,
// co, fr and po (co and po transitively reduced); with an explanation, its edges emphasised, and its named
// relations drawn too.
draw::Graph execution_graph(const prog::Test& test, const cat::Model& model, const reference::RunResult& run,
                            const reference::Explanation* explanation = nullptr);

// The execution that `result` rests on as a violation witness of software verification (GraphML): a path with an edge
// for each instruction. A lasso ends in a cycle. Empty when the result rests on no execution. The time of its making is
// in it: SOURCE_DATE_EPOCH, or now.
std::string automaton(const std::string& path, const prog::Test& test, const cat::Model& model,
                      const check::Options& options, const check::Result& result);

// The text of a report for a file, by the ending of its name: .svg, .dot, .graphml (the picture), .witness.graphml (the
// automaton), .json, .txt. A diagnostic without a place when the ending is none of these, or the report has nothing of
// that kind.
Expected<std::string> file_text(const std::string& file, const Report& report);

// ---- the common language ---------------------------------------------------------------------------
// What the front end took for granted, each once: "a; b". Empty: nothing.
std::string assumptions_text(const prog::Test& test);
// What an answer about all executions rests on besides, where the program has loops and the model allows values out of
// thin air (check/first_bounds.h): "no loop ends on a value out of thin air". Else empty.
std::string loops_text(const prog::Test& test, const cat::Model& model);
// Name of an event: "a", ..., "z", "e26", ...; Init writes "init x".
std::string event_name(const prog::Test& test, const reference::Execution& x, uint32_t event);
// "a: W x = 1"
std::string event_text(const prog::Test& test, const reference::Execution& x, uint32_t event);

}  // namespace fencepost::report
