#pragma once
// What we say to a person about their input. One diagnostic is one sentence, a place and a hint.
// Fallible functions return Expected<T>; exceptions do not leave a room.
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace fencepost {

enum class Severity { error, warning, note };

// How the process should end because of this diagnostic: bad_input -> exit 2, unsupported -> exit 3.
enum class Fault { bad_input, unsupported };

struct Diagnostic {
  Severity severity = Severity::error;
  Fault fault = Fault::bad_input;
  Span span;
  std::string message;  // one sentence without a final full stop
  std::string hint;     // may be empty
};

struct Diagnostics {
  std::vector<Diagnostic> list;

  Diagnostics() = default;
  Diagnostics(Diagnostic d) { list.push_back(std::move(d)); }  // NOLINT: conversion is the point
  bool has_errors() const;
  void add(Diagnostic d) { list.push_back(std::move(d)); }
  void append(const Diagnostics& other);
};

template <class T>
using Expected = std::expected<T, Diagnostics>;

std::unexpected<Diagnostics> error_at(const Span& span, std::string message, std::string hint = {});
std::unexpected<Diagnostics> unsupported_at(const Span& span, std::string message, std::string hint = {});

// "file:line:col: error: message", the line, a caret under the span, and "= hint: ..." when there is one.
std::string render(const Diagnostic& d);
std::string render(const Diagnostics& ds);

// The candidate nearest to `word` by edit distance, or "" when none is near enough to be a likely typo.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// Our own fault: prints the sentence and aborts the process with exit code 4. On in release builds.
[[noreturn]] void invariant_failed(const char* file, int line, const char* sentence);
#define FENCEPOST_INVARIANT(cond, sentence) \
  ((cond) ? (void)0 : ::fencepost::invariant_failed(__FILE__, __LINE__, sentence))

}  // namespace fencepost
