#include "types.hpp"

#include <algorithm>

#include "clang.hpp"

namespace thalweg::spar {
namespace {

clang::PrintingPolicy printing(const places& where) {
  clang::PrintingPolicy policy(where.context().getLangOpts());
  policy.SuppressUnwrittenScope = true;
  policy.AnonymousTagLocations = false;
  return policy;
}

/// The type as it is written where it is written; what `auto` stands for in full.
std::string name_of(clang::QualType type, const places& where) {
  type = type.getNonReferenceType().getUnqualifiedType();
  const bool deduced =
      type->getContainedDeducedType() != nullptr || llvm::isa<clang::DecltypeType>(type.getTypePtr());
  const bool adjusted = llvm::isa<clang::AdjustedType>(type.getTypePtr());
  if ((deduced || adjusted) && !type->isDependentType()) type = type.getCanonicalType().getUnqualifiedType();
  return type.getAsString(printing(where));
}

bool stands_for_unknown(clang::QualType type) {
  return type.getNonReferenceType()->isUndeducedType() ||
         type->isSpecificBuiltinType(clang::BuiltinType::Dependent) ||  // a binding
         (type->getContainedDeducedType() != nullptr && type->isDependentType());
}

bool is_inside(const clang::ValueDecl* d, extent stream, const places& where) {
  return where.in_main(d->getLocation()) && stream.holds(where.offset(d->getLocation()));
}

/// All variables of the stream that an expression names.
void find_inner(const clang::Stmt* e, extent stream, const places& where,
                std::vector<const clang::ValueDecl*>& found) {
  if (e == nullptr) return;
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e)) {
    const clang::ValueDecl* d = name->getDecl();
    const bool variable = llvm::isa<clang::VarDecl, clang::BindingDecl>(d);
    if (variable && is_inside(d, stream, where) && std::ranges::find(found, d) == found.end())
      found.push_back(d);
  }
  if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(e))
    return find_inner(lambda->getBody(), stream, where, found);
  for (const clang::Stmt* child : e->children()) find_inner(child, stream, where, found);
}

/// Whether a reference keeps a temporary object alive: then it is a variable like others.
bool keeps_temporary(const clang::Expr* init) {
  while (init != nullptr) {
    if (const auto* cleanups = llvm::dyn_cast<clang::ExprWithCleanups>(init)) {
      init = cleanups->getSubExpr();
    } else if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(init)) {
      init = cast->getSubExpr();
    } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(init);
               member != nullptr && !member->isArrow()) {
      init = member->getBase();
    } else {
      return llvm::isa<clang::MaterializeTemporaryExpr>(init);
    }
  }
  return false;
}

/// The loop over a range that declares a variable.
const clang::CXXForRangeStmt* loop_of(const clang::VarDecl* declared, const places& where) {
  for (const auto& parent : where.context().getParents(*declared)) {
    const auto* statement = parent.get<clang::DeclStmt>();
    if (statement == nullptr) continue;
    for (const auto& above : where.context().getParents(*statement)) {
      const auto* loop = above.get<clang::CXXForRangeStmt>();
      if (loop != nullptr && loop->getLoopVarStmt() == statement) return loop;
    }
  }
  return nullptr;
}

bool refers(const clang::VarDecl* declared) {
  const clang::QualType type = declared->getType();
  if (!type->isReferenceType()) return false;
  const clang::Expr* init = declared->getInit();
  if (init == nullptr) return true;
  // In a template nobody knows yet; a constant copy is right in both cases.
  if (init->isTypeDependent()) return !type.getNonReferenceType().isConstQualified();
  return !keeps_temporary(init);
}

bool is_default(const clang::VarDecl* declared) {
  const clang::Expr* init = declared->getInit();
  if (init == nullptr) return true;
  const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(init->IgnoreImplicit());
  return construct != nullptr && construct->getNumArgs() == 0 && !construct->isListInitialization() &&
         construct->getParenOrBraceRange().isInvalid();
}

/// Whether an expression gives the same wherever it is evaluated.
bool is_constant(const clang::Stmt* e) {
  if (e == nullptr) return true;
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(e)) {
    const auto* function = call->getDirectCallee();
    if (function == nullptr || !function->isConstexpr()) return false;
  }
  if (llvm::isa<clang::CXXThisExpr, clang::LambdaExpr, clang::CXXNewExpr>(e)) return false;
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e)) {
    if (const auto* v = llvm::dyn_cast<clang::VarDecl>(name->getDecl()); v != nullptr && !v->isConstexpr())
      return false;
    if (llvm::isa<clang::BindingDecl>(name->getDecl())) return false;
  }
  if (llvm::isa<clang::UnresolvedLookupExpr, clang::CXXDependentScopeMemberExpr>(e)) return false;
  for (const clang::Stmt* child : e->children()) {
    if (!is_constant(child)) return false;
  }
  return true;
}

bool can_be_empty(clang::QualType type) {
  type = type.getNonReferenceType();
  if (type->isDependentType()) return true;
  const clang::Type* element = type->getBaseElementTypeUnsafe();
  const auto* record = element->getAsCXXRecordDecl();
  return record == nullptr || record->isAggregate() || record->hasDefaultConstructor();
}

std::string declaration_of(const variable& v, const clang::VarDecl* declared, const places& where) {
  const std::string fresh = "::thalweg::spar::held<" + v.type + "> ";
  if (!v.inside || is_default(declared)) {
    if (!can_be_empty(declared->getType())) return "";
    if (v.array)
      return fresh + "spar_new_" + v.name + "{}; auto& " + v.name + " = ::thalweg::spar::array<" + v.type +
             ">(spar_new_" + v.name + ");";
    return fresh + v.name + "{};";
  }
  if (v.array || !is_constant(declared->getInit())) return "";
  const std::string init = where.text(where.of(declared->getInit()->getSourceRange()));
  if (declared->getInitStyle() == clang::VarDecl::CInit) return v.type + " " + v.name + " = " + init + ";";
  // Classes: `T x(a)` and `T x{a}` are constructions, whose place in the text is all of it.
  if (const auto* construct =
          llvm::dyn_cast<clang::CXXConstructExpr>(declared->getInit()->IgnoreImplicit())) {
    const auto arguments = construct->getParenOrBraceRange();
    if (arguments.isInvalid()) return "";
    return v.type + " " + v.name + where.text(where.of(arguments)) + ";";
  }
  if (declared->getInitStyle() == clang::VarDecl::ListInit) return v.type + " " + v.name + init + ";";
  return v.type + " " + v.name + "(" + init + ");";
}

/// A type that only the C++ compiler knows, since it depends on a template: it finds it from the initialiser.
void ask_compiler(variable& v, extent stream, const places& where) {
  const clang::ValueDecl* declared = v.declared;
  const auto* binding = llvm::dyn_cast<clang::BindingDecl>(declared);
  const auto* var = llvm::dyn_cast<clang::VarDecl>(declared);
  if (binding != nullptr) var = llvm::dyn_cast<clang::VarDecl>(binding->getDecomposedDecl());
  if (var == nullptr) return;
  const clang::CXXForRangeStmt* loop = loop_of(var, where);
  const clang::Expr* init = loop != nullptr ? loop->getRangeInit() : var->getInit();
  if (init == nullptr) return;
  std::vector<const clang::ValueDecl*> inner;
  find_inner(init, stream, where, inner);
  std::string parameters;
  std::string arguments;
  for (const clang::ValueDecl* d : inner) {
    if (d == declared) continue;
    variable other;
    other.name = d->getNameAsString();
    other.declared = d;
    other.inside = true;
    describe(other, stream, where);
    for (const std::string& needed : other.prelude) {
      if (std::ranges::find(v.prelude, needed) == v.prelude.end()) v.prelude.push_back(needed);
    }
    parameters += (parameters.empty() ? "" : ", ") +
                  ("[[maybe_unused]] std::type_identity_t<" + other.type + ">& ") + other.name;
    arguments += (arguments.empty() ? "" : ", ") + ("std::declval<" + other.type + "&>()");
  }
  std::string value = where.text(where.of(init->getSourceRange()));
  if (loop != nullptr) value = "*std::begin(" + value + ")";
  std::string body = "return " + value + ";";
  if (binding != nullptr) {
    const auto* whole = llvm::cast<clang::DecompositionDecl>(var);
    std::string names;
    for (const clang::BindingDecl* b : whole->bindings())
      names += (names.empty() ? "" : ", ") + b->getNameAsString();
    body = "[[maybe_unused]] auto&& [" + names + "] = " + value + "; return " + v.name + ";";
  }
  const std::string made = "spar_make_" + v.name;
  v.prelude.push_back("[[maybe_unused]] const auto " + made + " = [&](" + parameters + ")" +
                      (v.reference && binding == nullptr ? " -> decltype(auto)" : "") + " { " + body +
                      " }; using spar_type_" + v.name + " = std::remove_reference_t<decltype(" + made + "(" +
                      arguments + "))>; ");
  v.type = "spar_type_" + v.name;
}

}  // namespace

bool has_no_name(const std::string& type) {
  return type.find("(lambda") != std::string::npos || type.find("(unnamed") != std::string::npos;
}

bool named_inside(const clang::ValueDecl* declared, extent stream, const places& where) {
  const clang::QualType type = declared->getType().getNonReferenceType();
  if (type->isDependentType()) return false;
  const clang::TagDecl* tag = type->getBaseElementTypeUnsafe()->getAsTagDecl();
  if (tag == nullptr) return false;
  const auto at = tag->getLocation();
  return where.in_main(at) && stream.holds(where.offset(at));
}

void describe(variable& v, extent stream, const places& where) {
  const clang::ValueDecl* declared = v.declared;
  const clang::QualType type = declared->getType();
  const auto* var = llvm::dyn_cast<clang::VarDecl>(declared);
  const auto* binding = llvm::dyn_cast<clang::BindingDecl>(declared);
  if (var != nullptr) v.reference = refers(var);
  if (binding != nullptr) {
    const auto* whole = llvm::dyn_cast<clang::VarDecl>(binding->getDecomposedDecl());
    v.reference = type->isReferenceType() || (whole != nullptr && refers(whole));
  }
  v.constant = type.getNonReferenceType().isConstQualified();
  v.array = type.getNonReferenceType()->isArrayType();
  v.type = name_of(type, where);
  const bool unnamed =
      stands_for_unknown(type) || (type->isDependentType() && v.type.find("auto") != std::string::npos);
  if (unnamed && v.inside) ask_compiler(v, stream, where);
  if (!v.inside && (unnamed || has_no_name(v.type))) v.type = "std::remove_cvref_t<decltype(" + v.name + ")>";
  if (var != nullptr && !v.reference) v.declaration = declaration_of(v, var, where);
}

}  // namespace thalweg::spar
