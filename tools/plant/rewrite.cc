// Rewrites a source file so that each place where a fault can be planted asks plant.h whether its fault is chosen:
//   a < b       plant::less(17, a, b)              which may be a <= b
//   a && b      a && (plant::at(17) || (b))        which may be a
//   f(x);       if (!plant::at(17)) f(x);          which may be nothing
// so that one build holds all faults. Clang's syntax tree says what the places are; text that macros make, templates'
// dependent expressions and other files are left alone. Nested places nest in the output, since nothing is written twice.
//
// rewrite FIRST-NUMBER OUTPUT SITES FILE -- COMPILER-ARGUMENTS
// SITES gets a line for each place, appended: number, line, kind, function, text, and the text of the fault, with tabs
// between. FENCEPOST_PLANT_SKIP has numbers of lines, separated by blanks, whose places are left alone, since the compiler
// does not take what comes of them.
#include <clang/AST/ParentMapContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Lex/Lexer.h>
#include <clang/Tooling/CompilationDatabase.h>
#include <clang/Tooling/Tooling.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace clang;

struct Edit {
  unsigned offset;
  int order;      // at one offset: ends of inner places, ends of outer ones, beginnings of outer ones, of inner ones
  unsigned skip;  // characters that the text replaces
  std::string text;
};

unsigned next_number = 0;
std::string output, sites;
std::set<unsigned> skipped;

class Visitor : public RecursiveASTVisitor<Visitor> {
 public:
  explicit Visitor(ASTContext& c) : c_(c), sm_(c.getSourceManager()) {}

  bool VisitBinaryOperator(BinaryOperator* e) {
    struct Other {
      const char *name, *op;  // the function of plant.h, and the operator that its fault has
    };
    static const std::map<BinaryOperatorKind, Other> names = {
        {BO_LT, {"less", "<="}},         {BO_LE, {"less_equal", "<"}}, {BO_GT, {"greater", ">="}},
        {BO_GE, {"greater_equal", ">"}}, {BO_EQ, {"equal", "!="}},     {BO_NE, {"unequal", "=="}},
        {BO_Add, {"plus", "-"}},         {BO_Sub, {"minus", "+"}},     {BO_Mul, {"times", "+"}},
        {BO_And, {"bit_and", "|"}},      {BO_Or, {"bit_or", "&"}},     {BO_Shl, {"left", ">>"}},
        {BO_Shr, {"right", "<<"}}};
    if (e->isTypeDependent() || e->isValueDependent() || !mine(e)) return true;
    if (e->isLogicalOp()) {
      const Expr* right = e->getRHS();
      if (!mine(right)) return true;
      const std::string n = site(e, e->getOpcode() == BO_LAnd ? "second of &&" : "second of ||", text_of(e->getLHS()));
      around(right, e->getOpcode() == BO_LAnd ? "(plant::at(" + n + ") || (" : "(!plant::at(" + n + ") && (", "))");
      return true;
    }
    const auto name = names.find(e->getOpcode());
    if (name == names.end() || !plain(e->getLHS()) || !plain(e->getRHS())) return true;
    if (e->isAdditiveOp() || e->isMultiplicativeOp() || e->isBitwiseOp() || e->isShiftOp())
      if (!e->getType()->isIntegerType() || !e->getLHS()->getType()->isIntegerType()) return true;
    const unsigned at = offset(e->getOperatorLoc());
    const auto [function, other] = name->second;
    const std::string n = site(e, function, text_of(e->getLHS()) + " " + other + " " + text_of(e->getRHS()));
    around(e, std::string("plant::") + function + "(" + n + ", ", ")");
    edits_.push_back({at, 0, static_cast<unsigned>(e->getOpcodeStr().size()), ","});
    return true;
  }

  bool VisitUnaryOperator(UnaryOperator* e) {
    if (e->getOpcode() != UO_LNot || e->isTypeDependent() || !mine(e)) return true;
    const std::string n = site(e, "negation", text_of(e->getSubExpr()));
    around(e, "plant::no(" + n + ", ", ")");
    edits_.push_back({offset(e->getOperatorLoc()), 100000001, 1, " "});
    return true;
  }

  bool VisitIntegerLiteral(IntegerLiteral* e) {
    if (!mine(e)) return true;
    const Stmt* s = e;
    for (;;) {
      const auto parents = c_.getParents(*s);
      if (parents.empty()) return true;
      const auto* up = parents[0].get<Stmt>();
      if (up == nullptr) return true;
      if (const auto* cast = dyn_cast<ImplicitCastExpr>(up)) {
        if (cast->getCastKind() != CK_IntegralCast) return true;
        s = up;
        continue;
      }
      const auto* op = dyn_cast<BinaryOperator>(up);
      if (op == nullptr ? !isa<ReturnStmt>(up) : op->isAssignmentOp() || op->isCommaOp() || op->isTypeDependent())
        return true;
      break;
    }
    const std::string n = site(e, "number", text_of(e) + " + 1");
    around(e, "plant::number(" + n + ", ", ")");
    return true;
  }

  bool VisitIfStmt(IfStmt* s) {
    const Expr* cond = s->getCond();
    if (s->isConstexpr() || s->getConditionVariable() != nullptr || cond == nullptr || cond->isTypeDependent() ||
        !mine(cond))
      return true;
    const std::string n = site(cond, "branch", "false");
    around(cond, "!plant::at(" + n + ") && (", ")");
    return true;
  }

  bool VisitCompoundStmt(CompoundStmt* block) {
    for (Stmt* s : block->body()) {
      const Expr* e = dyn_cast<Expr>(s);
      if (e == nullptr || !mine(e)) continue;
      if (const auto* clean = dyn_cast<ExprWithCleanups>(e)) e = clean->getSubExpr();
      const auto* assign = dyn_cast<BinaryOperator>(e);
      const bool wanted = isa<CallExpr>(e) || (assign != nullptr && assign->isAssignmentOp()) || isa<UnaryOperator>(e);
      if (!wanted) continue;
      const std::string n = site(e, "statement", "nothing");
      edits_.push_back({offset(s->getBeginLoc()), 0, 0, "if (!plant::at(" + n + ")) "});
    }
    return true;
  }

  void write(const std::string& header) {
    const std::string text = sm_.getBufferData(sm_.getMainFileID()).str();
    std::stable_sort(edits_.begin(), edits_.end(), [](const Edit& a, const Edit& b) {
      return a.offset != b.offset ? a.offset < b.offset : a.order < b.order;
    });
    std::string out = "#include \"" + header + "\"\n";
    unsigned at = 0;
    for (const Edit& e : edits_) {
      if (e.offset < at) continue;
      out += text.substr(at, e.offset - at) + e.text;
      at = e.offset + e.skip;
    }
    out += text.substr(at);
    std::ofstream(output) << out;
    std::ofstream list(sites, std::ios::app);
    for (const std::string& line : sites_) list << line << "\n";
  }

 private:
  bool mine(const Stmt* s) const {
    const SourceLocation b = s->getBeginLoc(), e = s->getEndLoc();
    return b.isValid() && e.isValid() && 0 == skipped.count(sm_.getSpellingLineNumber(b)) && !b.isMacroID() &&
           !e.isMacroID() && sm_.isWrittenInMainFile(b) && sm_.isWrittenInMainFile(e);
  }
  // Values that pass through a function's parameter unharmed.
  bool plain(const Expr* e) const {
    const QualType t = e->IgnoreParenImpCasts()->getType();
    return !e->isTypeDependent() && mine(e) && !t->isDependentType() &&
           (t->isIntegralOrEnumerationType() || t->isRealFloatingType() || t->isAnyPointerType());
  }
  unsigned offset(SourceLocation l) const { return sm_.getFileOffset(l); }
  unsigned end(const Stmt* s) const {
    return sm_.getFileOffset(Lexer::getLocForEndOfToken(s->getEndLoc(), 0, sm_, c_.getLangOpts()));
  }
  std::string text_of(const Stmt* s) const {
    const std::string text =
        Lexer::getSourceText(CharSourceRange::getTokenRange(s->getSourceRange()), sm_, c_.getLangOpts()).str();
    std::string out;
    for (const char c : text) {
      const bool blank = c == '\n' || c == '\t' || c == ' ';
      if (!blank || (!out.empty() && out.back() != ' ')) out += blank ? ' ' : c;
    }
    return out;
  }
  // The function around it that has a name, without its namespaces; "" outside of all.
  std::string function_of(const Stmt* s) {
    for (auto up = c_.getParents(*s); !up.empty(); up = c_.getParents(up[0])) {
      const auto* f = up[0].get<FunctionDecl>();
      const auto* method = f == nullptr ? nullptr : dyn_cast<CXXMethodDecl>(f);
      if (f == nullptr || (method != nullptr && method->getParent()->isLambda())) continue;
      return method == nullptr ? f->getNameAsString()
                               : method->getParent()->getNameAsString() + "::" + f->getNameAsString();
    }
    return "";
  }
  std::string site(const Stmt* s, const std::string& kind, const std::string& fault) {
    const std::string n = std::to_string(next_number++);
    sites_.push_back(n + "\t" + std::to_string(sm_.getSpellingLineNumber(s->getBeginLoc())) + "\t" + kind + "\t" +
                     function_of(s) + "\t" + text_of(s) + "\t" + fault);
    return n;
  }
  void around(const Stmt* s, const std::string& before, const std::string& after) {
    const unsigned from = offset(s->getBeginLoc()), to = end(s);
    const int size = static_cast<int>(to - from);
    const int serial = static_cast<int>(edits_.size() % 1000);  // outer places of one range come first
    edits_.push_back({from, 100000000 - size * 10, 0, before});
    edits_.push_back({to, -100000000 + size * 1000 - serial, 0, after});
  }

  ASTContext& c_;
  const SourceManager& sm_;
  std::vector<Edit> edits_;
  std::vector<std::string> sites_;
};

class Consumer : public ASTConsumer {
 public:
  void HandleTranslationUnit(ASTContext& c) override {
    Visitor v(c);
    v.TraverseDecl(c.getTranslationUnitDecl());
    v.write("plant.h");
  }
};

class Action : public ASTFrontendAction {
 public:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance&, StringRef) override {
    return std::make_unique<Consumer>();
  }
};

}  // namespace

int main(int argc, const char** argv) {
  if (argc < 6) return 2;
  next_number = static_cast<unsigned>(std::atoi(argv[1]));
  output = argv[2];
  sites = argv[3];
  const std::string file = argv[4];
  if (const char* lines = std::getenv("FENCEPOST_PLANT_SKIP"); lines != nullptr) {
    std::istringstream in(lines);
    for (unsigned line = 0; in >> line;) skipped.insert(line);
  }
  std::vector<std::string> arguments(argv + 6, argv + argc);
  clang::tooling::FixedCompilationDatabase database(".", arguments);
  clang::tooling::ClangTool tool(database, {file});
  tool.appendArgumentsAdjuster(clang::tooling::getClangSyntaxOnlyAdjuster());
  return tool.run(clang::tooling::newFrontendActionFactory<Action>().get());
}
