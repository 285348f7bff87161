/// What a stream is, as the attributes describe it: the model that all other files read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
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
  [[nodiscard]] bool holds(std::size_t offset) const { return begin <= offset && offset < end; }
};

/// One argument of a clause, `img` or `v[i]`, as it is written.
struct argument {
  std::string text;
  extent where;
  std::vector<std::string> names = {};  ///< identifiers in it, without those of members: `v`, `i`
};

/// A clause of an attribute: `spar::Input(a, b)`, `thalweg::Unordered`.
struct clause {
  std::string name;   ///< without its namespace: "Input"
  bool ours = false;  ///< in the namespace `thalweg`
  extent where = {};
  bool parentheses = false;
  std::vector<argument> arguments = {};
};

/// An attribute as it stands in the text, `[[spar::Stage, spar::Input(a)]]`. Several that follow each other
/// are one.
struct attribute {
  enum class kind { to_stream, stage };
  kind is = kind::stage;
  extent where = {};       ///< with its brackets
  std::size_t marker = 0;  ///< where Clang sees the marker that stands for it
  std::vector<clause> clauses = {};
  [[nodiscard]] const clause* find(const std::string& name) const {
    for (const clause& c : clauses) {
      if (c.name == name) return &c;
    }
    return nullptr;
  }
};

/// A variable that takes part in a stream.
struct variable {
  std::string name;
  const clang::ValueDecl* declared = nullptr;
  std::string type;                  ///< as the written program names it, without references and outer const
  std::vector<std::string> prelude;  ///< what has to be declared before that name can be used
  bool reference = false;            ///< refers to an object that others have: its address travels
  bool constant = false;
  bool inside = false;  ///< declared inside the stream, before its first stage
  bool dies = false;    ///< with each item: the source does not need it after the first stage
  bool array = false;
  std::string declaration;  ///< declares it anew, with a constant or no initialiser; empty: not possible
  bool shared = false;      ///< nothing changes it while the stream runs: it need not travel
  int owner = -1;           ///< the serial stage whose state it is; that stage uses the variable itself
  bool read_after = false;  ///< what the last item gave it is read behind the stream
  int last_holder = -1;     ///< the stage that keeps that value; behind the last stage: a stage of its own
};

/// What a stage, or the source, does with a variable that it does not declare itself.
struct use {
  const clang::ValueDecl* declared = nullptr;
  bool reads = false;       ///< its value, or that of a part of it
  bool changes = false;     ///< assigns it, gives it to a call by reference, calls a member that is not const
  bool passed = false;      ///< a function gets it by reference, whose body is not seen
  bool may_change = false;  ///< takes its address or makes a reference to it; or it depends on the template
  const clang::Expr* first = nullptr;         ///< the first time that it is named
  const clang::Expr* first_change = nullptr;  ///< its name there
};

struct stream;

/// One stage: the statement below its attribute.
struct stage {
  attribute says;
  const clang::Stmt* body = nullptr;
  extent text = {};  ///< of the statement
  std::vector<variable*> inputs = {}, outputs = {};
  std::vector<use> uses = {};
  bool replicated = false;
  std::string replicas = {};  ///< the expression; empty: from the environment
  /// Each `continue` of the loop around the stages: it leaves out the rest of its item.
  std::vector<extent> continues = {};
  /// What its item holds, in the order of the tuple, and what the item behind it holds.
  std::vector<variable*> before = {}, after = {};
  bool may_throw = true;  ///< an exception may leave it
  [[nodiscard]] bool leaves_out() const { return !continues.empty(); }
  /// Whether the program counts its replicas before it runs.
  [[nodiscard]] bool replicas_known() const { return replicated && says.find("Adaptive") == nullptr; }
};

/// One stream: the statement below `ToStream`.
struct stream {
  attribute says;
  const clang::Stmt* body = nullptr;
  const clang::FunctionDecl* function = nullptr;
  extent text = {};
  std::vector<stage> stages = {};
  std::vector<std::unique_ptr<variable>> variables = {};
  std::vector<use> source_uses = {};
  std::vector<stream> nested = {};  ///< streams inside it: in its stages, or in its source
  bool in_template = false;
  bool in_handler =
      false;  ///< its first stage stands in a handler of exceptions, where no coroutine may stop
};

inline bool contains(const std::vector<variable*>& list, const variable* v) {
  return std::ranges::find(list, v) != list.end();
}

}  // namespace thalweg::spar
