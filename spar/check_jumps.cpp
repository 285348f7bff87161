// Jumps: a stage works on an item while the source is far ahead, so nothing in it can end the loop.
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include "checks.hpp"

namespace thalweg::spar {
namespace {

using namespace clang;

class jumps {
 public:
  jumps(const stream& s, ASTContext& context, report& to) : s_(s), context_(context), to_(to) {}

  void check() { visit(s_.body, {}); }

 private:
  /// What is around a statement, inside the stream.
  struct around {
    int stage = -1;                          ///< -1: the source
    bool breaks = false, continues = false;  ///< a loop or a switch of the same part is around it
    bool loop = false;                       ///< of the stream, whichever part it belongs to
    std::vector<const CXXTryStmt*> tries = {};
  };

  [[nodiscard]] int stage_of(const Stmt* what) const {
    for (std::size_t i = 0; i < s_.stages.size(); ++i) {
      if (s_.stages[i].body == what) return static_cast<int>(i);
    }
    return -1;
  }

  [[nodiscard]] static std::string part(const around& in) {
    return in.stage < 0 ? "the stream" : stage_name(static_cast<std::size_t>(in.stage));
  }

  [[nodiscard]] int stage_at(SourceLocation where) const {
    const auto offset =
        context_.getSourceManager().getFileOffset(context_.getSourceManager().getExpansionLoc(where));
    for (std::size_t i = 0; i < s_.stages.size(); ++i) {
      if (s_.stages[i].text.begin <= offset && offset < s_.stages[i].text.end) return static_cast<int>(i);
    }
    return s_.text.begin <= offset && offset < s_.text.end ? -1 : -2;
  }

  void leaves(const Stmt* what, const around& in, const std::string& word) {
    to_.error(what->getBeginLoc(), "'" + word + "' leaves " + part(in));
    if (in.stage < 0) {
      to_.note(what->getBeginLoc(), word == "return" ? "end the stream with 'break', and return behind it"
                                                     : "only 'break' of the loop ends a stream");
    } else if (word == "break") {
      to_.note(what->getBeginLoc(),
               "the source is ahead of the stages: let it end the stream; 'continue' leaves out the rest of "
               "an item");
    } else {
      to_.note(what->getBeginLoc(),
               "other items are in the stream at the same time: keep the result in an Output, and use it "
               "behind the "
               "stream");
    }
  }

  [[nodiscard]] bool caught(const CXXThrowExpr* thrown, const around& in) const {
    for (const auto* attempt : in.tries) {
      for (unsigned i = 0; i < attempt->getNumHandlers(); ++i) {
        const auto type = attempt->getHandler(i)->getCaughtType();
        if (type.isNull() || thrown->getSubExpr() == nullptr) return true;
        const auto handler = type.getNonReferenceType().getUnqualifiedType();
        const auto given = thrown->getSubExpr()->getType().getNonReferenceType().getUnqualifiedType();
        if (context_.hasSameType(handler, given)) return true;
        const auto* base = handler->getAsCXXRecordDecl();
        const auto* derived = given->getAsCXXRecordDecl();
        if (base != nullptr && derived != nullptr && derived->hasDefinition() &&
            derived->isDerivedFrom(base)) {
          return true;
        }
        if (given->isDependentType() || handler->isDependentType()) return true;
      }
    }
    return false;
  }

  void jump(const Stmt* what, const around& in) {
    if (isa<ReturnStmt>(what)) return leaves(what, in, "return");
    if (isa<CoreturnStmt>(what) || isa<CoawaitExpr>(what) || isa<CoyieldExpr>(what)) {
      to_.error(what->getBeginLoc(),
                "a coroutine cannot wait inside a stream: its parts are functions of their own");
      return;
    }
    if (isa<BreakStmt>(what) && !in.breaks && (in.stage >= 0 || !in.loop)) return leaves(what, in, "break");
    if (isa<ContinueStmt>(what) && !in.continues && !in.loop) return leaves(what, in, "continue");
    if (const auto* go = dyn_cast<GotoStmt>(what)) {
      if (stage_at(go->getLabel()->getStmt()->getBeginLoc()) != in.stage) leaves(what, in, "goto");
      return;
    }
    if (isa<IndirectGotoStmt>(what)) return leaves(what, in, "goto");
    if (const auto* thrown = dyn_cast<CXXThrowExpr>(what); thrown != nullptr && !caught(thrown, in)) {
      to_.warning(thrown->getBeginLoc(),
                  "this exception leaves " + part(in) + (in.stage < 0 ? "" : ", and ends the stream"));
      to_.note(thrown->getBeginLoc(),
               std::string("it comes when all items before it are done, as from the loop") +
                   (in.stage < 0 ? "" : "; stages up to this one may have worked on items behind it") +
                   "; catch it in the same statement if the stream is to go on");
    }
  }

  void visit(const Stmt* what, around in) {
    if (what == nullptr || isa<LambdaExpr>(what)) return;
    if (const int number = stage_of(what); number >= 0) in = {number, false, false, in.loop, {}};
    jump(what, in);
    if (isa<ForStmt>(what) || isa<WhileStmt>(what) || isa<DoStmt>(what) || isa<CXXForRangeStmt>(what)) {
      in.breaks = in.continues = in.loop = true;
    }
    if (isa<SwitchStmt>(what)) in.breaks = true;
    if (const auto* attempt = dyn_cast<CXXTryStmt>(what)) {
      auto inner = in;
      inner.tries.push_back(attempt);
      visit(attempt->getTryBlock(), inner);
      for (unsigned i = 0; i < attempt->getNumHandlers(); ++i) visit(attempt->getHandler(i), in);
      return;
    }
    for (const auto* child : what->children()) visit(child, in);
  }

  const stream& s_;
  ASTContext& context_;
  report& to_;
};

}  // namespace

void check_jumps(const stream& s, clang::ASTContext& context, report& to) {
  jumps(s, context, to).check();
}

}  // namespace thalweg::spar
