#include "uses.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "clang.hpp"
#include "exceptions.hpp"

namespace thalweg::spar {
namespace {

/// What happens to the value of an expression.
/// passed: changed by a function that gets it by reference, whose body is not seen.
enum class fate { read, changed, passed, maybe_changed };

/// Notes how each variable is used in a statement.
class user {
 public:
  user(const places& where, const std::vector<stage>* without) : where_(where), without_(without) {}

  void visit(const clang::Stmt* s, fate f = fate::read) {
    if (s == nullptr || is_stage(s)) return;
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(s)) return note(name->getDecl(), name, f);
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(s)) return visit_member(member, f);
    if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(s))
      return visit(cast->getSubExpr(), through(cast, f));
    if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(s)) return visit_binary(op, f);
    if (const auto* op = llvm::dyn_cast<clang::UnaryOperator>(s)) return visit_unary(op, f);
    if (const auto* at = llvm::dyn_cast<clang::ArraySubscriptExpr>(s)) return visit_subscript(at, f);
    if (const auto* either = llvm::dyn_cast<clang::ConditionalOperator>(s)) {
      visit(either->getCond());
      visit(either->getTrueExpr(), f);
      return visit(either->getFalseExpr(), f);
    }
    if (llvm::isa<clang::ParenExpr, clang::ExprWithCleanups, clang::MaterializeTemporaryExpr,
                  clang::CXXBindTemporaryExpr, clang::SubstNonTypeTemplateParmExpr>(s)) {
      for (const clang::Stmt* child : s->children()) visit(child, f);
      return;
    }
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(s)) return visit_call(call, f);
    if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(s)) {
      return arguments(made->getConstructor(), made->getArgs(), made->getNumArgs());
    }
    if (const auto* made = llvm::dyn_cast<clang::CXXUnresolvedConstructExpr>(s)) {
      for (const clang::Stmt* child : made->children()) visit(child, fate::maybe_changed);
      return;
    }
    if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(s)) {
      for (const auto& capture : lambda->captures()) {
        if (lambda->isInitCapture(&capture))
          visit(llvm::cast<clang::VarDecl>(capture.getCapturedVar())->getInit());
      }
      return visit(lambda->getBody());
    }
    if (const auto* d = llvm::dyn_cast<clang::DeclStmt>(s)) {
      for (const clang::Decl* one : d->decls()) {
        if (const auto* v = llvm::dyn_cast<clang::VarDecl>(one)) visit(v->getInit(), bound_to(v));
      }
      return;
    }
    if (const auto* range = llvm::dyn_cast<clang::CXXForRangeStmt>(s)) {
      visit(range->getInit());
      visit(range->getRangeInit(), bound_to(range->getLoopVariable()));
      return visit(range->getBody());
    }
    for (const clang::Stmt* child : s->children()) visit(child);
  }

  /// Without those that are declared in this part of the text.
  [[nodiscard]] std::vector<use> uses(extent part) const {
    std::vector<use> outer;
    for (const use& u : uses_) {
      const auto at = u.declared->getLocation();
      if (!where_.in_main(at) || !part.holds(where_.offset(at))) outer.push_back(u);
    }
    return outer;
  }
  [[nodiscard]] const std::vector<use>& all() const { return uses_; }

 private:
  [[nodiscard]] bool is_stage(const clang::Stmt* s) const {
    return without_ != nullptr &&
           std::ranges::any_of(*without_, [&](const stage& one) { return one.body == s; });
  }

  static fate bound_to(const clang::VarDecl* v) {
    const clang::QualType type = v->getType();
    return type->isReferenceType() && !type.getNonReferenceType().isConstQualified() ? fate::maybe_changed
                                                                                     : fate::read;
  }

  static fate through(const clang::CastExpr* cast, fate f) {
    if (cast->getCastKind() == clang::CK_LValueToRValue) return fate::read;
    if (cast->getCastKind() == clang::CK_ArrayToPointerDecay) {
      // What gets the address of an array may write into it; an index keeps what it has said.
      const bool constant = cast->getType()->getPointeeType().isConstQualified();
      return constant || f != fate::read ? f : fate::maybe_changed;
    }
    return f;
  }

  void note(const clang::ValueDecl* d, const clang::Expr* where, fate f) {
    if (!llvm::isa<clang::VarDecl, clang::FieldDecl, clang::BindingDecl>(d)) return;
    const auto known = std::ranges::find(uses_, d, &use::declared);
    use& u = known != uses_.end() ? *known : uses_.emplace_back(use{.declared = d, .first = where});
    if (f == fate::read) u.reads = true;
    if (f == fate::changed || f == fate::passed) u.changes = true;
    if (f == fate::passed) u.passed = true;
    if (f == fate::maybe_changed) u.may_change = u.reads = true;
    if (f != fate::read && u.first_change == nullptr) u.first_change = where;
  }

  void visit_member(const clang::MemberExpr* m, fate f) {
    const clang::Expr* base = m->getBase();
    if (llvm::isa<clang::CXXThisExpr>(base->IgnoreImplicit()) ||
        llvm::isa<clang::VarDecl>(m->getMemberDecl())) {
      return note(m->getMemberDecl(), m, f);
    }
    visit(base, m->isArrow() ? fate::read : f);
  }

  void visit_binary(const clang::BinaryOperator* op, fate f) {
    if (op->isAssignmentOp()) {
      const bool unclear = op->getLHS()->isTypeDependent();
      if (op->isCompoundAssignmentOp()) visit(op->getLHS(), fate::read);
      visit(op->getLHS(), unclear && !plain(op->getLHS()) ? fate::maybe_changed : fate::changed);
      return visit(op->getRHS());
    }
    visit(op->getLHS());
    visit(op->getRHS(), op->getOpcode() == clang::BO_Comma ? f : fate::read);
  }
  static bool plain(const clang::Expr* e) { return llvm::isa<clang::DeclRefExpr>(e->IgnoreParenImpCasts()); }

  void visit_unary(const clang::UnaryOperator* op, fate f) {
    if (op->isIncrementDecrementOp()) {
      visit(op->getSubExpr());
      return visit(op->getSubExpr(), fate::changed);
    }
    if (op->getOpcode() == clang::UO_AddrOf) {
      const bool constant = op->getSubExpr()->getType().isConstQualified();
      return visit(op->getSubExpr(), constant ? fate::read : fate::maybe_changed);
    }
    if (op->getOpcode() == clang::UO_Deref) return visit(op->getSubExpr());
    visit(op->getSubExpr(), f == fate::changed ? f : fate::read);
  }

  void visit_subscript(const clang::ArraySubscriptExpr* at, fate f) {
    const clang::Expr* base = at->getBase();
    const auto* decay = llvm::dyn_cast<clang::ImplicitCastExpr>(base);
    if (decay != nullptr && decay->getCastKind() == clang::CK_ArrayToPointerDecay) {
      visit(decay->getSubExpr(), f);
    } else {
      visit(base, base->isTypeDependent() ? f : fate::read);
    }
    visit(at->getIdx());
  }

  void visit_call(const clang::CallExpr* call, fate f) {
    const auto* callee = call->getDirectCallee();
    unsigned first = 0;
    if (const auto* op = llvm::dyn_cast<clang::CXXOperatorCallExpr>(call)) {
      const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(callee);
      if (callee == nullptr) return visit_unknown_operator(op);
      if (method != nullptr && !method->isStatic()) {
        visit(call->getArg(0), object(method, op->isAssignmentOp(), f));
        if (op->isAssignmentOp() && op->getOperator() != clang::OO_Equal) visit(call->getArg(0));
        first = 1;
      }
    } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(call->getCallee()->IgnoreParens())) {
      const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(member->getMemberDecl());
      visit(member->getBase(),
            method == nullptr || member->isArrow() ? fate::read : object(method, false, f));
    } else if (const auto* unknown = llvm::dyn_cast<clang::CXXDependentScopeMemberExpr>(call->getCallee());
               unknown != nullptr && !unknown->isImplicitAccess()) {
      visit(unknown->getBase(), unknown->isArrow() ? fate::read : fate::maybe_changed);
    } else {
      visit(call->getCallee());
    }
    arguments(callee, call->getArgs() + first, call->getNumArgs() - first);
  }

  // An operator that depends on a template: what built-in types would do.
  void visit_unknown_operator(const clang::CXXOperatorCallExpr* op) {
    const bool assigns = op->isAssignmentOp() || op->getOperator() == clang::OO_PlusPlus ||
                         op->getOperator() == clang::OO_MinusMinus;
    for (unsigned i = 0; i < op->getNumArgs(); ++i) {
      visit(op->getArg(i), i == 0 && assigns ? fate::changed : fate::read);
    }
  }

  /// What happens to the object of a call whose result has this fate.
  static fate object(const clang::CXXMethodDecl* method, bool assigns, fate result) {
    if (method->isConst() || method->isStatic()) return fate::read;
    if (assigns) return fate::changed;
    // v[i], v.at(i), v.front(): a part, which is only read if the result is.
    if (method->getReturnType()->isReferenceType()) return reads_alone(method) ? result : fate::changed;
    if (method->getReturnType()->isPointerType() || reads_alone(method)) return fate::maybe_changed;
    return fate::changed;
  }
  static bool reads_alone(const clang::CXXMethodDecl* method) {
    if (method->getOverloadedOperator() == clang::OO_Subscript ||
        method->getOverloadedOperator() == clang::OO_Star ||
        method->getOverloadedOperator() == clang::OO_Arrow) {
      return true;
    }
    constexpr std::array names{"at",  "front",  "back", "top",  "begin",
                               "end", "rbegin", "rend", "data", "value"};
    return method->getDeclName().isIdentifier() && std::ranges::find(names, method->getName()) != names.end();
  }

  void arguments(const clang::FunctionDecl* callee, const clang::Expr* const* args, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      fate f = fate::read;
      if (callee == nullptr) {
        f = args[i]->isTypeDependent() || args[i]->isLValue() ? fate::maybe_changed : fate::read;
      } else if (i < callee->getNumParams()) {
        const clang::QualType type = callee->getParamDecl(i)->getType();
        if (type->isLValueReferenceType() && !type.getNonReferenceType().isConstQualified())
          f = callee->hasBody() ? fate::changed : fate::passed;
        if (type->isRValueReferenceType()) f = fate::changed;
      }
      visit(args[i], f);
    }
  }

  const places& where_;
  const std::vector<stage>* without_;
  std::vector<use> uses_;
};

const use* find(const std::vector<use>& uses, const variable& v) {
  const auto found = std::ranges::find(uses, v.declared, &use::declared);
  return found == uses.end() ? nullptr : &*found;
}
bool changes(const std::vector<use>& uses, const variable& v) {
  const use* u = find(uses, v);
  return u != nullptr && (u->changes || u->may_change);
}

/// All names of a variable in a function.
void each_name(const clang::Stmt* s, const clang::ValueDecl* v,
               const std::function<void(const clang::Expr*)>& found) {
  if (s == nullptr) return;
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(s); name != nullptr && name->getDecl() == v)
    found(name);
  if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(s))
    return each_name(lambda->getBody(), v, found);
  for (const clang::Stmt* child : s->children()) each_name(child, v, found);
}

/// Whether somebody may hold its address.
bool escapes(const clang::FunctionDecl* f, const variable& v, const places& where) {
  user all(where, nullptr);
  all.visit(f->getBody());
  const use* u = find(all.all(), v);
  return u != nullptr && u->may_change;
}

/// Decides how the variables of one stream are kept.
class keeper {
 public:
  keeper(stream& s, const places& where, const std::vector<use>& source)
      : s_(s), where_(where), source_(source) {}

  void decide() {
    for (const auto& v : s_.variables) {
      if (v->inside) {
        v->dies = v->dies && !used_behind_first_stage(*v);
      } else {
        decide_outer(*v);
      }
      if (goes_on(*v)) v->declaration.clear();
    }
    fill_items();
  }

 private:
  [[nodiscard]] bool local(const variable& v) const {
    return llvm::isa<clang::BindingDecl>(v.declared) ||
           (llvm::isa<clang::VarDecl>(v.declared) &&
            llvm::cast<clang::VarDecl>(v.declared)->hasLocalStorage() &&
            v.declared->getDeclContext() == s_.function);
  }

  /// Whether a stage gives a variable on that it gives to a function, which may read the value that the
  /// variable has before the stage: then that value travels.
  [[nodiscard]] bool goes_on(const variable& v) const {
    bool has_value = changes(source_, v);
    for (const stage& one : s_.stages) {
      if (!contains(one.outputs, &v)) continue;
      const use* u = find(one.uses, v);
      if (has_value && u != nullptr && u->passed) return true;
      has_value = true;
    }
    return false;
  }

  void decide_outer(variable& v) {
    std::vector<int> outputs;
    bool changed = changes(s_.source_uses, v);
    for (std::size_t k = 0; k < s_.stages.size(); ++k) {
      const stage& one = s_.stages[k];
      if (contains(one.outputs, &v)) outputs.push_back(static_cast<int>(k));
      changed = changed || changes(one.uses, v);
    }
    const bool escaped = v.constant || v.reference ? false : !local(v) || escapes(s_.function, v, where_);
    v.shared = v.reference || v.constant || (outputs.empty() && !changed && !escaped);
    if (v.shared || outputs.empty()) return;
    const auto first = static_cast<std::size_t>(outputs.front());
    if (outputs.size() == 1 && !s_.stages[first].replicated && !changes(s_.source_uses, v)) {
      v.owner = outputs.front();
      return;
    }
    v.read_after = read_after(v);
    if (!v.read_after) return;
    int holder = outputs.back();
    while (holder < static_cast<int>(s_.stages.size()) &&
           s_.stages[static_cast<std::size_t>(holder)].replicated) {
      ++holder;
    }
    v.last_holder = holder;
    last_output_[&v] = outputs.back();
  }

  [[nodiscard]] bool used_behind_first_stage(const variable& v) const {
    bool used = false;
    each_name(s_.body, v.declared, [&](const clang::Expr* e) {
      const auto at = where_.offset(e->getBeginLoc());
      const bool in_stage =
          std::ranges::any_of(s_.stages, [&](const stage& one) { return one.text.holds(at); });
      used = used || (!in_stage && at > s_.stages.front().text.begin);
    });
    return used;
  }

  [[nodiscard]] bool read_after(const variable& v) const {
    if (!local(v)) return true;
    bool read = false;
    each_name(s_.function->getBody(), v.declared, [&](const clang::Expr* e) {
      const auto at = where_.offset(e->getBeginLoc());
      read = read || at >= s_.text.end;
    });
    return read || in_outer_loop(s_.function->getBody(), where_.offset(v.declared->getLocation()));
  }

  /// Whether a loop that does not declare the variable is around the stream.
  [[nodiscard]] bool in_outer_loop(const clang::Stmt* s, std::size_t declared) const {
    if (s == nullptr || s == s_.body) return false;
    const extent e = where_.of(s->getSourceRange());
    if (!e.holds(s_.text.begin)) return false;
    const bool loop = llvm::isa<clang::ForStmt, clang::CXXForRangeStmt, clang::WhileStmt, clang::DoStmt>(s);
    if (loop && !e.holds(declared)) return true;
    return std::ranges::any_of(s->children(),
                               [&](const clang::Stmt* c) { return in_outer_loop(c, declared); });
  }

  // From the last stage backwards: an item holds what its stage and all later ones need.
  void fill_items() {
    std::vector<variable*> need;
    const auto travels = [](const variable* v) { return !v->shared; };
    const auto add = [&](variable* v) {
      if (travels(v) && !contains(need, v)) need.push_back(v);
    };
    for (int k = static_cast<int>(s_.stages.size()) - 1; k >= 0; --k) {
      stage& one = s_.stages[static_cast<std::size_t>(k)];
      for (const auto& [v, last] : last_output_) {
        if (last <= k && k < v->last_holder) add(v);
      }
      one.after = need;
      std::erase_if(need, [&](variable* v) { return v->owner == k || contains(one.outputs, v); });
      for (variable* v : one.inputs) {
        if (v->owner != k) add(v);
      }
      for (variable* v : one.outputs) {
        if (v->owner != k && v->declaration.empty()) add(v);
      }
      for (const auto& [v, last] : last_output_) {
        if (last < k && k <= v->last_holder) add(v);
      }
      // In the order of their declaration, so that equal items have equal types.
      std::ranges::sort(need, {}, [&](const variable* v) { return order(v); });
      one.before = need;
    }
    for (stage& one : s_.stages)
      std::ranges::sort(one.after, {}, [&](const variable* v) { return order(v); });
  }
  [[nodiscard]] std::size_t order(const variable* v) const {
    return static_cast<std::size_t>(
        std::ranges::find(s_.variables, v, [](const auto& p) { return p.get(); }) - s_.variables.begin());
  }

  stream& s_;
  const places& where_;
  const std::vector<use>& source_;  ///< what the source does, also with its own variables
  std::map<variable*, int> last_output_;
};

}  // namespace

void find_uses(stream& s, const places& where) {
  user source(where, &s.stages);
  source.visit(s.body);
  s.source_uses = source.uses(s.text);
  for (stage& one : s.stages) {
    user in(where, nullptr);
    in.visit(one.body);
    one.uses = in.uses(one.text);
    one.may_throw = may_throw(one.body);
  }
  if (!s.stages.empty()) keeper(s, where, source.all()).decide();
  for (stream& inner : s.nested) find_uses(inner, where);
}

}  // namespace thalweg::spar
