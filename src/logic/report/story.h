#pragma once
// An explanation as a person would tell it: the reason tree of the evaluator with its brackets taken away. Unnamed
// unions, sequences and closures dissolve into their steps, set memberships become remarks on events, and every
// relation that has a name in the model keeps it, with the steps that make it true below it. Internal to the room.
#include <string>
#include <vector>

#include "cat/model.h"
#include "prog/names.h"
#include "reference/explain.h"

namespace fencepost::report {

// A membership ("b is strong-write: W, REL") or a static fact about two events.
struct Remark {
  uint32_t event = 0;
  std::string name;               // the set's name in the model; "" when the tags say it all
  std::vector<std::string> tags;  // "W", "not IW"
  std::string text;               // a fact about two events; then the rest is empty
  bool operator==(const Remark&) const = default;
};

struct Step {
  cat::NodeId node = 0;
  uint32_t from = 0, to = 0;
  std::string label;  // "sync", "rf", "not co"
  bool base = false;  // a base relation: nothing below
  bool absent = false;
  bool backwards = false;  // stands for the inverse: the walk goes to -> from
  std::vector<Remark> remarks;
  std::vector<Step> parts;
  uint32_t walk_from() const { return backwards ? to : from; }
  uint32_t walk_to() const { return backwards ? from : to; }
};

struct Story {
  uint32_t axiom = 0;
  std::vector<Step> steps;      // of the cycle, or the facts about the offending pair
  std::vector<Step> brief;      // the same in the terms a programmer knows: po, fr, rf, and synchronisation
  std::vector<Remark> remarks;  // memberships that belong to no step
  bool cyclic = false;
  std::string summary;  // one line: the cycle, or the ways in which a pair is related
};

Story tell(const prog::Test& test, const cat::Model& model, const reference::Execution& x,
           const reference::Explanation& e);

// "a -po-> b -sync-> c -fr-> a"; backwards steps as "a <-rf- b".
std::string chain_text(const prog::Test& test, const reference::Execution& x, const std::vector<Step>& steps);

// The steps with everything below them, one line each, indented. Parts told once are referred to after that.
std::string story_text(const prog::Test& test, const cat::Model& model, const reference::Execution& x,
                       const Story& story, size_t indent);

// What a step says of its two events, in words; "" when its name is all there is to say.
std::string gloss(const prog::Test& test, const cat::Model& model, const reference::Execution& x, const Step& step);

// "ptx-7.5.cat:57", "" for nodes without a place.
std::string definition_place(const cat::Model& model, cat::NodeId node);

}  // namespace fencepost::report
