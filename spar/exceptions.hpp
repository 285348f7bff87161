/// Which statements may end by an exception.
#pragma once

namespace clang {
class Stmt;
}  // namespace clang

namespace thalweg::spar {

/// False only if it is seen that no exception can leave the statement: it has built-in operations, calls of
/// functions that are noexcept, and of such whose bodies are seen, for which the same holds.
[[nodiscard]] bool may_throw(const clang::Stmt* statement);

}  // namespace thalweg::spar
