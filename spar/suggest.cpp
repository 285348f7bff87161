#include "suggest.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include "diff.hpp"
#include "loops.hpp"
#include "report.hpp"

namespace thalweg::spar {
namespace {

using namespace clang;

/// One change of the text.
struct insertion {
  std::size_t at, length;
  std::string text;
};

class advisor {
 public:
  explicit advisor(ASTContext& context)
      : context_(context),
        sources_(context.getSourceManager()),
        reader_(context),
        to_(context),
        text_(sources_.getBufferData(sources_.getMainFileID()).str()) {}

  void function(const FunctionDecl* which) { visit(which->getBody(), which); }

  [[nodiscard]] std::string patch() {
    std::stable_sort(edits_.begin(), edits_.end(),
                     [](const insertion& a, const insertion& b) { return a.at < b.at; });
    std::string changed;
    std::size_t done = 0;
    for (const auto& each : edits_) {
      changed += text_.substr(done, each.at - done) + each.text;
      done = each.at + each.length;
    }
    changed += text_.substr(done);
    const auto name = sources_.getFileEntryRefForID(sources_.getMainFileID());
    return unified_diff(text_, changed, name ? name->getName().str() : "input.cpp");
  }

 private:
  void visit(const Stmt* what, const FunctionDecl* in) {
    if (what == nullptr) return;
    if (isa<AttributedStmt>(what)) return;  // a stream already
    if (const auto* lambda = dyn_cast<LambdaExpr>(what))
      return visit(lambda->getBody(), lambda->getCallOperator());
    if (isa<ForStmt>(what) || isa<WhileStmt>(what) || isa<DoStmt>(what) || isa<CXXForRangeStmt>(what)) {
      if (loop(what, in)) return;
    }
    for (const auto* child : what->children()) visit(child, in);
  }

  [[nodiscard]] bool usable(SourceLocation where) const {
    return where.isFileID() && sources_.isInMainFile(where);
  }

  bool loop(const Stmt* what, const FunctionDecl* in) {
    if (!usable(what->getBeginLoc()) || !usable(what->getEndLoc())) return false;
    const auto found = cut(what, in, reader_);
    if (!found.worth_it) return false;
    if (!found.in_the_way.empty()) {
      to_.remark(what->getBeginLoc(), "this loop cannot be a stream as it is");
      for (const auto& each : found.in_the_way) to_.note(each.where, each.text);
      return false;
    }
    const auto count = found.stages.size();
    to_.remark(what->getBeginLoc(),
               "this loop could be a stream: its source and " +
                   (count == 1 ? std::string("one stage") : std::to_string(count) + " stages"));
    to_.note(what->getBeginLoc(),
             found.source.statements.empty()
                 ? "the source: the head of the loop"
                 : "the source: the loop up to line " + std::to_string(last_line(found.source)));
    for (const auto& each : found.source.serial) to_.note(each.where, each.text);
    for (std::size_t i = 0; i < count; ++i) say(found.stages[i], i);
    write(found);
    return true;
  }

  void say(const part& which, std::size_t number) {
    std::set<std::string> said;
    to_.note(which.statements.front()->getBeginLoc(),
             stage_name(number) + (which.replicable() ? ": can be replicated"
                                   : which.serial.empty()
                                       ? ": may be replicated, if what is not seen here allows it"
                                       : ": serial"));
    for (const auto& each : which.serial) {
      if (said.insert(each.text).second) to_.note(each.where, each.text);
    }
    for (const auto& each : which.unseen) {
      if (said.insert(each.text).second) to_.note(each.where, each.text);
    }
  }

  [[nodiscard]] unsigned last_line(const part& which) const {
    return sources_.getExpansionLineNumber(which.statements.back()->getEndLoc());
  }

  // --- The text with attributes.
  [[nodiscard]] std::size_t begin(const Stmt* what) const {
    return sources_.getFileOffset(sources_.getExpansionLoc(what->getBeginLoc()));
  }
  /// Behind its semicolon.
  [[nodiscard]] std::size_t end(const Stmt* what) const {
    const auto last = sources_.getExpansionRange(what->getEndLoc()).getEnd();
    auto at = sources_.getFileOffset(Lexer::getLocForEndOfToken(last, 0, sources_, context_.getLangOpts()));
    if (text_[at - 1] == ';' || text_[at - 1] == '}') {
      if (!isa<Expr>(what) && !isa<DeclStmt>(what)) return at;
    }
    std::size_t next = at;
    while (next < text_.size() && std::string_view(" \t\r\n").find(text_[next]) != std::string_view::npos)
      ++next;
    return next < text_.size() && text_[next] == ';' ? next + 1 : at;
  }
  [[nodiscard]] std::string indentation(std::size_t at) const {
    std::size_t start = at;
    while (start > 0 && text_[start - 1] != '\n') --start;
    std::size_t first = start;
    while (first < at && (text_[first] == ' ' || text_[first] == '\t')) ++first;
    return text_.substr(start, first - start);
  }

  static std::string list(const std::string& clause_name, const std::vector<const ValueDecl*>& variables) {
    if (variables.empty()) return "";
    std::string made;
    for (const auto* each : variables) made += (made.empty() ? "" : ", ") + each->getNameAsString();
    return ", spar::" + clause_name + "(" + made + ")";
  }

  void write(const cut_loop& found) {
    const auto at = begin(found.loop);
    edits_.push_back({at, 0, "[[spar::ToStream]]\n" + indentation(at)});
    std::string declarations;
    const auto first = begin(found.stages.front().statements.front());
    for (const auto& each : found.stages) {
      for (const auto* variable : each.before) {
        declarations += type_of(variable) + " " + variable->getNameAsString() + ";\n" + indentation(first);
      }
    }
    if (!declarations.empty()) edits_.push_back({first, 0, declarations});
    for (const auto& each : found.stages) write(each);
  }

  void write(const part& which) {
    const std::string attribute = "[[spar::Stage" + list("Input", which.inputs) +
                                  list("Output", which.outputs) +
                                  (which.replicable() ? ", spar::Replicate()" : "") + "]]";
    const auto first = begin(which.statements.front());
    const auto behind = end(which.statements.back());
    const auto indent = indentation(first);
    for (const auto* variable : which.before) separate(variable, which);
    const auto* only = which.statements.size() == 1 ? which.statements.front() : nullptr;
    if (only != nullptr && isa<CompoundStmt>(only)) {
      edits_.push_back({first, 0, attribute + " "});
    } else if (only != nullptr && (!isa<DeclStmt>(only) || !which.before.empty())) {
      edits_.insert(edits_.end() - static_cast<std::ptrdiff_t>(moved_),
                    {first, 0, attribute + "\n" + indent});
    } else {
      edits_.insert(edits_.end() - static_cast<std::ptrdiff_t>(moved_),
                    {first, 0, attribute + " {\n" + indent + "  "});
      for (auto line = text_.find('\n', first); line < behind; line = text_.find('\n', line + 1)) {
        if (line + 1 < text_.size() && text_[line + 1] != '\n') edits_.push_back({line + 1, 0, "  "});
      }
      edits_.push_back({behind, 0, "\n" + indent + "}"});
    }
    moved_ = 0;
  }

  /// `T x = f();` becomes `x = f();`, and `T x;` nothing but a new value.
  void separate(const VarDecl* variable, const part& which) {
    for (const auto* each : which.statements) {
      const auto* declared = dyn_cast<DeclStmt>(each);
      if (declared == nullptr || !declared->isSingleDecl() || declared->getSingleDecl() != variable) continue;
      const auto from = begin(each);
      const auto name = sources_.getFileOffset(variable->getLocation());
      const bool plain = !variable->hasInit() || variable->getInitStyle() != VarDecl::CInit;
      edits_.push_back({from, name - from, ""});
      ++moved_;
      if (plain) {
        const auto behind_name = name + variable->getNameAsString().size();
        edits_.push_back({behind_name, 0, " = " + type_of(variable) + "()"});
        ++moved_;
      }
    }
  }

  [[nodiscard]] std::string type_of(const VarDecl* variable) const {
    auto type = variable->getType();
    if (type->getContainedAutoType() == nullptr && variable->getTypeSourceInfo() != nullptr) {
      // As the user wrote it.
      const auto range = variable->getTypeSourceInfo()->getTypeLoc().getSourceRange();
      if (range.isValid() && usable(range.getBegin())) {
        return Lexer::getSourceText(CharSourceRange::getTokenRange(range), sources_, context_.getLangOpts())
            .str();
      }
    }
    auto policy = context_.getPrintingPolicy();
    policy.SuppressTagKeyword = true;
    return type.getUnqualifiedType().getAsString(policy);
  }

  ASTContext& context_;
  const SourceManager& sources_;
  effects_reader reader_;
  report to_;
  std::string text_;
  std::vector<insertion> edits_;
  std::size_t moved_ = 0;
};

class functions : public RecursiveASTVisitor<functions> {
 public:
  functions(ASTContext& context, advisor& to) : sources_(context.getSourceManager()), to_(to) {}
  bool VisitFunctionDecl(FunctionDecl* which) {
    if (!which->doesThisDeclarationHaveABody() || which->isDependentContext()) return true;
    const auto* method = dyn_cast<CXXMethodDecl>(which);
    if (method != nullptr && method->getParent()->isLambda()) return true;  // with the function around it
    if (sources_.isInMainFile(which->getLocation())) to_.function(which);
    return true;
  }

 private:
  const SourceManager& sources_;
  advisor& to_;
};

}  // namespace

std::string suggest(ASTContext& context) {
  advisor adviser(context);
  functions all(context, adviser);
  for (auto* each : context.getTranslationUnitDecl()->decls()) {
    if (context.getSourceManager().isInMainFile(
            context.getSourceManager().getExpansionLoc(each->getLocation()))) {
      all.TraverseDecl(each);
    }
  }
  return adviser.patch();
}

}  // namespace thalweg::spar
