#include "exceptions.hpp"

#include <algorithm>
#include <set>

#include "clang.hpp"

namespace thalweg::spar {
namespace {

class throwing {
 public:
  bool visit(const clang::Stmt* s) {
    if (s == nullptr) return false;
    if (llvm::isa<clang::CXXThrowExpr, clang::CXXNewExpr, clang::CXXDynamicCastExpr, clang::CXXTypeidExpr>(s))
      return true;
    if (const auto* e = llvm::dyn_cast<clang::Expr>(s); e != nullptr && e->isTypeDependent()) return true;
    if (const auto* attempt = llvm::dyn_cast<clang::CXXTryStmt>(s)) return visit_try(attempt);
    if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(s)) {
      return std::ranges::any_of(lambda->capture_inits(), [&](const clang::Expr* e) { return visit(e); });
    }
    if (const auto* filled = llvm::dyn_cast<clang::CXXDefaultArgExpr>(s)) return visit(filled->getExpr());
    if (const auto* filled = llvm::dyn_cast<clang::CXXDefaultInitExpr>(s)) return visit(filled->getExpr());
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(s);
        call != nullptr && leaves(call->getDirectCallee()))
      return true;
    if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(s);
        made != nullptr && leaves(made->getConstructor())) {
      return true;
    }
    if (const auto* declares = llvm::dyn_cast<clang::DeclStmt>(s)) {
      const auto unknown = [](const clang::Decl* d) {
        const auto* v = llvm::dyn_cast<clang::VarDecl>(d);
        return v != nullptr && v->getType()->isDependentType();
      };
      if (std::ranges::any_of(declares->decls(), unknown)) return true;
    }
    return std::ranges::any_of(s->children(), [&](const clang::Stmt* child) { return visit(child); });
  }

 private:
  bool visit_try(const clang::CXXTryStmt* attempt) {
    bool all = false;  // caught
    for (unsigned i = 0; i < attempt->getNumHandlers(); ++i) {
      const clang::CXXCatchStmt* handler = attempt->getHandler(i);
      if (visit(handler->getHandlerBlock())) return true;
      all = all || handler->getExceptionDecl() == nullptr;
    }
    return !all && visit(attempt->getTryBlock());
  }

  /// Whether an exception may leave a function.
  bool leaves(const clang::FunctionDecl* called) {
    if (called == nullptr) return true;
    const auto* type = called->getType()->getAs<clang::FunctionProtoType>();
    const bool known = type != nullptr && !clang::isUnresolvedExceptionSpec(type->getExceptionSpecType());
    if (known && type->canThrow() == clang::CT_Cannot) return false;
    if (called->isTrivial() || called->hasAttr<clang::NoThrowAttr>()) return false;
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(called);
    if (method != nullptr && method->isVirtual()) return true;
    const clang::FunctionDecl* defined = nullptr;
    if (!called->hasBody(defined) || defined->willHaveBody()) return true;
    if (!seen_.insert(defined).second) return false;  // decided where it was met first
    if (const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(defined)) {
      for (const clang::CXXCtorInitializer* one : constructor->inits()) {
        if (visit(one->getInit())) return true;
      }
    }
    const clang::Stmt* body = defined->getBody();
    return body == nullptr || visit(body);
  }

  std::set<const clang::FunctionDecl*> seen_;
};

}  // namespace

bool may_throw(const clang::Stmt* statement) {
  return throwing().visit(statement);
}

}  // namespace thalweg::spar
