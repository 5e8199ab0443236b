// Layout: the number of texts, the texts (name within the models' folder, bytes); then models until the end: name,
// dialect of the caller, length, and the fields of Model in the order of `fields`. Numbers have seven bits a byte, the
// least significant first. Text 0 of a model's list is its own file, then the prelude if there is one; places in other
// texts (the sets of variants, which no file has) bring theirs along.
//
// Tried and lost: the model as tables of constants in C++. Vectors and strings of a model are its own, so that the
// tables had to be copied all the same, and the compiler took a minute for them.
#include "cat/compiled.h"

#include <filesystem>
#include <map>
#include <vector>

#include "cat/library.h"
#include "cat/resolve.h"

namespace fencepost::cat {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t k_no_source = 0;  // of a span; source i is i + 1

class Writer {
 public:
  static constexpr bool writes = true;
  std::string bytes;
  std::vector<SourcePtr> sources;

  template <class T>
  void number(const T& value) {
    auto n = static_cast<uint64_t>(value);
    for (; n >= 0x80; n >>= 7) bytes += static_cast<char>((n & 0x7f) | 0x80);
    bytes += static_cast<char>(n);
  }
  void text(std::string_view t) {
    number(t.size());
    bytes += t;
  }
  void span(const Span& s) {
    uint64_t at = k_no_source;
    for (uint64_t i = 0; i < sources.size(); ++i)
      if (sources[i]->name == s.source->name && sources[i]->text == s.source->text) at = i + 1;
    if (s.source && at == k_no_source) {
      sources.push_back(s.source);
      at = sources.size();
    }
    number(at);
    number(s.begin);
    number(s.end);
  }
  template <class T>
  void size(const std::vector<T>& list) {
    number(list.size());
  }
};

class Reader {
 public:
  static constexpr bool writes = false;
  std::vector<SourcePtr> sources;

  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  bool at_end() const { return bytes_.empty(); }

  uint64_t number() {
    uint64_t n = 0;
    for (unsigned shift = 0; !bytes_.empty() && shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      n |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return n;
  }
  template <class T>
  void number(T& value) {
    value = static_cast<T>(number());
  }
  std::string_view text() {
    const std::string_view t = bytes_.substr(0, number());
    bytes_.remove_prefix(t.size());
    return t;
  }
  void text(std::string& t) { t = text(); }
  void span(Span& s) {
    const uint64_t at = number();
    if (at != k_no_source) s.source = sources[at - 1];
    number(s.begin);
    number(s.end);
  }
  template <class T>
  void size(std::vector<T>& list) {
    list.resize(number());
  }

 private:
  std::string_view bytes_;
};

// All of a model but its path, which is where the file lies.
template <class Archive, class M>
void fields(Archive& a, M& m) {
  a.text(m.title);
  a.number(m.dialect);
  for (auto* flag : {&m.knows_clusters, &m.knows_hosts, &m.knows_asynchronous, &m.any_space, &m.mentioned_barriers})
    a.number(*flag);
  a.size(m.variants);
  for (auto& [question, answer] : m.variants) {
    a.text(question);
    a.text(answer);
  }
  a.size(m.nodes);
  for (auto& n : m.nodes) {
    a.number(n.op);
    a.number(n.type);
    a.size(n.kids);
    for (auto& k : n.kids) a.number(k);
    a.number(n.base);
    a.number(n.tag);
    a.number(n.rec);
    a.text(n.name);
    a.span(n.span);
  }
  a.size(m.groups);
  for (auto& g : m.groups) {
    a.size(g.variables);
    for (auto& v : g.variables) a.number(v);
  }
  a.size(m.variables);
  for (auto& v : m.variables) {
    a.text(v.name);
    a.number(v.type);
    a.number(v.definition);
    a.number(v.reference);
    a.number(v.group);
  }
  a.size(m.axioms);
  for (auto& x : m.axioms) {
    a.number(x.kind);
    a.number(x.negated);
    a.number(x.flag);
    a.number(x.node);
    a.text(x.name);
    a.span(x.span);
  }
  a.size(m.shown);
  for (auto& s : m.shown) {
    a.number(s.node);
    a.text(s.name);
  }
  a.size(m.names);
  for (auto& [name, node] : m.names) {
    a.text(name);
    a.number(node);
  }
}

// Beside the model's file: it would be read before every model.
bool has_stdlib(const fs::path& folder) {
  std::error_code failed;
  return fs::exists(folder / "stdlib.cat", failed);
}

bool has_errors_or_warnings(const std::string& path, const LoadOptions& options) {
  for (const LintFinding& f : lint(path, options))
    if (f.diagnostic.severity != Severity::note) return true;
  return false;
}

struct Text {
  std::string name;  // in the models' folder
  std::string bytes;
};

// The file `name` of the folder, if it still has this text.
SourcePtr unchanged(const std::string& folder, std::string_view name, std::string_view text) {
  auto source = read_source(folder + "/" + std::string(name));
  return source && (*source)->text == text ? *source : nullptr;
}

}  // namespace

std::string compile_shipped_models() {
  const fs::path folder = models_dir();
  std::vector<Text> texts;
  const auto number_of = [&](const std::string& name, const std::string& bytes) {
    for (size_t i = 0; i < texts.size(); ++i)
      if (texts[i].name == name) return i;
    texts.push_back({name, bytes});
    return texts.size() - 1;
  };
  Writer models;
  if (has_stdlib(folder)) return {};
  for (const ModelInfo& info : shipped_models())
    for (const vocab::Dialect dialect : {vocab::Dialect::ptx, vocab::Dialect::vulkan, vocab::Dialect::opencl}) {
      const LoadOptions options = options_for(info.path, dialect);
      const auto model = load_file(info.path, options);
      if (!model || has_errors_or_warnings(info.path, options)) continue;
      std::vector<std::string> files{info.path};
      if (!options.prelude.empty()) files.push_back(options.prelude);
      Writer w;
      w.number(files.size());
      bool plain = true;
      for (const std::string& file : files) {
        const auto source = read_source(file);
        plain = plain && source && fs::path(file).parent_path() == folder;
        if (!plain) break;
        w.sources.push_back(*source);
        w.number(number_of(fs::path(file).filename().string(), (*source)->text));
      }
      if (!plain) continue;
      Writer body;
      body.sources = w.sources;
      fields(body, *model);
      // A place in another file: that file may change.
      for (size_t i = files.size(); i < body.sources.size(); ++i)
        plain = plain && body.sources[i]->name.find('/') == std::string::npos;
      if (!plain) continue;
      w.number(body.sources.size() - files.size());
      for (size_t i = files.size(); i < body.sources.size(); ++i) {
        w.text(body.sources[i]->name);
        w.text(body.sources[i]->text);
      }
      models.text(info.name);
      models.number(dialect);
      models.text(w.bytes + body.bytes);
    }
  Writer out;
  out.number(texts.size());
  for (const Text& t : texts) {
    out.text(t.name);
    out.text(t.bytes);
  }
  return out.bytes + models.bytes;
}

std::optional<Model> compiled_model(const std::string& path, vocab::Dialect dialect) {
  const std::string_view all = compiled_models();
  const size_t slash = path.rfind('/');
  if (all.empty() || slash == std::string::npos || !path.ends_with(".cat")) return std::nullopt;
  const std::string folder = path.substr(0, slash);
  const std::string_view name = std::string_view(path).substr(slash + 1, path.size() - slash - 5);
  if (folder != models_dir()) return std::nullopt;
  Reader r(all);
  std::vector<std::pair<std::string_view, std::string_view>> texts(r.number());
  for (auto& [file, text] : texts) {
    file = r.text();
    text = r.text();
  }
  while (!r.at_end()) {
    const std::string_view model = r.text();
    const auto of = static_cast<vocab::Dialect>(r.number());
    const std::string_view bytes = r.text();
    if (model != name || of != dialect) continue;
    if (has_stdlib(folder)) return std::nullopt;
    Reader body(bytes);
    for (uint64_t files = body.number(); files > 0; --files) {
      const auto& [file, text] = texts[body.number()];
      SourcePtr source = unchanged(folder, file, text);
      if (source == nullptr) return std::nullopt;
      body.sources.push_back(std::move(source));
    }
    for (uint64_t made = body.number(); made > 0; --made) {
      std::string made_name(body.text());
      body.sources.push_back(make_source(std::move(made_name), std::string(body.text())));
    }
    Model out;
    fields(body, out);
    out.path = path;
    return out;
  }
  return std::nullopt;
}

}  // namespace fencepost::cat
