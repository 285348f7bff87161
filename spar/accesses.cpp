// A walk over statements in the order in which they run. It knows what is meant to happen to each expression
// (its intent), and goes down to the variables with that.
#include "accesses.hpp"

#include <algorithm>
#include <optional>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include "library.hpp"

namespace thalweg::spar {
namespace {

using namespace clang;

/// What happens to the object that an expression names.
struct intent {
  bool reads = false, changes = false;
  reach part = reach::whole;
  bool assigns = false;
  bool by_call = false;
  bool moves = false;
  const Expr* index = nullptr;
  const FunctionDecl* callee = nullptr;

  [[nodiscard]] intent of(reach other, const Expr* at = nullptr) const {
    auto result = *this;
    if (part != reach::target) result.part = other;
    result.assigns = false;
    if (at != nullptr) result.index = at;
    return result;
  }
};

constexpr intent reading{.reads = true};

bool constant(QualType type) {
  return type.getNonReferenceType().isConstQualified();
}

/// `T&&` of a template, which an lvalue may be bound to.
bool forwards(const FunctionDecl* function, unsigned number) {
  const auto* made_from = function->getPrimaryTemplate();
  if (made_from == nullptr) return false;
  const auto* pattern = made_from->getTemplatedDecl();
  if (pattern->getNumParams() == 0) return false;
  const auto* parameter = pattern->getParamDecl(std::min(number, pattern->getNumParams() - 1));
  auto type = parameter->getType();
  if (const auto* pack = type->getAs<PackExpansionType>()) type = pack->getPattern();
  const auto* reference = type->getAs<RValueReferenceType>();
  return reference != nullptr && reference->getPointeeType()->isTemplateTypeParmType();
}

class access_walker {
 public:
  access_walker(effects_reader& reader, const std::set<const Stmt*>& skipped, bool inner, effects& result)
      : reader_(reader), skipped_(skipped), inner_(inner), result_(result) {}

  void statement(const Stmt* what);
  [[nodiscard]] const std::set<const ValueDecl*>& assigned() const { return assigned_; }

 private:
  void expression(const Expr* what, intent happens);
  void target(const Expr* what, intent happens);
  void name(const DeclRefExpr* what, intent happens);
  void field(const MemberExpr* what, intent happens);
  void call_of(const CallExpr* what, intent happens);
  void operator_of(const CXXOperatorCallExpr* what, intent happens);
  void arguments(const FunctionDecl* callee, const std::vector<const Expr*>& given);
  void argument(const FunctionDecl* callee, unsigned number, const Expr* given);
  void algorithm(const FunctionDecl* callee, changed_part part, const std::vector<const Expr*>& given);
  void body_of(const FunctionDecl* callee, const Expr* object, const Expr* where);
  void lambda(const LambdaExpr* what);
  void declare(const VarDecl* what);
  void loop(const Stmt* what);
  void range_loop(const CXXForRangeStmt* what);
  void maybe(const Stmt* what) {
    between([&] { statement(what); });
  }
  void record(const ValueDecl* variable, const Expr* where, intent happens);

  /// Something that may not run: what it assigns does not count afterwards.
  template <class Walk> void between(Walk walk) {
    auto before = assigned_;
    const bool ended = ended_;
    walk();
    assigned_ = std::move(before);
    ended_ = ended;
  }

  [[nodiscard]] bool own(const ValueDecl* variable) const { return result_.declared.count(variable) > 0; }

  struct alias {
    const Expr* made_of;
    enum { same, element, target } is;
  };

  effects_reader& reader_;
  const std::set<const Stmt*>& skipped_;
  const bool inner_;
  effects& result_;
  std::set<const ValueDecl*> assigned_;
  std::vector<const ValueDecl*> guards_;
  std::map<const ValueDecl*, alias> aliases_;
  std::set<const ValueDecl*> following_;  ///< aliases, against circles
  bool ended_ = false;  ///< by `break`, `return`, …: what comes next is not reached from here
};

const ValueDecl* mutex_of(const Expr* what) {
  what = what->IgnoreParenImpCasts();
  if (const auto* named = dyn_cast<DeclRefExpr>(what)) return bound_to(named->getDecl());
  if (const auto* member = dyn_cast<MemberExpr>(what)) return member->getMemberDecl();
  if (const auto* unary = dyn_cast<UnaryOperator>(what)) return mutex_of(unary->getSubExpr());
  if (const auto* element = dyn_cast<ArraySubscriptExpr>(what)) return mutex_of(element->getBase());
  if (const auto* call = dyn_cast<CXXOperatorCallExpr>(what)) return mutex_of(call->getArg(0));
  return nullptr;
}

void access_walker::record(const ValueDecl* variable, const Expr* where, intent happens) {
  variable = bound_to(variable);
  if ((own(variable) && !inner_) || (!happens.reads && !happens.changes)) return;
  access made;
  made.variable = variable;
  made.where = where;
  made.reads = happens.reads;
  made.changes = happens.changes;
  made.part = happens.part;
  made.assigns = happens.assigns && happens.part == reach::whole;
  made.by_call = happens.by_call;
  made.moves = happens.moves;
  made.index = happens.index;
  made.callee = happens.callee;
  made.exposed = !ended_ && happens.reads && assigned_.count(variable) == 0;
  made.guards = guards_;
  result_.accesses.push_back(std::move(made));
  // A function that gets all of a variable may give it a new value: that it reads the old one is not known.
  if (happens.changes && happens.part == reach::whole && (happens.assigns || happens.by_call)) {
    assigned_.insert(variable);
  }
}

void access_walker::name(const DeclRefExpr* what, intent happens) {
  const auto* variable = what->getDecl();
  if (!isa<VarDecl>(variable) && !isa<BindingDecl>(variable)) return;
  if (const auto* constant_ = dyn_cast<VarDecl>(variable); constant_ != nullptr && constant_->isConstexpr())
    return;
  const auto found = aliases_.find(variable);
  if (found != aliases_.end()) {
    if (!following_.insert(variable).second) return;
    const auto& [made_of, is] = found->second;
    if (is == alias::same) expression(made_of, happens);
    if (is == alias::element) expression(made_of, happens.of(reach::element));
    if (is == alias::target && happens.part == reach::target) target(made_of, happens);
    following_.erase(variable);
    return;
  }
  record(variable, what, happens);
}

void access_walker::field(const MemberExpr* what, intent happens) {
  const auto* base = what->getBase()->IgnoreParenImpCasts();
  if (isa<CXXThisExpr>(base)) {
    if (isa<FieldDecl>(what->getMemberDecl())) record(what->getMemberDecl(), what, happens);
    return;
  }
  if (const auto* variable = dyn_cast<VarDecl>(what->getMemberDecl())) return record(variable, what, happens);
  if (what->isArrow()) return target(what->getBase(), happens);
  expression(what->getBase(), happens.of(happens.part == reach::whole ? reach::whole : happens.part));
}

/// `happens` to what a pointer or an iterator points to.
void access_walker::target(const Expr* what, intent happens) {
  what = what->IgnoreParens();
  if (const auto* cast = dyn_cast<CastExpr>(what)) {
    if (cast->getCastKind() == CK_ArrayToPointerDecay)
      return expression(cast->getSubExpr(), happens.of(reach::element));
    return target(cast->getSubExpr(), happens);
  }
  if (const auto* full = dyn_cast<FullExpr>(what)) return target(full->getSubExpr(), happens);
  if (const auto* temporary = dyn_cast<MaterializeTemporaryExpr>(what))
    return target(temporary->getSubExpr(), happens);
  if (const auto* bound = dyn_cast<CXXBindTemporaryExpr>(what)) return target(bound->getSubExpr(), happens);
  if (const auto* unary = dyn_cast<UnaryOperator>(what)) {
    if (unary->getOpcode() == UO_AddrOf) return expression(unary->getSubExpr(), happens);
    if (unary->isIncrementDecrementOp()) {
      expression(unary, reading);
      return target(unary->getSubExpr(), happens);
    }
  }
  if (const auto* binary = dyn_cast<BinaryOperator>(what); binary != nullptr && binary->isAdditiveOp()) {
    const bool left = points(binary->getLHS()->getType());
    target(left ? binary->getLHS() : binary->getRHS(), happens);
    return expression(left ? binary->getRHS() : binary->getLHS(), reading);
  }
  if (const auto* chosen = dyn_cast<ConditionalOperator>(what)) {
    expression(chosen->getCond(), reading);
    target(chosen->getTrueExpr(), happens);
    return target(chosen->getFalseExpr(), happens);
  }
  if (const auto* made = dyn_cast<CXXConstructExpr>(what); made != nullptr && made->getNumArgs() >= 1) {
    if (points(made->getType())) return target(made->getArg(0), happens);
  }
  if (const auto* called = dyn_cast<CallExpr>(what)) {
    const auto* callee = called->getDirectCallee();
    if (const auto* method = dyn_cast<CXXMemberCallExpr>(called)) {
      const auto* object = method->getImplicitObjectArgument();
      if (callee != nullptr && gives_access(callee)) {
        for (const auto* each : called->arguments()) expression(each, reading);
        return points(object->getType()) ? target(object, happens)
                                         : expression(object, happens.of(reach::element));
      }
    } else if (const auto* written = dyn_cast<CXXOperatorCallExpr>(called);
               written != nullptr && callee != nullptr) {
      const auto op = written->getOperator();
      if (op == OO_Plus || op == OO_Minus || op == OO_PlusPlus || op == OO_MinusMinus || op == OO_Arrow) {
        if (op == OO_PlusPlus || op == OO_MinusMinus) expression(written, reading);
        for (unsigned i = 1; i < written->getNumArgs(); ++i) expression(written->getArg(i), reading);
        return target(written->getArg(0), happens);
      }
    } else if (callee != nullptr && in_std(callee) && called->getNumArgs() == 1) {
      // `std::begin(v)`, `std::move(p)`, `std::back_inserter(v)`, `std::ref(x)`.
      const auto called_name = plain_name(callee);
      if (called_name == "ref" || called_name == "addressof" ||
          called_name.find("inserter") != std::string::npos) {
        return expression(called->getArg(0), happens);
      }
      return points(called->getArg(0)->getType()) ? target(called->getArg(0), happens)
                                                  : expression(called->getArg(0), happens.of(reach::element));
    }
    return expression(what, reading);
  }
  happens.part = reach::target;
  if (const auto* named = dyn_cast<DeclRefExpr>(what)) {
    name(named, reading);
    return name(named, happens);
  }
  if (const auto* member = dyn_cast<MemberExpr>(what)) return field(member, happens);
  if (isa<CXXThisExpr>(what)) return;
  if (const auto* element = dyn_cast<ArraySubscriptExpr>(what)) {
    expression(element->getIdx(), reading);
    return target(element->getBase(), happens);
  }
  expression(what, reading);
}

void access_walker::body_of(const FunctionDecl* callee, const Expr* object, const Expr* where) {
  const auto& does = reader_.of(callee);
  for (const auto& made : does.accesses) {
    if (isa<ParmVarDecl>(made.variable)) continue;
    const intent happens{.reads = made.reads,
                         .changes = made.changes,
                         .part = made.part,
                         .assigns = made.assigns,
                         .by_call = made.by_call,
                         .moves = made.moves,
                         .callee = made.callee};
    if (isa<FieldDecl>(made.variable)) {
      if (object == nullptr) continue;
      // A field of the object that the function is called on.
      if (isa<CXXThisExpr>(object->IgnoreParenImpCasts())) {
        record(made.variable, where, happens);
        result_.accesses.back().inside = callee;
      }
      continue;
    }
    const auto count = result_.accesses.size();
    auto guards = guards_;
    guards_.insert(guards_.end(), made.guards.begin(), made.guards.end());
    record(made.variable, where, happens);
    guards_ = std::move(guards);
    if (result_.accesses.size() > count) {
      result_.accesses.back().inside = callee;
      if (!made.exposed) result_.accesses.back().exposed = false;
    }
  }
  for (const auto& inner : does.calls) {
    if (inner.callee == nullptr || !inner.seen) result_.calls.push_back({inner.callee, where, inner.seen});
  }
}

/// What a function whose body is seen does with one of its parameters.
intent seen(const effects& does, const ParmVarDecl* parameter) {
  intent sum;
  bool first = true;
  for (const auto& made : does.accesses) {
    if (made.variable != parameter) continue;
    sum.reads = sum.reads || made.exposed || (made.reads && made.part != reach::whole);
    sum.changes = sum.changes || made.changes;
    sum.by_call = sum.by_call || made.by_call;
    if (first && made.changes) sum.callee = made.callee;
    first = false;
  }
  sum.assigns = does.assigned.count(parameter) > 0;
  if (sum.assigns) sum.by_call = false;
  return sum;
}

void access_walker::argument(const FunctionDecl* callee, unsigned number, const Expr* given) {
  if (callee == nullptr || number >= callee->getNumParams()) return expression(given, reading);
  const auto* defined = callee->getDefinition();
  const auto* parameter = (defined != nullptr ? defined : callee)->getParamDecl(number);
  const auto type = parameter->getType();
  intent unknown{.reads = true, .changes = true, .by_call = true, .callee = callee};
  const bool visible = !of_standard_library(callee) && callee->hasBody();
  if (type->isReferenceType() && !constant(type)) {
    const bool rvalue = type->isRValueReferenceType();
    if (visible) {
      auto happens = seen(reader_.of(callee), parameter);
      if (happens.callee == nullptr) happens.callee = callee;
      return expression(given, happens);
    }
    if (of_standard_library(callee) && (rvalue || forwards(callee, number)))
      return expression(given, reading);
    if (rvalue) return expression(given, {.reads = true, .changes = true, .moves = true, .callee = callee});
    // Streams and `getline` go on, and give their argument a new value.
    if (does_io(callee)) {
      if (number == 0) return expression(given, {.reads = true, .changes = true, .callee = callee});
      return expression(given, {.changes = true, .assigns = true, .callee = callee});
    }
    return expression(given, unknown);
  }
  if (points(type)) {
    const bool to_constant = type->isPointerType() && type->getPointeeType().isConstQualified();
    if (to_constant || type->isFunctionPointerType()) return expression(given, reading);
    if (visible) {
      intent sum;
      for (const auto& made : reader_.of(callee).accesses) {
        if (made.variable != parameter || made.part != reach::target) continue;
        sum.reads = sum.reads || made.reads;
        sum.changes = sum.changes || made.changes;
        sum.by_call = sum.by_call || made.by_call;
      }
      sum.callee = callee;
      if (sum.changes) return target(given, sum);
      return expression(given, reading);
    }
    if (type->isPointerType()) return target(given, unknown);
  }
  expression(given, reading);
}

void access_walker::algorithm(const FunctionDecl* callee, changed_part part,
                              const std::vector<const Expr*>& given) {
  std::optional<std::size_t> last;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (points(given[i]->getType())) last = i;
  }
  const intent changing{.reads = true, .changes = true, .callee = callee};
  for (std::size_t i = 0; i < given.size(); ++i) {
    const bool changed =
        part == all_arguments || (part == first_range && i == 0) || (part == last_iterator && last == i);
    if (!changed) {
      expression(given[i], reading);
    } else if (points(given[i]->getType())) {
      target(given[i], changing);
    } else {
      expression(given[i], changing);
    }
  }
}

void access_walker::arguments(const FunctionDecl* callee, const std::vector<const Expr*>& given) {
  if (callee != nullptr && of_standard_library(callee) && !isa<CXXMethodDecl>(callee)) {
    if (const auto part = changed_argument(plain_name(callee)); part != no_argument) {
      return algorithm(callee, part, given);
    }
  }
  for (unsigned i = 0; i < given.size(); ++i) argument(callee, i, given[i]);
}

void access_walker::operator_of(const CXXOperatorCallExpr* what, intent happens) {
  const auto op = what->getOperator();
  const auto* callee = what->getDirectCallee();
  const auto* object = what->getArg(0);
  std::vector<const Expr*> rest;
  for (unsigned i = 1; i < what->getNumArgs(); ++i) rest.push_back(what->getArg(i));
  result_.calls.push_back({callee, what, false});

  if (callee == nullptr) {  // In a template: as the built-in operator.
    if (op == OO_Equal) {
      for (const auto* each : rest) expression(each, reading);
      return expression(object, {.changes = true, .assigns = true});
    }
    const bool change = what->isAssignmentOp() || op == OO_PlusPlus || op == OO_MinusMinus;
    if (op == OO_Subscript) {
      for (const auto* each : rest) expression(each, reading);
      return expression(object, happens.of(reach::element, rest.empty() ? nullptr : rest[0]));
    }
    if (op == OO_Star || op == OO_Arrow) return target(object, happens);
    for (const auto* each : rest) expression(each, reading);
    return expression(object, {.reads = true, .changes = change});
  }
  const auto* method = dyn_cast<CXXMethodDecl>(callee);
  if (method == nullptr) {
    std::vector<const Expr*> all{object};
    all.insert(all.end(), rest.begin(), rest.end());
    result_.calls.back().seen = callee->hasBody();
    arguments(callee, all);
    if (!of_standard_library(callee) && callee->hasBody()) body_of(callee, nullptr, what);
    return;
  }
  if (op == OO_Call) {
    // A function object: `std::ranges::sort` is one, too.
    if (in_std(callee)) {
      if (const auto* named = dyn_cast<DeclRefExpr>(object->IgnoreParenImpCasts())) {
        const auto part = changed_argument(plain_name(named->getDecl()));
        if (part != no_argument) return algorithm(callee, part, rest);
      }
      for (const auto* each : rest) expression(each, reading);
      return expression(object, reading);
    }
  }
  if (op == OO_Equal) {
    for (unsigned i = 0; i < rest.size(); ++i) argument(callee, i, rest[i]);
    return expression(object, {.changes = true, .assigns = true, .callee = callee});
  }
  for (unsigned i = 0; i < rest.size(); ++i) argument(callee, i, rest[i]);
  if (in_std(callee) && (op == OO_Star || op == OO_Arrow)) {
    return points(object->getType()) ? target(object, happens)
                                     : expression(object, happens.of(reach::element));
  }
  if (op == OO_Subscript && in_std(callee)) {
    if (is_map(object->getType()) && !method->isConst()) {
      return expression(object, {.reads = true, .changes = true, .callee = callee});
    }
    const auto* index = rest.empty() ? nullptr : rest[0];
    return points(object->getType()) ? target(object, happens.of(reach::target, index))
                                     : expression(object, happens.of(reach::element, index));
  }
  if (method->isConst()) {
    expression(object, reading);
    if (!in_std(callee) && callee->hasBody()) body_of(callee, object, what);
    return;
  }
  if (!in_std(callee) && callee->hasBody()) {
    // A lambda, or an operator of a class that is seen.
    result_.calls.back().seen = true;
    intent sum;
    for (const auto& made : reader_.of(callee).accesses) {
      if (!isa<FieldDecl>(made.variable)) continue;
      sum.reads = sum.reads || made.reads;
      sum.changes = sum.changes || (made.changes && made.part == reach::whole) || made.part == reach::element;
    }
    sum.reads = true;
    sum.callee = callee;
    // `m(row, column)` of a class that is seen gives a part of it.
    const bool gives_part = callee->getReturnType()->isReferenceType() && !sum.changes;
    if (gives_part && (op == OO_Call || op == OO_Subscript)) {
      expression(object, happens.of(reach::element, rest.empty() ? nullptr : rest[0]));
    } else if (gives_part && (op == OO_Star || op == OO_Arrow)) {
      target(object, happens);
    } else {
      expression(object, sum);
    }
    return body_of(callee, object, what);
  }
  expression(object, {.reads = true, .changes = true, .by_call = !in_std(callee), .callee = callee});
}

void access_walker::call_of(const CallExpr* what, intent happens) {
  if (const auto* written = dyn_cast<CXXOperatorCallExpr>(what)) return operator_of(written, happens);
  const auto* callee = what->getDirectCallee();
  std::vector<const Expr*> given;
  for (const auto* each : what->arguments()) given.push_back(each);

  if (callee != nullptr && in_std(callee) && !isa<CXXMethodDecl>(callee) && given.size() == 1) {
    const auto called = plain_name(callee);
    if (called == "move" || called == "forward") {
      if (happens.changes || happens.assigns) return expression(given[0], happens);
      return expression(given[0], {.reads = true,
                                   .changes = !constant(given[0]->getType()) && called == "move",
                                   .moves = called == "move"});
    }
    if (called == "as_const" || called == "cref") return expression(given[0], reading);
    if (called == "get" || called == "ref") return expression(given[0], happens.of(reach::element));
  }

  result_.calls.push_back({callee, what, false});
  const bool visible = callee != nullptr && !of_standard_library(callee) && callee->hasBody();
  result_.calls.back().seen = visible;

  if (const auto* member = dyn_cast<CXXMemberCallExpr>(what)) {
    const auto* method = member->getMethodDecl();
    const auto* object = member->getImplicitObjectArgument();
    const auto* selected = dyn_cast<MemberExpr>(member->getCallee()->IgnoreParens());
    const bool arrow = selected != nullptr && selected->isArrow();
    for (unsigned i = 0; i < given.size(); ++i) argument(callee, i, given[i]);
    if (method == nullptr || object == nullptr) return;
    if (is_mutex(object->getType()) || (arrow && is_mutex(object->getType()->getPointeeType()))) {
      const auto* mutex = mutex_of(object);
      const auto called = plain_name(method);
      if (mutex != nullptr && !own(mutex)) {
        if (called == "lock" || called == "lock_shared") guards_.push_back(mutex);
        if (called == "unlock" || called == "unlock_shared") {
          if (const auto at = std::find(guards_.begin(), guards_.end(), mutex); at != guards_.end())
            guards_.erase(at);
        }
      }
      return;
    }
    const auto act = [&](intent does) { return arrow ? target(object, does) : expression(object, does); };
    if (only_reads(method) && !happens.changes) {
      return act(intent{.reads = true, .part = arrow ? reach::target : reach::element, .callee = method});
    }
    if (gives_access(method) && !method->isStatic()) {
      const auto* index = given.empty() ? nullptr : given[0];
      if (points(object->getType()) && !arrow) return target(object, happens);
      return act(happens.of(reach::element, plain_name(method) == "at" ? index : nullptr));
    }
    if (method->isConst()) {
      act({.reads = true, .callee = method});
    } else if (visible) {
      intent sum{.reads = true, .callee = method};
      for (const auto& made : reader_.of(callee).accesses) {
        if (isa<FieldDecl>(made.variable) && made.changes && !made_for_threads(made.variable) &&
            made.guards.empty()) {
          sum.changes = true;
        }
      }
      const bool gives_part = callee->getReturnType()->isReferenceType() && happens.changes;
      if (gives_part && !sum.changes) {
        act(happens.of(reach::element, given.empty() ? nullptr : given[0]));
      } else if (!isa<CXXThisExpr>(object->IgnoreParenImpCasts())) {
        act(sum);
      }
    } else {
      // `clear`, `assign`: all of it is new.
      const auto called = plain_name(method);
      const bool renews = in_std(method) && (called == "clear" || called == "assign" || called == "reset");
      act({.reads = !renews,
           .changes = true,
           .assigns = renews && !arrow,
           .by_call = !in_std(method),
           .callee = method});
    }
    if (visible) body_of(callee, object, what);
    return;
  }
  if (callee == nullptr) {
    // A function pointer, or a template that is not yet made: what it does with its arguments is not known.
    expression(what->getCallee(), reading);
    for (const auto* each : given) expression(each, reading);
    return;
  }
  arguments(callee, given);
  if (visible) body_of(callee, nullptr, what);
}

void access_walker::lambda(const LambdaExpr* what) {
  for (const auto& captured : what->captures()) {
    if (!captured.capturesVariable()) continue;
    if (what->isInitCapture(&captured)) {
      const auto* variable = cast<VarDecl>(captured.getCapturedVar());
      if (variable->hasInit() && !variable->getType()->isReferenceType())
        expression(variable->getInit(), reading);
      if (variable->hasInit() && variable->getType()->isReferenceType()) {
        aliases_[variable] = {variable->getInit(), alias::same};
      }
      result_.declared.insert(variable);
    }
  }
  for (const auto* parameter : what->getCallOperator()->parameters()) result_.declared.insert(parameter);
  maybe(what->getBody());
}

void access_walker::expression(const Expr* what, intent happens) {
  if (what == nullptr) return;
  what = what->IgnoreParens();
  if (const auto* named = dyn_cast<DeclRefExpr>(what)) return name(named, happens);
  if (const auto* member = dyn_cast<MemberExpr>(what)) return field(member, happens);
  if (const auto* cast = dyn_cast<CastExpr>(what)) {
    if (cast->getCastKind() == CK_LValueToRValue) return expression(cast->getSubExpr(), reading);
    if (cast->getCastKind() == CK_ArrayToPointerDecay)
      return expression(cast->getSubExpr(), happens.of(reach::element));
    return expression(cast->getSubExpr(), happens);
  }
  if (const auto* full = dyn_cast<FullExpr>(what)) return expression(full->getSubExpr(), happens);
  if (const auto* temporary = dyn_cast<MaterializeTemporaryExpr>(what)) {
    return expression(temporary->getSubExpr(), happens);
  }
  if (const auto* binary = dyn_cast<BinaryOperator>(what)) {
    if (binary->isAssignmentOp()) {
      expression(binary->getRHS(), reading);
      const bool plain = binary->getOpcode() == BO_Assign;
      expression(binary->getLHS(), {.reads = !plain, .changes = true, .assigns = plain});
      return;
    }
    expression(binary->getLHS(), reading);
    if (binary->isLogicalOp()) return between([&] { expression(binary->getRHS(), reading); });
    return expression(binary->getRHS(), reading);
  }
  if (const auto* unary = dyn_cast<UnaryOperator>(what)) {
    if (unary->isIncrementDecrementOp())
      return expression(unary->getSubExpr(), {.reads = true, .changes = true});
    if (unary->getOpcode() == UO_Deref) return target(unary->getSubExpr(), happens);
    return expression(unary->getSubExpr(), reading);
  }
  if (const auto* element = dyn_cast<ArraySubscriptExpr>(what)) {
    expression(element->getIdx(), reading);
    const auto* base = element->getBase()->IgnoreParenImpCasts();
    if (base->getType()->isArrayType())
      return expression(base, happens.of(reach::element, element->getIdx()));
    auto deeper = happens;
    deeper.index = element->getIdx();
    return target(element->getBase(), deeper);
  }
  if (const auto* called = dyn_cast<CallExpr>(what)) return call_of(called, happens);
  if (const auto* made = dyn_cast<CXXConstructExpr>(what)) {
    const auto* constructor = made->getConstructor();
    const bool copies = constructor->isCopyOrMoveConstructor();
    if (!copies && !of_standard_library(constructor)) {
      result_.calls.push_back({constructor, made, constructor->hasBody()});
    }
    for (unsigned i = 0; i < made->getNumArgs(); ++i) argument(constructor, i, made->getArg(i));
    if (!copies && !of_standard_library(constructor) && constructor->hasBody())
      body_of(constructor, nullptr, made);
    return;
  }
  if (const auto* chosen = dyn_cast<AbstractConditionalOperator>(what)) {
    expression(chosen->getCond(), reading);
    between([&] { expression(chosen->getTrueExpr(), happens); });
    return between([&] { expression(chosen->getFalseExpr(), happens); });
  }
  if (const auto* function = dyn_cast<LambdaExpr>(what)) return lambda(function);
  if (isa<CXXThrowExpr>(what)) {
    if (const auto* thrown = cast<CXXThrowExpr>(what)->getSubExpr()) expression(thrown, reading);
    ended_ = true;
    return;
  }
  if (isa<UnaryExprOrTypeTraitExpr>(what) || isa<CXXNoexceptExpr>(what)) return;  // not evaluated
  for (const auto* child : what->children()) {
    if (const auto* inner = dyn_cast_or_null<Expr>(child)) expression(inner, reading);
  }
}

void access_walker::declare(const VarDecl* what) {
  if (what->isStaticLocal()) return;
  result_.declared.insert(what);
  assigned_.insert(what);
  if (const auto* parts = dyn_cast<DecompositionDecl>(what)) {
    for (const auto* part : parts->bindings()) {
      result_.declared.insert(part);
      assigned_.insert(part);
      if (what->getType()->isReferenceType() && what->hasInit()) {
        aliases_[part] = {what->getInit(), alias::element};
        result_.declared.erase(part);
      }
    }
  }
  const auto* start = what->getInit();
  if (start == nullptr) return;
  if (is_lock(what->getType())) {
    if (const auto* made = dyn_cast<CXXConstructExpr>(start->IgnoreImplicit())) {
      for (const auto* each : made->arguments()) {
        if (const auto* mutex = mutex_of(each); mutex != nullptr && !own(mutex)) guards_.push_back(mutex);
      }
    }
    return;
  }
  const auto type = what->getType();
  if (type->isReferenceType()) {
    if (start->isLValue() || isa<CallExpr>(start->IgnoreParenImpCasts()))
      aliases_[what] = {start, alias::same};
    // What is bound is evaluated here, but read only where it is used.
    if (!isa<DeclRefExpr>(start->IgnoreParenImpCasts())) expression(start, {});
    return;
  }
  expression(start, reading);
  if (points(type)) aliases_[what] = {start, alias::target};
}

void access_walker::range_loop(const CXXForRangeStmt* what) {
  if (what->getInit() != nullptr) statement(what->getInit());
  const auto* range = what->getRangeInit();
  const auto* variable = what->getLoopVariable();
  expression(range, reading);
  between([&] {
    result_.declared.insert(variable);
    if (variable->getType()->isReferenceType() && !constant(variable->getType())) {
      aliases_[variable] = {range, alias::element};
      if (const auto* parts = dyn_cast<DecompositionDecl>(variable)) {
        for (const auto* part : parts->bindings()) aliases_[part] = {range, alias::element};
      }
    } else if (const auto* parts = dyn_cast<DecompositionDecl>(variable)) {
      for (const auto* part : parts->bindings()) result_.declared.insert(part);
    }
    statement(what->getBody());
  });
}

void access_walker::loop(const Stmt* what) {
  if (const auto* counted = dyn_cast<ForStmt>(what)) {
    if (counted->getInit() != nullptr) statement(counted->getInit());
    if (const auto* declared = counted->getConditionVariable()) declare(declared);
    expression(counted->getCond(), reading);
    return between([&] {
      statement(counted->getBody());
      ended_ = false;
      expression(counted->getInc(), reading);
    });
  }
  if (const auto* until = dyn_cast<WhileStmt>(what)) {
    if (const auto* declared = until->getConditionVariable()) declare(declared);
    expression(until->getCond(), reading);
    return maybe(until->getBody());
  }
  const auto* once = cast<DoStmt>(what);
  statement(once->getBody());
  ended_ = false;
  expression(once->getCond(), reading);
}

void access_walker::statement(const Stmt* what) {
  if (what == nullptr || skipped_.count(what) > 0) return;
  if (const auto* expression_ = dyn_cast<Expr>(what)) return expression(expression_, {.reads = true});
  if (const auto* block = dyn_cast<CompoundStmt>(what)) {
    const auto guards = guards_;
    for (const auto* each : block->body()) statement(each);
    guards_ = guards;
    return;
  }
  if (const auto* declared = dyn_cast<DeclStmt>(what)) {
    for (const auto* each : declared->decls()) {
      if (const auto* variable = dyn_cast<VarDecl>(each)) declare(variable);
    }
    return;
  }
  if (const auto* branch = dyn_cast<IfStmt>(what)) {
    if (branch->getInit() != nullptr) statement(branch->getInit());
    if (const auto* declared = branch->getConditionVariable()) declare(declared);
    expression(branch->getCond(), reading);
    const auto before = assigned_;
    const bool ended = ended_;
    statement(branch->getThen());
    const auto then = assigned_;
    const bool then_ended = ended_;
    assigned_ = before;
    ended_ = ended;
    statement(branch->getElse());
    if (then_ended && !ended_) return;
    if (ended_ && !then_ended) {
      assigned_ = then;
      ended_ = false;
      return;
    }
    std::set<const ValueDecl*> both;
    std::set_intersection(then.begin(), then.end(), assigned_.begin(), assigned_.end(),
                          std::inserter(both, both.end()));
    assigned_ = std::move(both);
    return;
  }
  if (const auto* range = dyn_cast<CXXForRangeStmt>(what)) return range_loop(range);
  if (isa<ForStmt>(what) || isa<WhileStmt>(what) || isa<DoStmt>(what)) return loop(what);
  if (const auto* choice = dyn_cast<SwitchStmt>(what)) {
    if (choice->getInit() != nullptr) statement(choice->getInit());
    if (const auto* declared = choice->getConditionVariable()) declare(declared);
    expression(choice->getCond(), reading);
    return between([&] {
      // Each label is reached from above, whatever ends before it.
      if (const auto* cases = dyn_cast<CompoundStmt>(choice->getBody())) {
        const auto before = assigned_;
        for (const auto* each : cases->body()) {
          if (isa<SwitchCase>(each)) {
            ended_ = false;
            assigned_ = before;
          }
          statement(each);
        }
      } else {
        statement(choice->getBody());
      }
    });
  }
  if (const auto* label = dyn_cast<SwitchCase>(what)) return statement(label->getSubStmt());
  if (const auto* attempt = dyn_cast<CXXTryStmt>(what)) {
    maybe(attempt->getTryBlock());
    for (unsigned i = 0; i < attempt->getNumHandlers(); ++i) {
      const auto* handler = attempt->getHandler(i);
      if (const auto* caught = handler->getExceptionDecl()) result_.declared.insert(caught);
      maybe(handler->getHandlerBlock());
    }
    return;
  }
  if (const auto* attributed = dyn_cast<AttributedStmt>(what)) return statement(attributed->getSubStmt());
  if (const auto* label = dyn_cast<LabelStmt>(what)) {
    ended_ = false;
    return statement(label->getSubStmt());
  }
  if (const auto* result = dyn_cast<ReturnStmt>(what)) {
    if (result->getRetValue() != nullptr) expression(result->getRetValue(), reading);
    ended_ = true;
    return;
  }
  if (isa<BreakStmt>(what) || isa<ContinueStmt>(what) || isa<GotoStmt>(what)) {
    ended_ = true;
    return;
  }
  for (const auto* child : what->children()) statement(child);
}

}  // namespace

const ValueDecl* bound_to(const ValueDecl* variable) {
  for (int depth = 0; depth < 8; ++depth) {
    const auto* declared = dyn_cast<VarDecl>(variable);
    if (declared == nullptr || isa<ParmVarDecl>(declared) || !declared->getType()->isReferenceType()) break;
    if (!declared->hasInit()) break;
    const auto* named = dyn_cast<DeclRefExpr>(declared->getInit()->IgnoreParenImpCasts());
    if (named == nullptr || !isa<VarDecl>(named->getDecl())) break;
    variable = named->getDecl();
  }
  return variable;
}

effects effects_reader::read(const std::vector<const Stmt*>& statements, const std::set<const Stmt*>& skipped,
                             bool inner) {
  effects result;
  access_walker walk(*this, skipped, inner, result);
  for (const auto* each : statements) walk.statement(each);
  result.assigned = walk.assigned();
  return result;
}

const effects& effects_reader::of(const FunctionDecl* function) {
  const FunctionDecl* defined = nullptr;
  function->hasBody(defined);
  const auto* key = defined != nullptr ? defined : function;
  const auto found = functions_.find(key);
  if (found != functions_.end()) return found->second;
  static const effects nothing;
  // A function that calls itself: what it does is found on the way.
  if (defined == nullptr || !reading_.insert(key).second) return nothing;
  std::vector<const Stmt*> all;
  if (const auto* constructor = dyn_cast<CXXConstructorDecl>(defined)) {
    for (const auto* each : constructor->inits()) all.push_back(each->getInit());
  }
  all.push_back(defined->getBody());
  auto does = read(all);
  reading_.erase(key);
  return functions_.emplace(key, std::move(does)).first->second;
}

}  // namespace thalweg::spar
