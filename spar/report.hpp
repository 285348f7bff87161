/// What is wrong, as Clang's own diagnostics: with a caret, a note that says what to do, and the change that
/// does it.
#pragma once

#include <string>

#include <clang/AST/ASTContext.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/SourceManager.h>

#include "stream.hpp"

namespace thalweg::spar {

class report {
 public:
  explicit report(clang::ASTContext& context) : context_(context) {}

  void error(clang::SourceLocation where, const std::string& text) {
    failed_ = true;
    give(clang::DiagnosticsEngine::Error, where, text);
  }
  void warning(clang::SourceLocation where, const std::string& text) {
    give(clang::DiagnosticsEngine::Warning, where, text);
  }
  void note(clang::SourceLocation where, const std::string& text, const clang::FixItHint& change = {}) {
    give(clang::DiagnosticsEngine::Note, where, text, change);
  }
  void remark(clang::SourceLocation where, const std::string& text) {
    give(clang::DiagnosticsEngine::Remark, where, text);
  }

  [[nodiscard]] clang::SourceLocation at(std::size_t offset) const {
    const auto& sources = context_.getSourceManager();
    return sources.getLocForStartOfFile(sources.getMainFileID()).getLocWithOffset(static_cast<int>(offset));
  }
  /// Adds a variable to a clause of an attribute, or the clause with it.
  [[nodiscard]] clang::FixItHint add(const attribute& says, const std::string& name,
                                     const std::string& to) const {
    const auto* found = says.find(to);
    if (found != nullptr && !found->arguments.empty()) {
      return clang::FixItHint::CreateInsertion(at(found->where.end - 1), ", " + name);
    }
    return clang::FixItHint::CreateInsertion(at(says.where.end - 2), ", spar::" + to + "(" + name + ")");
  }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  void give(clang::DiagnosticsEngine::Level level, clang::SourceLocation where, const std::string& text,
            const clang::FixItHint& change = {}) {
    auto& to = context_.getDiagnostics();
    auto made = to.Report(where, to.getCustomDiagID(level, "%0"));
    made << text;
    if (!change.isNull()) made << change;
  }

  clang::ASTContext& context_;
  bool failed_ = false;
};

/// `stage 2`: as the user counts, from 1.
inline std::string stage_name(std::size_t number) {
  return "stage " + std::to_string(number + 1);
}

}  // namespace thalweg::spar
