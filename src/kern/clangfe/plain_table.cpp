#include "clangfe/plain_table.h"

#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Constants.h>

namespace fencepost::clangfe {
namespace {

std::string type_text(const llvm::DIType* t, int depth) {
  constexpr int k_deepest = 12;
  if (t == nullptr || depth > k_deepest) return "?";
  if (const auto* b = llvm::dyn_cast<llvm::DIBasicType>(t)) {
    const char* kind =
        b->getEncoding() == llvm::dwarf::DW_ATE_float                                                           ? "f"
        : b->getEncoding() == llvm::dwarf::DW_ATE_signed || b->getEncoding() == llvm::dwarf::DW_ATE_signed_char ? "s"
        : b->getEncoding() == llvm::dwarf::DW_ATE_boolean                                                       ? "b"
                                                                                                                : "u";
    return fmt::format("{}{}", kind, b->getSizeInBits());
  }
  if (const auto* d = llvm::dyn_cast<llvm::DIDerivedType>(t)) {
    switch (d->getTag()) {
      case llvm::dwarf::DW_TAG_pointer_type:
      case llvm::dwarf::DW_TAG_reference_type:
      case llvm::dwarf::DW_TAG_rvalue_reference_type:
        return depth > 6 ? "p" : "*" + type_text(d->getBaseType(), depth + 3);
      default:
        return type_text(d->getBaseType(), depth);
    }
  }
  const auto* c = llvm::dyn_cast<llvm::DICompositeType>(t);
  if (c == nullptr || c->isForwardDecl()) return "?";  // a template that nothing has made, too
  if (c->getTag() == llvm::dwarf::DW_TAG_enumeration_type)
    return c->getBaseType() != nullptr ? type_text(c->getBaseType(), depth) : fmt::format("u{}", c->getSizeInBits());
  if (c->getTag() == llvm::dwarf::DW_TAG_array_type) {
    std::string out, element = type_text(c->getBaseType(), depth + 1);
    for (const llvm::DINode* e : c->getElements())
      if (const auto* range = llvm::dyn_cast<llvm::DISubrange>(e)) {
        const auto* count = llvm::dyn_cast_if_present<llvm::ConstantInt*>(range->getCount());
        out += fmt::format("[{} ", count == nullptr || count->getSExtValue() < 0 ? 0 : count->getZExtValue());
      }
    return out + element;
  }
  if (c->getTag() != llvm::dwarf::DW_TAG_structure_type && c->getTag() != llvm::dwarf::DW_TAG_class_type) return "?";
  std::string out = fmt::format("{{{} ", c->getSizeInBits() / 8);
  for (const llvm::DINode* e : c->getElements()) {
    const auto* m = llvm::dyn_cast<llvm::DIDerivedType>(e);
    if (m == nullptr || m->isStaticMember()) continue;
    if (m->getTag() == llvm::dwarf::DW_TAG_inheritance)
      out += fmt::format("__base {} {};", m->getOffsetInBits() / 8, type_text(m->getBaseType(), depth + 1));
    if (m->getTag() != llvm::dwarf::DW_TAG_member) continue;
    if (m->isBitField()) return "?";
    out += fmt::format("{} {} {};", m->getName().empty() ? "__nameless" : word_of(m->getName()),
                       m->getOffsetInBits() / 8, type_text(m->getBaseType(), depth + 1));
  }
  return out + "}";
}

}  // namespace

std::string word_of(llvm::StringRef name) {
  std::string out;
  for (const char c : name) out += llvm::isAlnum(c) || c == '_' || c == '$' ? c : '_';
  return out;
}

// clang takes the current folder off the names of files.
bool is_file(const llvm::DIFile* f, llvm::StringRef name) {
  return f != nullptr && (f->getFilename() == name || (f->getDirectory() + "/" + f->getFilename()).str() == name);
}

unsigned Table::file(const llvm::DIFile* f) {
  const std::string path = f == nullptr ? "" : is_file(f, main_) ? main_ : f->getFilename().str();
  if (const auto it = files_.find(path); it != files_.end()) return it->second;
  const auto n = static_cast<unsigned>(files_.size() + 1);
  files_[path] = n;
  text_ += fmt::format("file {} {}\n", n, path);
  return n;
}

void Table::variable(const std::string& name, const std::string& shown, const llvm::DIFile* f, unsigned line,
                     const llvm::DIType* type) {
  const unsigned n = file(f);
  text_ += fmt::format("var {} {} {} {} {}\n", name, n, line, shown, type_text(type, 0));
}

void Table::kernel(const std::string& name, const std::string& shown, const llvm::DISubprogram* p) {
  const unsigned n = file(p == nullptr ? nullptr : p->getFile());
  text_ += fmt::format("kernel {} {} {} {}\n", name, n, p == nullptr ? 0 : p->getLine(), shown);
}

void Table::own(const std::string& name) {
  if (own_.insert(name).second) text_ += fmt::format("own {}\n", name);
}

}  // namespace fencepost::clangfe
