/// A loop without attributes, cut into parts that could be a source and stages.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <clang/Basic/SourceLocation.h>

#include "accesses.hpp"

namespace thalweg::spar {

/// Whether a statement is a loop of any kind.
bool is_loop(const clang::Stmt* what);

/// Why something cannot be done, with the place that shows it.
struct reason {
  clang::SourceLocation where;
  std::string text;
};

/// Statements that follow each other, and run as one part of a stream.
struct part {
  std::vector<const clang::Stmt*> statements;
  std::vector<reason> serial;  ///< why it cannot be replicated; empty: it can
  std::vector<reason> unseen;  ///< it could be replicated if these are no problem
  bool cheap = true;           ///< calls nothing, and has no loop
  bool io = false;
  std::vector<const clang::ValueDecl*> inputs, outputs;
  std::vector<const clang::VarDecl*>
      before;  ///< declared in it and needed behind it: to be declared in the source
  [[nodiscard]] bool replicable() const { return serial.empty() && unseen.empty(); }
};

struct cut_loop {
  const clang::Stmt* loop = nullptr;
  std::vector<reason> in_the_way;  ///< not empty: it cannot be a stream
  part source;
  std::vector<part> stages;
  bool worth_it = false;  ///< it calls functions of the program, or has loops inside
};

[[nodiscard]] cut_loop cut(const clang::Stmt* loop, const clang::FunctionDecl* function,
                           effects_reader& reader);

}  // namespace thalweg::spar
