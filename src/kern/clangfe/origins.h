#pragma once
// Internal to the room: which pointers that a launch gives may come from one array of the host's.
//
// A proof takes two pointers of a kernel for two arrays. Most hosts give two, and do not say so. The host's code is
// followed (host_walk.h) from every variable to the allocations that it may hold, and two parameters are of two arrays
// only if all that both may hold is known, and nothing is common to them. A parameter of which that cannot be said is
// not traced, and its launch has no proof beside other arrays. What code outside of the file gives (parameters of a
// function that nothing here calls) is not known either: then the assumption stands that the profile names.
//
// Three forms are known beyond sets, since double buffers are written so: values that were exchanged, two elements of
// one array whose numbers differ, `c ? p : q` beside `c ? q : p`. Parameters of a function that calls another with
// them are looked at where they are given, all at a time.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "clangfe/host_walk.h"
#include "clangfe/launches.h"

namespace fencepost::clangfe {

class Origins {
 public:
  // `hosts`: all functions with a body; `variables`: of file scope; `lost`: names of which the tree lacks some use.
  // `in_doubt`: what the host does with pointers is another in its own compilation, and nothing is traced. `by_name`:
  // the host asks for variables of the device by their names. `comes_back`: why the host may not run
  // its statements in the order of the text (setjmp, fork); "": it does. `shared`: where statements begin that a
  // directive of OpenMP or OpenACC precedes, so that several threads may run them. `unread`: what clang did not read.
  // `given`: what libraries may run.
  Origins(clang::ASTContext& context, const std::vector<const clang::FunctionDecl*>& hosts,
          const std::vector<const clang::VarDecl*>& variables, const std::vector<FoundLaunch>& launches,
          std::set<const clang::IdentifierInfo*> lost, bool in_doubt, bool by_name, std::string comes_back,
          std::set<clang::SourceLocation> shared, Unread unread, GivenToLibraries given);
  // Fills one_array, not_traced and not_zero.
  void trace(FoundLaunch& l);

 private:
  // A pointer that is given, alone or in a structure.
  struct Given {
    uint32_t parameter = 0;
    Values values;
    const clang::Expr* e = nullptr;  // alone
    bool reads = false;
    std::optional<Place> at;  // in a structure
  };
  std::vector<Given> gather(const FoundLaunch& l, uint32_t frame);
  void trace(const FoundLaunch& l, uint32_t frame, HostLaunch& out);
  // What the memory that a kernel counts in holds when it starts (host_starts.cpp).
  void not_followed(FoundLaunch& l);
  void starts(const FoundLaunch& l, uint32_t frame, HostLaunch& out);
  const std::set<uint32_t>& touched(const clang::CallExpr* call, uint32_t frame);
  const std::set<const clang::VarDecl*>& named_by(const clang::FunctionDecl* kernel);
  // Where in an object the launch gives a pointer.
  struct Reach {
    std::optional<uint64_t> offset;   // bytes from its beginning
    const clang::Expr* e = nullptr;   // the pointer, as it is written
    uint64_t counted = ~uint64_t{0};  // bytes from there on, at most, in which the kernel may count
  };
  Reach reach(const FoundLaunch& l, const Given& g, uint32_t object, uint32_t frame);
  uint64_t counted(const FoundLaunch& l, uint32_t parameter, uint32_t object) const;
  uint64_t covers(const HostWalk::Event& reset, const Reach& given, const clang::CallExpr* launch, uint32_t frame,
                  uint64_t so_far);
  bool one_place(const clang::Expr* a, const clang::Expr* b, clang::SourceLocation from, clang::SourceLocation to,
                 uint32_t frame) const;
  std::optional<uint64_t> size_of(uint32_t object) const;
  // Of sizes (host_sizes.cpp).
  bool lives_on(const clang::VarDecl* v, uint32_t frame, uint32_t object) const;
  bool one_amount(const clang::Expr* a, uint32_t of_a, const clang::Expr* b, uint32_t of_b, uint32_t object,
                  unsigned depth) const;
  bool as_made(const HostWalk::Event& reset) const;
  Start start_of(uint32_t object, const Reach& given, const clang::CallExpr* call, uint32_t frame);
  Start not_reset(uint32_t object, const clang::CallExpr* call, uint32_t frame,
                  std::vector<HostWalk::Event>::const_iterator own, bool graph_again, const HostWalk::Event* before);
  // In which stream work is done.
  struct Stream {
    bool legacy = false, blocking = false;
    std::optional<Place> one;  // always this one
  };
  const Stream& stream_of(const HostWalk::Event& e);
  bool in_order(const HostWalk::Event& first, const HostWalk::Event& second);
  bool one_stream(const HostWalk::Event& first, const HostWalk::Event& second);
  bool by_host(const HostWalk::Event& e) const;
  bool constant(const Place& p, uint32_t frame) const;
  bool of_the_device(uint32_t object) const;
  void find_others(uint32_t object, const FoundLaunch& l, Start& s);
  std::string place(clang::SourceLocation at) const;
  Place given_by_value(const clang::Expr* e, uint32_t frame);
  void collect(const Place& at, clang::QualType type, Given& like, std::vector<Given>& out, unsigned depth);
  void collect_captures(const Place& at, Given& like, std::vector<Given>& out, unsigned depth);
  bool elements_apart(const Given& a, const Given& b) const;
  bool apart(const Given& a, const Given& b, uint32_t frame);
  bool apart(const clang::Expr* a, const clang::Expr* b, uint32_t frame);
  bool exchanged(const Place& a, const Place& b);
  bool unlike(const clang::Expr* a, const clang::Expr* b) const;
  const clang::Expr* given_for(const clang::Expr* e, uint32_t frame) const;
  bool null(const clang::Expr* e, uint32_t frame, bool at_address, unsigned depth) const;
  void find_nulls(FoundLaunch& l) const;

  clang::ASTContext& context_;
  HostWalk walk_;
  bool known_ = false, in_doubt_;
  std::map<const clang::CallExpr*, const FoundLaunch*> calls_;
  std::map<std::pair<const clang::CallExpr*, uint32_t>, std::set<uint32_t>> touched_;
  std::map<const clang::FunctionDecl*, std::set<const clang::VarDecl*>> named_;
  std::map<std::pair<const clang::CallExpr*, uint32_t>, Stream> streams_;
};

}  // namespace fencepost::clangfe
