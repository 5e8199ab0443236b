#pragma once
// Private to the room: what the passes over a cat text have to say, each with the lint rule it belongs to.
// `load` keeps the errors, `lint` keeps everything.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cat/model.h"

namespace fencepost::cat {

class Findings {
 public:
  void error(const char* rule, Span span, std::string message, std::string hint = {}) {
    add(Severity::error, Fault::bad_input, rule, std::move(span), std::move(message), std::move(hint));
  }
  void unsupported(Span span, std::string message, std::string hint = {}) {
    add(Severity::error, Fault::unsupported, "unsupported", std::move(span), std::move(message), std::move(hint));
  }
  void warning(const char* rule, Span span, std::string message, std::string hint = {}) {
    add(Severity::warning, Fault::bad_input, rule, std::move(span), std::move(message), std::move(hint));
  }
  void note(const char* rule, Span span, std::string message, std::string hint = {}) {
    add(Severity::note, Fault::bad_input, rule, std::move(span), std::move(message), std::move(hint));
  }
  // Of this text nothing is said but that it has errors, at `include`: it is not the model's author's to show.
  void hide(const SourcePtr& text, Span include) { hidden_[text.get()] = {text, std::move(include), false}; }
  size_t errors() const { return errors_; }
  // More than this many errors about one text help nobody.
  bool full() const { return errors_ >= 20; }
  const std::vector<LintFinding>& list() const { return list_; }
  Diagnostics error_list() const {
    Diagnostics out;
    for (const LintFinding& f : list_)
      if (f.diagnostic.severity == Severity::error) out.add(f.diagnostic);
    return out;
  }

 private:
  struct Hidden {
    SourcePtr text;
    Span include;
    bool told = false;
  };

  void add(Severity severity, Fault fault, const char* rule, Span span, std::string message, std::string hint) {
    if (const auto it = hidden_.find(span.source.get()); it != hidden_.end()) {
      if (severity != Severity::error || std::exchange(it->second.told, true)) return;
      fault = Fault::bad_input;
      rule = "include";
      span = it->second.include;
      message = "the file '" + it->second.text->name + "' has errors";
      hint = "its text is not shown, since it lies outside of the model's folder; lint that file by itself";
    }
    if (severity == Severity::error) {
      if (full()) return;
      ++errors_;
    } else if (list_.size() >= 1000) {
      return;
    }
    list_.push_back({{severity, fault, std::move(span), std::move(message), std::move(hint)}, rule});
  }

  std::map<const Source*, Hidden> hidden_;
  std::vector<LintFinding> list_;
  size_t errors_ = 0;
};

}  // namespace fencepost::cat
