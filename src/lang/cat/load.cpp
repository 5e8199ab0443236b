#include <algorithm>
#include <filesystem>

#include "cat/compile.h"
#include "cat/resolve.h"

namespace fencepost::cat {
namespace {

bool knows_clusters(const Model& m, const std::vector<Header>& headers) {
  for (const Header& h : headers)
    if (h.key == "scopes") return (" " + h.value + " ").find(" cluster ") != std::string::npos;
  const auto tagged = [&](vocab::Tag t) {
    return std::any_of(m.nodes.begin(), m.nodes.end(),
                       [&](const Node& n) { return n.op == NodeOp::base_set && n.tag == t; });
  };
  if (tagged(vocab::Tag::CLUSTER) || m.uses(vocab::Base::scluster)) return true;
  using vocab::Base;
  using vocab::Tag;
  return !m.uses(Base::sr) && !m.uses(Base::fsc) && !m.uses(Base::sync_fence) && !tagged(Tag::CTA) &&
         !tagged(Tag::GPU) && !tagged(Tag::SYS);
}

// What the model's file says of itself, and, of what it does not say, what the files say that it includes: a model
// that includes "ptx-8.cat" knows the scopes that ptx-8 knows.
std::vector<Header> headers_of(const Program& program) {
  std::vector<Header> out = program.files[0].headers;
  const size_t own = out.size();
  for (const File& f : program.files)
    if (f.role == Role::included)
      for (const Header& h : f.headers)
        if (std::none_of(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(own),
                         [&](const Header& o) { return o.key == h.key; }))
          out.push_back(h);
  return out;
}

Expected<Model> load(SourcePtr source, const LoadOptions& options, bool sibling) {
  Program program;
  Findings findings;
  const std::string path = source->name;
  resolve(program, std::move(source), options, sibling, findings);
  // Names that are unknown are poisoned, so that type errors elsewhere still show; broken syntax is not.
  bool broken = false;
  for (const LintFinding& f : findings.list())
    broken = broken || (f.diagnostic.severity == Severity::error && f.rule != "unknown-name");
  Compiler compiler(program, findings);
  if (!broken) compiler.run();
  if (findings.errors() > 0) return std::unexpected(findings.error_list());
  Model m = compiler.model();
  m.title = program.files[0].title;
  m.path = path;
  m.dialect = options.dialect;
  m.variants = program.variants;
  const std::vector<Header> headers = headers_of(program);
  m.knows_clusters = knows_clusters(m, headers);
  for (const Header& h : headers) {
    m.knows_hosts = m.knows_hosts || (h.key == "hosts" && h.value == "x86");
    m.any_space = m.any_space || (h.key == "spaces" && h.value == "any");
    m.knows_asynchronous = m.knows_asynchronous || (h.key == "instructions" && h.value == "asynchronous");
    m.mentioned_barriers = m.mentioned_barriers || (h.key == "barriers" && h.value == "mentioned");
  }
  return m;
}

}  // namespace

Expected<Model> load_file(const std::string& path, const LoadOptions& options) {
  auto source = read_source(path);
  if (!source)
    return error_at({}, "cannot read '" + path + "': " + source.error(), "a model is a text file in the cat language");
  return load(*std::move(source), options, true);
}

Expected<Model> load_text(SourcePtr source, const LoadOptions& options) {
  const bool has_folder = std::filesystem::path(source->name).has_parent_path();
  return load(std::move(source), options, has_folder);
}

}  // namespace fencepost::cat
