// Arguments of clauses: their text is all there is, so they are checked as far as they are constants and
// names.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <set>

#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include "checks.hpp"

namespace thalweg::spar {
namespace {

using namespace clang;

bool is_text(const std::string& text) {
  return !text.empty() && (text.front() == '"' || text.front() == '\'');
}

bool is_number(const std::string& text) {
  const std::size_t first = !text.empty() && (text.front() == '-' || text.front() == '+') ? 1 : 0;
  if (text.size() <= first || !((text[first] >= '0' && text[first] <= '9') || text[first] == '.'))
    return false;
  return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(first), text.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '\''; });
}

bool is_fraction(const std::string& text) {
  return is_number(text) && text.rfind("0x", 0) != 0 && text.find_first_of(".eEpP") != std::string::npos;
}

/// All variables of a name in the main file, which are few.
class named : public RecursiveASTVisitor<named> {
 public:
  explicit named(const std::string& name) : name_(name) {}
  bool VisitVarDecl(VarDecl* variable) {
    if (variable->getDeclName().isIdentifier() && variable->getName() == name_) found.push_back(variable);
    return true;
  }
  std::vector<const VarDecl*> found;

 private:
  const std::string& name_;
};

class clauses {
 public:
  clauses(const stream& s, ASTContext& context, report& to) : s_(s), context_(context), to_(to) {}

  void check() {
    for (const auto& each : s_.says.clauses) twice(each);
    for (std::size_t i = 0; i < s_.stages.size(); ++i) {
      for (const auto& each : s_.stages[i].says.clauses) {
        twice(each);
        arguments(each, s_.stages[i], i);
      }
    }
  }

 private:
  void wrong(const argument& which, const std::string& text, const std::string& advice) {
    to_.error(to_.at(which.where.begin), text);
    to_.note(to_.at(which.where.begin), advice);
  }

  void twice(const clause& in) {
    if (in.name != "Input" && in.name != "Output") return;
    for (std::size_t i = 1; i < in.arguments.size(); ++i) {
      const auto& again = in.arguments[i];
      const bool before =
          std::any_of(in.arguments.begin(), in.arguments.begin() + static_cast<std::ptrdiff_t>(i),
                      [&](const argument& each) { return each.text == again.text; });
      if (!before) continue;
      to_.warning(to_.at(again.where.begin), "'" + again.text + "' is named twice in '" + in.name + "'");
      const auto range =
          CharSourceRange::getCharRange(to_.at(in.arguments[i - 1].where.end), to_.at(again.where.end));
      to_.note(to_.at(again.where.begin), "leave it out once", FixItHint::CreateRemoval(range));
    }
  }

  /// The value, as far as it is known here.
  [[nodiscard]] std::optional<long long> value(const argument& which) const {
    if (is_number(which.text) && !is_fraction(which.text))
      return std::strtoll(which.text.c_str(), nullptr, 0);
    const auto* variable = variable_of(which);
    if (variable == nullptr || !variable->getType().isConstQualified() || !variable->hasInit())
      return std::nullopt;
    if (variable->getInit()->isValueDependent()) return std::nullopt;
    Expr::EvalResult result;
    if (!variable->getInit()->EvaluateAsInt(result, context_)) return std::nullopt;
    return result.Val.getInt().getExtValue();
  }

  /// The variable that a plain name means: the last one of that name that is declared before, in a scope
  /// around.
  [[nodiscard]] const VarDecl* variable_of(const argument& which) const {
    if (which.names.size() != 1 || which.text != which.names[0]) return nullptr;
    const auto& sources = context_.getSourceManager();
    const VarDecl* last = nullptr;
    named visitor(which.text);
    for (auto* each : context_.getTranslationUnitDecl()->decls()) {
      if (sources.isInMainFile(sources.getExpansionLoc(each->getLocation()))) visitor.TraverseDecl(each);
    }
    for (const auto* each : visitor.found) {
      const bool here = each->getDeclContext() == s_.function || !each->isLocalVarDeclOrParm();
      if (here && sources.getFileOffset(sources.getExpansionLoc(each->getLocation())) < which.where.begin)
        last = each;
    }
    return last;
  }

  void count(const argument& which, const std::string& of, long long least) {
    const auto example = least == 0 ? "0 or more" : "1 or more";
    if (is_text(which.text) || is_fraction(which.text)) {
      return wrong(which, "'" + of + "(" + which.text + ")': it must be a whole number",
                   std::string("write an expression whose value is ") + example);
    }
    if (const auto* variable = variable_of(which)) {
      const auto type = variable->getType().getNonReferenceType();
      if (!type->isDependentType() && !type->isIntegerType() && !type->isRecordType() &&
          !type->isUndeducedAutoType()) {
        return wrong(which,
                     "'" + of + "(" + which.text + ")': '" + which.text + "' is of type '" +
                         type.getUnqualifiedType().getAsString(context_.getPrintingPolicy()) +
                         "', but it must be a whole number",
                     std::string("write an expression whose value is ") + example);
      }
    }
    if (const auto known = value(which); known && *known < least) {
      wrong(which, "'" + of + "(" + which.text + ")': it must be at least " + std::to_string(least),
            of == "Replicate"
                ? "leave the clause out for a serial stage; without a number, the environment variable "
                  "SPAR_NUM_WORKERS says how many"
                : std::string("write an expression whose value is ") + example);
    }
  }

  void arguments(const clause& in, const stage& of, std::size_t number) {
    const auto& given = in.arguments;
    if (in.name == "Replicate" && given.size() == 1) count(given[0], "Replicate", 1);
    if (in.name == "Batch" && !given.empty()) {
      count(given[0], "Batch", 1);
      if (given.size() > 1) count(given[1], "Batch", 0);
    }
    if (in.name == "Adaptive" && given.size() == 2) {
      count(given[0], "Adaptive", 1);
      count(given[1], "Adaptive", 1);
      const auto least = value(given[0]), most = value(given[1]);
      if (least && most && *least >= 1 && *most >= 1 && *most < *least) {
        wrong(given[1],
              "'Adaptive(" + given[0].text + ", " + given[1].text + ")': the most is less than the fewest",
              "write the fewest replicas first");
      }
    }
    if (in.name == "On" && given.size() == 1) {
      if (given[0].text == "\"\"") {
        wrong(given[0], "'On' has an empty name of a host", "write a rank, or the name of a host");
      } else if (given[0].text.front() == '\'' || is_fraction(given[0].text) ||
                 (value(given[0]) && *value(given[0]) < 0)) {
        wrong(given[0], "'On(" + given[0].text + ")' is neither a rank nor a host",
              "a rank is a whole number from 0; a host is a text, as in thalweg::On(\"node1\")");
      }
    }
    if (in.name == "KeyBy" && given.size() == 1) key(given[0], of, number);
  }

  /// A key is made from what arrives at the stage.
  void key(const argument& which, const stage& of, std::size_t number) {
    if (which.names.empty()) {
      return wrong(which, "'KeyBy(" + which.text + ")' is the same for all items",
                   "name an Input of the stage, as in thalweg::KeyBy(user.id)");
    }
    for (const auto& name : which.names) {
      const bool arrives = std::any_of(of.inputs.begin(), of.inputs.end(),
                                       [&](const variable* each) { return each->name == name; });
      named inside(name);
      inside.TraverseStmt(const_cast<Stmt*>(s_.body));
      if (arrives || inside.found.empty()) continue;
      to_.error(to_.at(which.where.begin),
                "'KeyBy' reads '" + name + "', which is not an Input of " + stage_name(number));
      to_.note(to_.at(which.where.begin), "add it to the Input", to_.add(of.says, name, "Input"));
    }
  }

  const stream& s_;
  ASTContext& context_;
  report& to_;
};

}  // namespace

void check_clauses(const stream& s, clang::ASTContext& context, report& to) {
  clauses(s, context, to).check();
}

}  // namespace thalweg::spar
