#pragma once
// Internal to the room: goes over the host's code and fills its memory (host_memory.h).
//
// Each function is gone over once for each place that calls it (an activation), from those that nothing calls, until
// nothing new is stored. Expressions, functions of the runtime and forms of initialisation are closed lists: of
// everything else the value is unknown, and what it was given is out of sight. A function that is reached by a value
// that is not followed gets unknown parameters; one that nothing in the file calls gets `unseen` ones, each an
// array of its own, since the caller is not there to be looked at.
//
// Tried and lost: sets for variables of the source without activations, which took members, constructors, pointers to
// functions and addresses of pointers for nothing at all.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "clangfe/host_flow.h"
#include "clangfe/host_given.h"
#include "clangfe/host_implied.h"
#include "clangfe/host_memory.h"
#include "clangfe/launches.h"

namespace fencepost::clangfe {

// A kernel, or a function of the device that has no form for the host.
bool on_device_only(const clang::FunctionDecl* f);
// The declaration that has the function's body; null: none has.
const clang::FunctionDecl* body_of(const clang::FunctionDecl* f);

// Each use of the variable takes its value, or copies its bytes from it (host_sizes.cpp).
bool only_copied(const clang::VarDecl* v, const clang::Stmt* body);

// What the text declares where clang could not read it: names, and whether operators are among them. Functions with a
// `return` that is not in the tree.
struct Unread {
  std::set<const clang::IdentifierInfo*> names;
  bool operators = false;
  std::set<const clang::FunctionDecl*> without_return;
  bool may_be_another(const clang::FunctionDecl* f) const;
};

// What an event clears, besides the object.
struct Extent {
  std::optional<uint64_t> from, bytes;
  const clang::Expr *to = nullptr, *size = nullptr;
};

class HostWalk {
 public:
  struct Frame {
    const clang::FunctionDecl* function = nullptr;
    uint32_t around = 0;  // of a lambda: where it was made
    uint32_t caller = 0;
    std::vector<const clang::Expr*> arguments;
    bool several = false;   // calls of many places
    bool repeated = false;  // it may be entered more than once
    unsigned depth = 0;
    Values self;  // where `this` may point
  };

  // What becomes of the memory of an object.
  struct Event {
    // What is captured is done where its graph is launched. synced: the host waits for work of the device. device:
    // what comes now is perhaps for another one.
    enum What : uint8_t { cleared, set, launched, synced, device, capture_begins, capture_ends, graph_launched } what;
    uint32_t object = 0;                    // of `cleared` and `set`
    const clang::CallExpr* call = nullptr;  // that does it; null: the host itself
    uint32_t frame = 0;
    size_t root = 0;                    // of flow.roots
    const clang::Stmt* loop = nullptr;  // the innermost one in the activation
    clang::SourceLocation at;
    std::optional<uint64_t> from, bytes;  // of `cleared`: which bytes of the object, where that is known
    // Of `cleared`: the pointer and the number of bytes, as they are written.
    const clang::Expr *to = nullptr, *size = nullptr;
  };
  // What cudaStreamCreate and its like have made.
  struct Made {
    bool one = false;       // it is made once
    bool blocking = false;  // it waits for the legacy stream, and that for it
  };

  // `users`: the place is in the user's own text.
  HostWalk(clang::ASTContext& context, std::function<bool(clang::SourceLocation)> users)
      : context_(context), users_(users), acts_(context, users) {}
  // `hosts`: all functions with a body; `launches`: calls that launch kernels, and who makes them. False: it did not
  // come to an end, and nothing is known.
  bool run(const std::vector<const clang::FunctionDecl*>& hosts, const std::vector<const clang::VarDecl*>& variables,
           const std::vector<FoundLaunch>& launches);

  // The activations that come to a launch.
  const std::set<uint32_t>& frames_of(const clang::CallExpr* launch) const;
  const Frame& frame(uint32_t f) const { return frames_[f]; }
  Values value(const clang::Expr* e, uint32_t frame);
  Places places(const clang::Expr* e, uint32_t frame);
  // A copy of what is given by value.
  Place copied(const clang::Expr* e, uint32_t frame);
  // What the expression's value is; a variable's own is what it holds.
  Values loaded(const clang::Expr* e, uint32_t frame);
  // Where element `k` of an array of pointers points.
  Places pointed(const clang::Expr* array, uint64_t k, uint32_t frame);
  Values read(const Places& from);
  // Bytes from the beginning of the object, `of`: the type of the place's last element.
  std::optional<uint64_t> offset(const Place& p, clang::QualType of) const;
  // Offset in bytes inside the object; none where the pointer may lead to several places of it.
  std::optional<uint64_t> offset(const clang::Expr* pointer, uint32_t object, uint32_t frame);
  std::optional<int64_t> number(const clang::Expr* e) const;
  // With variables that are set once, and what the one caller has given for parameters (host_sizes.cpp).
  std::optional<int64_t> amount(const clang::Expr* e, uint32_t frame, unsigned depth = 0) const;
  bool keeps(const clang::VarDecl* v, uint32_t frame) const;
  const clang::Expr* given_for(const clang::VarDecl* v, uint32_t frame) const;
  Place variable(const clang::VarDecl* v, uint32_t frame);
  HostMemory memory;
  std::vector<Event> events;
  HostFlow flow;
  std::map<uint32_t, Made> streams;  // by their objects
  bool symbols_by_name = false;      // a variable of the device is written to by its name
  // Where something is run that the walk has not come to; then nothing is known.
  std::optional<clang::SourceLocation> not_followed_at;
  std::string comes_back;                  // why the order of the text says nothing: setjmp
  std::set<clang::SourceLocation> shared;  // where statements begin that a directive has done by several threads
  Unread unread;
  GivenToLibraries given;
  std::set<uint32_t> made_in_rounds;  // objects that stand for several arrays
  // Which root of the flow an activation is of.
  size_t root_of(uint32_t frame) const;
  Values textured;  // over which the host lays textures

 private:
  friend class Library;

  // A step into a place.
  static Place with(Place p, const void* step);
  static Places addressed(const Values& v);
  static Values addresses(const Places& p);
  Values shifted(const Values& v, std::optional<int64_t> by);
  Values pointer_cast(const clang::CastExpr* c, Values v) const;
  Places fields(Places whole, const clang::FieldDecl* f) const;
  // `by`: what the number of elements may be, that is added.
  Values stepped(Values base, const Values& by, std::optional<int64_t> elements);

  static Values copies(const Places& of);
  void store(const Places& to, const Values& v);
  void init(const Place& to, clang::QualType type, const clang::Expr* e, uint32_t frame);
  void construct(const Place& to, const clang::CXXConstructExpr* e, uint32_t frame);
  void constructed(const Place& to, const clang::CXXConstructExpr* e, uint32_t frame);
  void list(const Place& to, const clang::InitListExpr* e, uint32_t frame);
  void destroy(const Values& it, clang::QualType type, const clang::Expr* site, uint32_t frame);
  void destroy(const Place& it, clang::QualType type, const clang::Expr* site, uint32_t frame);
  void end(const Places& it, clang::QualType type, const void* site, uint32_t frame);
  void end_parts(const Places& it, const clang::CXXRecordDecl* of, uint32_t frame);
  void copy_by_text(const clang::FunctionDecl* f, const clang::Expr* site, const Values& self,
                    const std::vector<const clang::Expr*>& arguments, uint32_t frame);
  void inherit(const Place& to, const clang::CXXInheritedCtorInitExpr* e, uint32_t frame);
  void catch_one(const clang::VarDecl* v, uint32_t frame);
  Values allocated(const clang::CXXNewExpr* n, uint32_t frame);
  void given_back(const clang::CXXNewExpr* n, uint32_t frame);
  uint32_t run_blind(const void* site, const clang::FunctionDecl* f, uint32_t frame,
                     const Values& first = {.unknown = true});
  void deleted(const clang::CXXDeleteExpr* d, uint32_t frame);
  Values closure(const clang::LambdaExpr* l, uint32_t frame);
  bool came_to_all();
  void declare(const clang::VarDecl* v, uint32_t frame);
  void statement(const clang::Stmt* s, uint32_t frame);
  bool exchanges(const clang::CompoundStmt* block, std::set<const clang::Stmt*>& done, uint32_t frame);

  Values function(const clang::Expr* e, uint32_t frame);
  Values cast(const clang::CastExpr* c, uint32_t frame);
  Values bits(const clang::CastExpr* c, uint32_t frame);
  Values unary(const clang::UnaryOperator* u, uint32_t frame);
  Values binary(const clang::BinaryOperator* b, uint32_t frame);
  Values call(const clang::CallExpr* c, uint32_t frame);
  Values called(const clang::CallExpr* c, uint32_t frame);
  Values by_member_pointer(const clang::CallExpr* c, const clang::BinaryOperator* member, uint32_t frame);
  Values enter(const void* site, const clang::FunctionDecl* f, const Values& self,
               const std::vector<const clang::Expr*>& arguments, uint32_t frame);
  Values through(const Values& callee, const clang::CallExpr* c, uint32_t frame, const Values& self = {});
  bool may_be_another(const clang::Expr* site, const clang::FunctionDecl* f, const clang::Expr* callee,
                      const std::vector<const clang::Expr*>& arguments);
  void part_of(const clang::FunctionDecl* f, uint32_t frame);
  Values of_unread(const clang::FunctionDecl* f, const Values& self, const std::vector<const clang::Expr*>& arguments,
                   uint32_t frame);
  Values not_followed(const std::vector<const clang::Expr*>& arguments, uint32_t frame);
  void by_other_files(const clang::CallExpr* c, const clang::FunctionDecl* f, uint32_t frame);
  Values other(const clang::Stmt* s, uint32_t frame);
  Values made(const clang::CXXNewExpr* n, uint32_t frame);
  uint32_t activation(const void* site, const clang::FunctionDecl* f, uint32_t caller, uint32_t around);
  void go_over(uint32_t frame);
  void root(const clang::FunctionDecl* f, uint32_t around, bool unseen, bool by_others = false);
  void escape(const clang::Expr* e, uint32_t frame);
  void pass();
  void note(Event::What what, clang::SourceLocation at, uint32_t frame, const clang::CallExpr* call = nullptr,
            uint32_t object = 0, const Extent& extent = {});
  // What comes only if one of these is taken; null: nothing is done there.
  void choose(const std::function<void()>& one, const std::function<void()>& other);
  // One of the ways is gone at `site`; `none`: or something that is not seen.
  void choose(const void* site, const std::vector<std::function<void()>>& ways, bool none);
  void control(const clang::Stmt* s, uint32_t frame);
  bool once(const clang::DoStmt* d) const;
  void round(const clang::Stmt* s, const std::function<void()>& condition, const std::function<void()>& body,
             const std::function<void()>& next, bool body_first);
  bool made_by_assert(const clang::Expr* e) const;
  Values in_assert(const clang::Expr* e, uint32_t frame);
  void note(Event::What what, const Places& at, const clang::Expr* e, uint32_t frame, Extent extent = {});
  bool is_zero(const clang::Expr* e) const;
  bool all_zero(const clang::Expr* first) const;
  bool lost_first_value(const clang::VarDecl* v) const;

  clang::ASTContext& context_;
  std::function<bool(clang::SourceLocation)> users_;
  Acts acts_;
  std::set<const clang::Stmt*> followed_;  // nodes that run functions, and that the walk has gone into
  std::vector<Frame> frames_{Frame{}};
  std::map<std::tuple<const void*, const clang::FunctionDecl*, uint32_t, uint32_t>, uint32_t> activations_;
  std::map<const clang::CallExpr*, std::set<uint32_t>> reached_;
  std::map<const clang::CallExpr*, const FoundLaunch*> launches_;
  std::set<const clang::FunctionDecl*> launching_kernels_;
  std::vector<const clang::FunctionDecl*> hosts_;
  std::vector<const clang::VarDecl*> variables_;
  std::vector<std::pair<const clang::FunctionDecl*, bool>> roots_;  // and whether its caller is not there
  std::vector<unsigned> walked_;
  std::set<const clang::FunctionDecl*> entered_;
  std::map<uint32_t, size_t> roots_of_;  // by their activations
  std::vector<const clang::FunctionDecl*> active_;
  std::set<const clang::Expr*> named_;         // words of functions whose values are followed
  std::map<const clang::Expr*, bool> chosen_;  // calls, by whether our headers decide what is called
  unsigned pass_ = 0;
  const clang::Stmt* loop_ = nullptr;
  bool in_assert_ = false;
};

// What the runtime and the C library do with pointers.
class Library {
 public:
  Library(HostWalk& walk, const clang::CallExpr* c, uint32_t frame) : walk_(walk), c_(c), frame_(frame) {}
  // False: the function is not in the lists.
  bool models(const clang::FunctionDecl* f, Values& result);

 private:
  void fresh(ObjectKind kind);
  std::optional<uint64_t> known(unsigned k) const;
  void copy_bytes(unsigned to, unsigned from);
  void beyond(const Values& v, clang::QualType of, std::optional<uint64_t> bytes);
  void prints(bool bytes);
  // The call writes these bytes, of the pointer's object.
  void clear(bool zeros, unsigned to, std::optional<uint64_t> bytes, const clang::Expr* size);
  bool again() const;
  void writes(const clang::FunctionDecl* f);
  void make_stream(std::optional<uint64_t> flags);
  bool exchanges_bytes(const clang::FunctionDecl* f) const;
  bool zeros(const clang::Expr* source) const;
  bool starts_zero(const clang::VarDecl* v) const;
  void lay_texture(const clang::Expr* description);
  void evaluate();

  HostWalk& walk_;
  const clang::CallExpr* c_;
  uint32_t frame_;
};

}  // namespace fencepost::clangfe
