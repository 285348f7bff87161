/// Places: offsets in the text of the main file, and Clang's locations.
#pragma once

#include "attributes.hpp"

#include <string>

namespace clang {
class ASTContext;
class SourceLocation;
class SourceRange;
class Stmt;
}  // namespace clang

namespace thalweg::spar {

class places {
 public:
  /// The text is the user's, not the one with markers.
  places(clang::ASTContext& context, const std::string& text) : context_(context), text_(text) {}

  [[nodiscard]] clang::ASTContext& context() const { return context_; }
  /// Whether it is in the main file; what a macro makes is where the macro is used.
  [[nodiscard]] bool in_main(clang::SourceLocation where) const;
  [[nodiscard]] std::size_t offset(clang::SourceLocation where) const;
  [[nodiscard]] clang::SourceLocation location(std::size_t offset) const;
  [[nodiscard]] extent of(clang::SourceRange range) const;
  /// A statement with its semicolon.
  [[nodiscard]] extent of(const clang::Stmt* statement) const;
  [[nodiscard]] std::string text(extent e) const { return text_.substr(e.begin, e.end - e.begin); }
  [[nodiscard]] const std::string& text() const { return text_; }
  /// From 1.
  [[nodiscard]] std::size_t line(std::size_t offset) const;
  [[nodiscard]] std::size_t column(std::size_t offset) const;

  void error(const problem& what) const;
  void warning(const problem& what) const;

 private:
  void report(bool error, const problem& what) const;

  clang::ASTContext& context_;
  const std::string& text_;
};

}  // namespace thalweg::spar
