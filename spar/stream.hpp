/// What a stream is, as the attributes describe it: the model that all other files read.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace clang {
class Stmt;
class ValueDecl;
class FunctionDecl;
class Expr;
}  // namespace clang

namespace thalweg::spar {

/// Part of the text of a file: offsets of its first character and behind its last.
struct extent {
  std::size_t begin = 0, end = 0;
};

/// One argument of a clause, `img` or `v[i]`, as it is written.
struct argument {
  std::string text;
  extent where;
};

/// A clause of an attribute: `spar::Input(a, b)`, `thalweg::Unordered`.
struct clause {
  std::string name;  ///< without its namespace: "Input"
  bool ours = false;  ///< in the namespace `thalweg`
  extent where;
  bool parentheses = false;
  std::vector<argument> arguments;
};

/// An attribute as it stands in the text, `[[spar::Stage, spar::Input(a)]]`.
struct attribute {
  enum class kind { to_stream, stage };
  kind is = kind::stage;
  extent where;  ///< with its brackets
  std::vector<clause> clauses;
  [[nodiscard]] const clause* find(const std::string& name) const;
};

/// A variable that takes part in a stream.
struct variable {
  std::string name;
  const clang::ValueDecl* declared = nullptr;
  std::string type;       ///< as the written program names it, without references and outer const
  bool reference = false; ///< declared as a reference: its address travels
  bool constant = false;
  bool inside = false;    ///< declared inside the stream, before its first stage
};

/// What a statement, or the source, does with a variable.
struct use {
  const clang::ValueDecl* declared = nullptr;
  bool reads = false, changes = false;
  const clang::Expr* first_read = nullptr;
  const clang::Expr* first_change = nullptr;
};

/// One stage: the statement below its attribute.
struct stage {
  attribute says;
  const clang::Stmt* body = nullptr;
  extent text;  ///< of the statement
  std::vector<const variable*> inputs, outputs;
  std::vector<use> uses;
  bool replicated = false;
  std::string replicas;  ///< the expression; empty: from the environment
  bool leaves_out = false;  ///< has a `continue` of the loop around the stages
  std::vector<extent> continues;
  /// What its item holds, in the order of the tuple, and what the item behind it holds.
  std::vector<const variable*> before, after;
};

/// One stream: the statement below `ToStream`.
struct stream {
  attribute says;
  const clang::Stmt* body = nullptr;
  const clang::FunctionDecl* function = nullptr;
  extent text;
  std::vector<stage> stages;
  std::vector<variable*> variables;
  std::vector<use> source_uses;
  std::vector<stream> nested;  ///< streams inside its stages
  bool in_template = false;
};

}  // namespace thalweg::spar
