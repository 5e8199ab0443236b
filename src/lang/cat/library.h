#pragma once
// Finds the models that ship with the program, by name ("ptx-7.5") or path.
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "cat/model.h"

namespace fencepost::cat {

// $FENCEPOST_MODELS, then models/ beside the source tree the program was built from, then
// <prefix>/share/fencepost/models beside the executable.
std::string models_dir();

// Models only; preludes are not listed. In the order of their names; a folder that is missing has none.
struct ModelInfo {
  std::string name;
  std::string path;
  vocab::Dialect dialect;
  std::string summary;
};
std::vector<ModelInfo> shipped_models();

// A sentence of its document that another shipped model reads otherwise: a header of the model's file,
// "(* reading: MODEL; TAGS; SENTENCE *)". `needs`: tags of which a program has all if the sentence can matter to it.
struct Reading {
  std::string model;
  std::vector<std::string> needs;
  std::string sentence;
};
// In the order of the file; a file that cannot be read has none.
std::vector<Reading> readings_of(const std::string& path);

// An answer that a model takes where its document is open, and that an answer of the program may rest on: a header
// "(* assumes: NAME=ANSWER; TAGS; SENTENCE *)". `needs`: one instruction has all of them, or not, after a "~";
// `races`, among the tags, says that the answer decides flags alone.
struct Assumed {
  std::string name, answer;
  std::vector<std::string> needs;
  bool flags_only = false;
  std::string sentence;
};
std::vector<Assumed> assumed_of(const std::string& path);

// The sentence of its document that a definition or an axiom of a model stands for: of a header
// "(* clauses: NAME SECTIONS TEXT; NAME SECTIONS TEXT *)". Sections are separated by commas.
struct Clause {
  std::string name;
  std::string section;  // "8.9.3, 8.10.2"
  std::string text;
};
std::vector<Clause> clauses_of(const std::string& path);

// An order that programs may expect and that the document does not give: of headers "(* withheld: SECTION; TEXT;
// EXPRESSION *)", from what is nearly an order to what is far from one.
struct Withheld {
  std::string section, text, expression;
};
std::vector<Withheld> withheld_of(const std::string& path);
// The model with a flag for each of them, `withheld_flag(k)`: a read or write contradicts that order. Its nodes are
// its own, and its axioms are those of `model` in their order, then the flags.
Expected<Model> with_withheld_flags(const Model& model);
std::string withheld_flag(size_t k);

// "ptx-9[P2=strict,P3=writer]": the model ptx-9 with these answers to questions that its document leaves open
// (Model::variants). Without brackets: the model with its own.
struct NamedModel {
  std::string name;
  std::vector<std::pair<std::string, std::string>> variants;
};
NamedModel split_model_name(const std::string& name);

// The path of a shipped model's file, or `name_or_path` itself where such a file exists. Errors: no such
// model (with the nearest name) or file.
Expected<std::string> find_model(const std::string& name_or_path);
// How to read the file at `path`: the dialect of its "(* dialect: ... *)" header, else `dialect`, and the
// prelude of that dialect where models_dir() has one (a prelude itself gets none).
LoadOptions options_for(const std::string& path, vocab::Dialect dialect);

// `name_or_path`: a shipped name, or a file. The dialect comes from a "(* dialect: ptx *)" header line
// where there is one, else from the caller. `as_shipped`: set to whether it is a shipped model whose files are those
// that the program was built with (cat/compiled.h), so that lint has nothing to say of them.
Expected<Model> load_model(const std::string& name_or_path, vocab::Dialect dialect, bool* as_shipped = nullptr);
std::string default_model(vocab::Dialect d);  // ptx -> "ptx-7.5", vulkan -> "vulkan", opencl -> "opencl"

}  // namespace fencepost::cat
