#include "places.hpp"

#include "clang.hpp"

#include <algorithm>

namespace thalweg::spar {
namespace {

/// Behind spaces and comments.
std::size_t behind_space(const std::string& text, std::size_t at) {
  for (;;) {
    at = std::min(text.find_first_not_of(" \t\r\n", at), text.size());
    if (text.compare(at, 2, "//") == 0) {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.compare(at, 2, "/*") == 0) {
      at = std::min(text.find("*/", at + 2), text.size() - 2) + 2;
    } else {
      return at;
    }
  }
}

}  // namespace

bool places::in_main(clang::SourceLocation where) const {
  const auto& sources = context_.getSourceManager();
  return where.isValid() && sources.getFileID(sources.getExpansionLoc(where)) == sources.getMainFileID();
}

std::size_t places::offset(clang::SourceLocation where) const {
  const auto& sources = context_.getSourceManager();
  return sources.getFileOffset(sources.getExpansionLoc(where));
}

clang::SourceLocation places::location(std::size_t offset) const {
  const auto& sources = context_.getSourceManager();
  return sources.getLocForStartOfFile(sources.getMainFileID()).getLocWithOffset(static_cast<int>(offset));
}

extent places::of(clang::SourceRange range) const {
  const auto& sources = context_.getSourceManager();
  const auto last = sources.getExpansionRange(range.getEnd()).getEnd();
  const auto end = clang::Lexer::getLocForEndOfToken(last, 0, sources, context_.getLangOpts());
  return {offset(range.getBegin()), sources.getFileOffset(end)};
}

extent places::of(const clang::Stmt* statement) const {
  extent e = of(statement->getSourceRange());
  if (text_[e.end - 1] != ';') {
    const std::size_t next = behind_space(text_, e.end);
    if (next < text_.size() && text_[next] == ';') e.end = next + 1;
  }
  return e;
}

std::size_t places::line(std::size_t offset) const {
  return 1 + static_cast<std::size_t>(std::count(text_.begin(), text_.begin() + static_cast<long>(offset), '\n'));
}

std::size_t places::column(std::size_t offset) const {
  const std::size_t end = offset == 0 ? std::string::npos : text_.rfind('\n', offset - 1);
  return end == std::string::npos ? offset + 1 : offset - end;
}

void places::report(bool error, const problem& what) const {
  using clang::DiagnosticsEngine;
  DiagnosticsEngine& to = context_.getDiagnostics();
  const auto level = error ? DiagnosticsEngine::Error : DiagnosticsEngine::Warning;
  const auto range = clang::CharSourceRange::getCharRange(location(what.where.begin), location(what.where.end));
  to.Report(location(what.where.begin), to.getCustomDiagID(level, "%0")) << what.text << range;
  if (!what.advice.empty()) {
    to.Report(location(what.where.begin), to.getCustomDiagID(DiagnosticsEngine::Note, "%0")) << what.advice;
  }
}

void places::error(const problem& what) const {
  report(true, what);
}

void places::warning(const problem& what) const {
  report(false, what);
}

}  // namespace thalweg::spar
