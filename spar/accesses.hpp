/// Every place where a statement touches a variable that it does not declare itself. `uses` says what a part
/// of a stream does with a variable as a whole; checks and suggestions need each place, and under which
/// conditions it is reached.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class Expr;
class FunctionDecl;
class Stmt;
class ValueDecl;
}  // namespace clang

namespace thalweg::spar {

/// How much of a variable a place touches.
enum class reach {
  whole,    ///< the variable itself
  element,  ///< a part of it that an index or an iterator picks: `v[i]`
  target,   ///< what it points to: `*p`, `p->x`
};

/// One place that touches a variable.
struct access {
  const clang::ValueDecl* variable = nullptr;
  const clang::Expr* where =
      nullptr;  ///< in the statement itself, also if a function that it calls does this
  bool reads = false, changes = false;
  reach part = reach::whole;
  bool assigns = false;                ///< gives all of it a new value
  bool by_call = false;                ///< changed by a function that gets it, as far as its type says
  bool exposed = false;                ///< reads what was there before the statement began
  bool moves = false;                  ///< by `std::move`: the variable is empty afterwards
  const clang::Expr* index = nullptr;  ///< of an element
  const clang::FunctionDecl* callee = nullptr;  ///< the function that is called with it, or on it
  const clang::FunctionDecl* inside = nullptr;  ///< the called function in whose body this is
  std::vector<const clang::ValueDecl*> guards;  ///< mutexes that are locked here
};

/// One call of a function.
struct call {
  const clang::FunctionDecl* callee =
      nullptr;  ///< null: through a pointer, or not known before the template is used
  const clang::Expr* where = nullptr;
  bool seen = false;  ///< its body was read, too
};

/// What a statement does.
struct effects {
  std::vector<access> accesses;
  std::vector<call> calls;
  std::set<const clang::ValueDecl*> declared;  ///< inside it
  std::set<const clang::ValueDecl*> assigned;  ///< on every way that reaches its end
};

/// Reads statements, and the bodies of the functions that they call, as far as they are in this file or its
/// headers.
class effects_reader {
 public:
  explicit effects_reader(clang::ASTContext& context) : context_(context) {}
  /// What several statements do, one after the other, without those in `skipped`; `inner`: also with
  /// variables that they declare.
  [[nodiscard]] effects read(const std::vector<const clang::Stmt*>& statements,
                             const std::set<const clang::Stmt*>& skipped = {}, bool inner = false);
  /// What a function does, with its parameters and fields as variables.
  const effects& of(const clang::FunctionDecl* function);

  [[nodiscard]] clang::ASTContext& context() const { return context_; }

 private:
  clang::ASTContext& context_;
  std::map<const clang::FunctionDecl*, effects> functions_;
  std::set<const clang::FunctionDecl*> reading_;
};

/// The variable that a reference is bound to, if that is seen where it is declared; otherwise the variable
/// itself.
const clang::ValueDecl* bound_to(const clang::ValueDecl* variable);
/// Is an object of this type made for several threads: atomics, mutexes, `std::cout`, a `FILE`?
bool made_for_threads(const clang::ValueDecl* variable);
/// Does a function read or write files, streams, or what the user sees?
bool does_io(const clang::FunctionDecl* function);
/// Is a function of the standard library (C's too)?
bool of_standard_library(const clang::FunctionDecl* function);

}  // namespace thalweg::spar
