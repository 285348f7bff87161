// What stages and the source do with variables. They run at the same time, each on another item: what two of
// them share must not change, and what one needs from another must travel in the item.
#include <algorithm>
#include <functional>
#include <optional>

#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/AST/StmtCXX.h>

#include "accesses.hpp"
#include "checks.hpp"
#include "library.hpp"

namespace thalweg::spar {
namespace {

using namespace clang;

template <class List, class Test> bool any(const List& list, Test test) {
  return std::any_of(list.begin(), list.end(), test);
}

/// The statements around a stage, from the stream inwards.
bool path_to(const Stmt* from, const Stmt* to, std::vector<const Stmt*>& path) {
  if (from == nullptr) return false;
  path.push_back(from);
  if (from == to) return true;
  for (const auto* child : from->children()) {
    if (path_to(child, to, path)) return true;
  }
  path.pop_back();
  return false;
}

/// Variables whose value an expression is made from.
class mentioned : public RecursiveASTVisitor<mentioned> {
 public:
  bool VisitDeclRefExpr(DeclRefExpr* named) {
    if (isa<VarDecl>(named->getDecl()) || isa<BindingDecl>(named->getDecl()))
      found.push_back(named->getDecl());
    return true;
  }
  bool VisitMemberExpr(MemberExpr* named) {
    if (isa<FieldDecl>(named->getMemberDecl())) found.push_back(named->getMemberDecl());
    return true;
  }
  std::vector<const ValueDecl*> found;
};

std::vector<const ValueDecl*> variables_in(const Stmt* what) {
  mentioned visitor;
  visitor.TraverseStmt(const_cast<Stmt*>(what));
  return visitor.found;
}

/// `static` and `thread_local` variables that a statement declares.
class statics : public RecursiveASTVisitor<statics> {
 public:
  bool VisitVarDecl(VarDecl* variable) {
    if (variable->isStaticLocal()) found.push_back(variable);
    return true;
  }
  std::vector<const VarDecl*> found;
};

bool per_thread(const ValueDecl* variable) {
  const auto* declared = dyn_cast<VarDecl>(variable);
  return declared != nullptr && declared->getTLSKind() != VarDecl::TLS_None;
}

/// Does a statement depend on a template that is not yet made? Then what it does is not fully known.
bool unclear(const Stmt* what) {
  if (what == nullptr) return false;
  if (const auto* expression = dyn_cast<Expr>(what); expression != nullptr && expression->isTypeDependent())
    return true;
  return any(what->children(), unclear);
}

class variables {
 public:
  variables(const stream& s, ASTContext& context, report& to)
      : s_(s), context_(context), to_(to), reader_(context) {}

  void check() {
    if (s_.stages.empty()) return;
    for (const auto& each : s_.stages) does_.push_back(reader_.read({each.body}));
    read_source();
    for (std::size_t i = 0; i < s_.stages.size(); ++i) {
      check_inputs(i);
      check_outputs(i);
      check_statics(i);
      if (s_.stages[i].replicated) check_replicas(i);
    }
    check_pairs();
    check_source();
  }

 private:
  [[nodiscard]] std::size_t offset(SourceLocation where) const {
    const auto& sources = context_.getSourceManager();
    return sources.getFileOffset(sources.getExpansionLoc(where));
  }
  [[nodiscard]] bool inside(const ValueDecl* variable) const {
    const auto& sources = context_.getSourceManager();
    const auto where = sources.getExpansionLoc(variable->getLocation());
    const auto* declared = dyn_cast<VarDecl>(variable);
    if (declared != nullptr && !declared->hasLocalStorage()) return false;
    if (isa<FieldDecl>(variable) || !sources.isInMainFile(where)) return false;
    return s_.text.begin <= offset(where) && offset(where) < s_.text.end;
  }
  static bool lists(const std::vector<variable*>& list, const ValueDecl* declared) {
    return any(list, [&](const variable* each) {
      return each->declared == declared || bound_to(each->declared) == declared;
    });
  }
  [[nodiscard]] bool input(std::size_t i, const ValueDecl* variable) const {
    return lists(s_.stages[i].inputs, variable);
  }
  [[nodiscard]] bool output(std::size_t i, const ValueDecl* variable) const {
    return lists(s_.stages[i].outputs, variable);
  }
  /// `Output(v[i])`: the stage says itself that it writes an element of its own.
  [[nodiscard]] bool element_output(std::size_t i, const std::string& name) const {
    return any(s_.stages[i].says.clauses, [&](const clause& each) {
      return each.name == "Output" && any(each.arguments, [&](const argument& one) {
               return one.names.size() > 1 && one.names[0] == name;
             });
    });
  }
  /// Does the variable travel as a copy, so that a change of it is seen by nobody else?
  [[nodiscard]] bool own_copy(std::size_t i, const ValueDecl* variable) const {
    if (!input(i, variable) && !output(i, variable)) return false;
    const auto* declared = dyn_cast<VarDecl>(variable);
    return inside(variable) || declared == nullptr || !declared->getType()->isReferenceType();
  }
  static std::string name(const ValueDecl* variable) { return variable->getNameAsString(); }
  static std::string by(const access& made) {
    return made.inside == nullptr ? "" : " in '" + plain_name(made.inside) + "'";
  }
  [[nodiscard]] static SourceLocation place(const access& made) { return made.where->getExprLoc(); }

  /// Is the value of an expression another one for each item?
  [[nodiscard]] bool depends_on_item(const Stmt* what, int depth = 0) const {
    if (what == nullptr || depth > 5) return false;
    return any(variables_in(what), [&](const ValueDecl* each) {
      if (inside(each)) {
        // Declared in a stage: it depends on what it is made from.
        const auto where = offset(each->getLocation());
        const bool in_stage =
            any(s_.stages, [&](const stage& one) { return one.text.begin <= where && where < one.text.end; });
        if (!in_stage) return true;
        const auto* declared = dyn_cast<VarDecl>(each);
        return declared == nullptr || depends_on_item(declared->getInit(), depth + 1);
      }
      // Counted by the source.
      return any(source_.accesses, [&](const access& made) { return made.variable == each && made.changes; });
    });
  }

  /// Can a place race with the same or another place that runs at the same time on another item?
  [[nodiscard]] bool may_race(std::size_t i, const access& made) const {
    return made.guards.empty() && shares(i, made);
  }
  /// The same without regard to mutexes.
  [[nodiscard]] bool shares(std::size_t i, const access& made) const {
    const auto* variable = made.variable;
    if (made_for_threads(variable) || per_thread(variable)) return false;
    if (isa<ParmVarDecl>(variable) && variable->getType()->isDependentType()) return false;
    if (made.part == reach::target) {
      // Each item has its own pointer.
      if (inside(variable) || input(i, variable)) return false;
      return !depends_on_item(made.index);
    }
    if (own_copy(i, variable)) return false;
    if (made.part == reach::element) {
      if (element_output(i, name(variable))) return false;
      if (made.index != nullptr && depends_on_item(made.index))
        return is_bits(variable->getType()) && made.changes;
    }
    return true;
  }

  void read_source() {
    std::set<const Stmt*> stages;
    for (const auto& each : s_.stages) stages.insert(each.body);
    path_to(s_.body, s_.stages.front().body, path_);
    path_.pop_back();  // the stage itself
    for (const auto* around : path_) {
      if (const auto* counted = dyn_cast<ForStmt>(around)) {
        add_round({counted->getCond(), counted->getBody(), counted->getInc()}, stages);
      } else if (const auto* until = dyn_cast<WhileStmt>(around)) {
        add_round({until->getConditionVariableDeclStmt(), until->getCond(), until->getBody()}, stages);
      } else if (const auto* once = dyn_cast<DoStmt>(around)) {
        add_round({once->getBody(), once->getCond()}, stages);
      } else if (const auto* range = dyn_cast<CXXForRangeStmt>(around)) {
        add_round({range->getLoopVarStmt(), range->getBody()}, stages);
      }
    }
    if (rounds_.empty()) add_round({s_.body}, stages);
    source_ = rounds_.front();
    std::vector<const Stmt*> path;
    path_to(s_.body, s_.stages.back().body, path);
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      const auto* block = dyn_cast<CompoundStmt>(path[i]);
      if (block == nullptr) continue;
      bool behind = false;
      for (const auto* each : block->body()) {
        if (behind) behind_.push_back(each);
        if (each == path[i + 1]) behind = true;
      }
    }
  }
  void add_round(const std::vector<const Stmt*>& what, const std::set<const Stmt*>& stages) {
    rounds_.push_back(reader_.read(what, stages, true));
  }

  [[nodiscard]] const access* change_in(const effects& does, const ValueDecl* variable) const {
    for (const auto& each : does.accesses) {
      if (each.variable == variable && each.changes) return &each;
    }
    return nullptr;
  }
  [[nodiscard]] bool source_changes(const ValueDecl* variable) const {
    return any(rounds_, [&](const effects& round) { return change_in(round, variable) != nullptr; });
  }

  // --- What a stage reads must be its Input.
  void check_inputs(std::size_t i) {
    std::set<const ValueDecl*> said;
    const auto& of = s_.stages[i];
    for (const auto& made : does_[i].accesses) {
      const auto* variable = made.variable;
      if (input(i, variable) || said.count(variable) > 0 || !made.reads || made.inside != nullptr) continue;
      const bool given = output(i, variable);
      if (inside(variable)) {
        // A reference into what is shared is resolved to that.
        if (given && (!made.exposed || !lost(i, variable))) continue;
        said.insert(variable);
        to_.error(place(made), stage_name(i) + " reads '" + name(variable) +
                                   "', a variable of the stream, which is not its Input");
        to_.note(to_.at(of.says.where.begin), "add it to the Input",
                 to_.add(of.says, name(variable), "Input"));
        continue;
      }
      if (!may_race(i, made) || given || !source_changes(variable) || isa<FieldDecl>(variable)) continue;
      if (any(does_[i].accesses,
              [&](const access& each) { return each.variable == variable && each.changes; })) {
        continue;  // a race, which is said there
      }
      if (made.part == reach::target) continue;
      said.insert(variable);
      to_.error(place(made), stage_name(i) + " reads '" + name(variable) +
                                 "', which the source changes for each item, but it is not its Input");
      to_.note(to_.at(of.says.where.begin), "add it to the Input", to_.add(of.says, name(variable), "Input"));
      for (const auto& round : rounds_) {
        if (const auto* changed = change_in(round, variable)) {
          to_.note(place(*changed), "the source changes it here");
          break;
        }
      }
    }
    for (const auto& each : of.says.clauses) {
      if (each.name != "Input") continue;
      for (const auto& one : each.arguments) unread(i, one);
    }
  }

  /// Does an Output that is not an Input have another value before the stage than the one that it is declared
  /// with? The stage begins with that one.
  [[nodiscard]] bool lost(std::size_t i, const ValueDecl* variable) const {
    if (change_in(does_[i], variable) == nullptr) return false;
    const bool anew = any(s_.stages[i].outputs, [&](const spar::variable* each) {
      return each->declared == variable && !each->declaration.empty();
    });
    if (!anew) return false;
    for (std::size_t k = 0; k < i; ++k) {
      if (change_in(does_[k], variable) != nullptr && output(k, variable)) return true;
    }
    return source_changes(variable);
  }

  void unread(std::size_t i, const argument& one) {
    if (one.names.size() != 1 || one.text != one.names[0] || unclear(s_.stages[i].body)) return;
    for (const auto* each : s_.stages[i].inputs) {
      if (each->name != one.text || output(i, each->declared)) continue;
      const auto named = variables_in(s_.stages[i].body);
      if (any(named, [&](const ValueDecl* other) { return other == each->declared; }) ||
          names_in_clauses(i, one.text)) {
        continue;
      }
      to_.warning(to_.at(one.where.begin),
                  "'" + one.text + "' is an Input of " + stage_name(i) + ", which does not read it");
      to_.note(to_.at(one.where.begin), "leave it out: what later stages need passes by without it");
    }
  }
  [[nodiscard]] bool names_in_clauses(std::size_t i, const std::string& name) const {
    return any(s_.stages[i].says.clauses, [&](const clause& each) {
      return each.name != "Input" && each.name != "Output" && any(each.arguments, [&](const argument& one) {
               return any(one.names, [&](const std::string& other) { return other == name; });
             });
    });
  }

  // --- What a stage gives must come from it, and what it changes must be given.
  void check_outputs(std::size_t i) {
    const auto& of = s_.stages[i];
    for (const auto* each : of.outputs) {
      const auto* changed = change_in(does_[i], each->declared);
      if (changed == nullptr) {
        const bool named =
            any(variables_in(of.body), [&](const ValueDecl* v) { return v == each->declared; });
        if (input(i, each->declared) || (named && unclear(of.body))) continue;
        const auto where = argument_place(of, "Output", each->name);
        to_.error(where,
                  "'" + each->name + "' is an Output of " + stage_name(i) + ", which gives it no value");
        to_.note(where, named ? "the stage only reads it: make it an Input"
                              : "assign it in the stage, or leave it out");
        continue;
      }
      if (!each->inside || input(i, each->declared) || does_[i].assigned.count(each->declared) > 0) continue;
      if (!lost(i, each->declared)) continue;
      const bool read =
          any(does_[i].accesses, [&](const access& a) { return a.variable == each->declared && a.exposed; });
      if (read || unclear(of.body)) continue;  // said with the Inputs
      const auto where = argument_place(of, "Output", each->name);
      to_.error(where, stage_name(i) + " does not give its Output '" + each->name + "' a value on every way");
      to_.note(where, "make it an Input, too: then an item keeps the value that it has",
               to_.add(of.says, each->name, "Input"));
    }
    std::set<const ValueDecl*> said;
    for (const auto& made : does_[i].accesses) {
      const auto* variable = made.variable;
      if (!made.changes || made.part == reach::target || output(i, variable) || !said.insert(variable).second)
        continue;
      if (!inside(variable) && !input(i, variable)) continue;
      // A variable that the source has bound to something else.
      if (variable->getType()->isReferenceType() || made.moves) continue;
      for (std::size_t j = i + 1; j < s_.stages.size(); ++j) {
        const auto read =
            std::find_if(does_[j].accesses.begin(), does_[j].accesses.end(),
                         [&](const access& each) { return each.variable == variable && each.exposed; });
        if (read == does_[j].accesses.end()) continue;
        to_.error(place(made), stage_name(i) + " changes '" + name(variable) + "', which " + stage_name(j) +
                                   " reads, but it is not its Output");
        to_.note(to_.at(of.says.where.begin), "add it to the Output",
                 to_.add(of.says, name(variable), "Output"));
        to_.note(place(*read), "it is read here");
        break;
      }
    }
    moved(i);
  }

  /// `std::move` of something that a later stage reads from the same item is seen there: it travels as a
  /// copy. Only what is shared is lost.
  void moved(std::size_t i) {
    for (const auto& made : does_[i].accesses) {
      if (!made.moves || !may_race(i, made) || inside(made.variable) || s_.stages[i].replicated) continue;
      to_.warning(place(made), "'" + name(made.variable) +
                                   "' is shared, and empty for all later items once " + stage_name(i) +
                                   " has moved it");
      to_.note(place(made), "copy it, or make it an Input");
      break;
    }
  }

  [[nodiscard]] SourceLocation argument_place(const stage& of, const std::string& clause_name,
                                              const std::string& of_name) const {
    for (const auto& each : of.says.clauses) {
      if (each.name != clause_name) continue;
      for (const auto& one : each.arguments) {
        if (one.text == of_name) return to_.at(one.where.begin);
      }
    }
    return to_.at(of.says.where.begin);
  }

  // --- Static variables are one for all replicas.
  void check_statics(std::size_t i) {
    if (!s_.stages[i].replicated) return;
    statics visitor;
    visitor.TraverseStmt(const_cast<Stmt*>(s_.stages[i].body));
    for (const auto* each : visitor.found) {
      if (each->getType().isConstQualified() || made_for_threads(each)) continue;
      if (per_thread(each)) {
        to_.warning(each->getLocation(),
                    "'" + name(each) + "' is one for each thread, not for each replica of " + stage_name(i));
        to_.note(each->getLocation(), "replicas share threads, and may change them: keep state elsewhere");
      }
    }
  }

  // --- Replicas run the same statements at the same time.
  void check_replicas(std::size_t i) {
    std::set<const ValueDecl*> said;
    for (const auto& made : does_[i].accesses) {
      const auto* variable = made.variable;
      if (!made.changes || said.count(variable) > 0) continue;
      if (prints(made)) {
        said.insert(variable);
        to_.warning(place(made),
                    "the replicas of " + stage_name(i) + " write to '" + name(variable) + "' in any order");
        to_.note(place(made), "write in a serial stage behind it: there, items come in their order");
        continue;
      }
      if (!may_race(i, made)) {
        if (carried(i, made)) said.insert(variable);
        continue;
      }
      said.insert(variable);
      if (inside(variable)) {
        const bool read =
            any(does_[i].accesses, [&](const access& a) { return a.variable == variable && a.exposed; });
        if (!read) undeclared_output(i, made);  // otherwise said with the Inputs
        continue;
      }
      if (made.by_call) {
        unsure(i, made);
        continue;
      }
      const std::string target =
          made.part == reach::target ? "what '" + name(variable) + "' points to" : "'" + name(variable) + "'";
      std::string what = stage_name(i) + " is replicated, and its replicas all change " + target + by(made);
      const auto* local = dyn_cast<VarDecl>(variable);
      if (local != nullptr && local->isStaticLocal()) {
        what += ": a static variable is one for all of them";
      } else if (made.part == reach::element && is_bits(variable->getType())) {
        what += ": its elements share bytes";
      } else if (made.part == reach::target) {
        what += ", which they share";
      } else {
        what += ", which is neither an Output nor declared in the stage";
      }
      to_.error(place(made), what);
      to_.note(place(made), advice(made));
    }
  }

  [[nodiscard]] static std::string advice(const access& made) {
    if (is_bits(made.variable->getType())) return "use a std::vector<char>, or write it in a serial stage";
    if (made.part == reach::element) {
      return "write an element that an Input picks, write it in a serial stage behind this one, or lock a "
             "mutex";
    }
    if (made.variable->getType().getNonReferenceType()->isIntegerType() && made.part == reach::whole) {
      return "make it a std::atomic, lock a mutex around it, or give each item its part as an Output and add "
             "them in a "
             "serial stage";
    }
    return "change it in a serial stage behind this one, which gets what it needs as its Input, or lock a "
           "mutex around it";
  }

  /// Of the standard streams, only the one that users read as the result.
  [[nodiscard]] static bool prints(const access& made) {
    return in_std(made.variable) && (name(made.variable) == "cout" || name(made.variable) == "wcout");
  }

  /// A variable of the loop that a stage sets without saying so. It is of no use to anybody else.
  void undeclared_output(std::size_t i, const access& made) {
    const auto* variable = made.variable;
    for (std::size_t j = i + 1; j < s_.stages.size(); ++j) {
      if (any(does_[j].accesses,
              [&](const access& each) { return each.variable == variable && each.exposed; }))
        return;
    }
    to_.error(place(made), stage_name(i) + " is replicated, and its replicas all change '" + name(variable) +
                               "', which is neither an Output nor declared in the stage");
    to_.note(to_.at(s_.stages[i].says.where.begin), "declare it in the stage, or add it to the Output",
             to_.add(s_.stages[i].says, name(variable), "Output"));
  }

  /// What a function does with it is not seen here.
  void unsure(std::size_t i, const access& made) {
    const auto* method = dyn_cast_or_null<CXXMethodDecl>(made.callee);
    const auto called =
        made.callee == nullptr ? std::string("a function") : "'" + plain_name(made.callee) + "'";
    if (method != nullptr && !method->isStatic() && !isa<CXXConstructorDecl>(method)) {
      to_.warning(place(made), "the replicas of " + stage_name(i) + " all call " + called + " on '" +
                                   name(made.variable) + "', which they share" + by(made) +
                                   ": this is as safe as that function");
      to_.note(place(made),
               "if it only reads, declare it const; if it changes its object, lock a mutex around the call, "
               "or call it in a serial stage");
    } else {
      to_.warning(place(made), "the replicas of " + stage_name(i) + " all give '" + name(made.variable) +
                                   "', which they share, to " + called + by(made) + ", which may change it");
      to_.note(place(made),
               "if it only reads, let it take a reference to const; otherwise make it an Output, or lock a "
               "mutex around the call");
    }
  }

  /// A value that goes from one item to the next cannot be an Output of a replicated stage.
  bool carried(std::size_t i, const access& made) {
    const auto* variable = made.variable;
    if (!output(i, variable) || inside(variable) || made.part != reach::whole) return false;
    const bool read =
        any(does_[i].accesses, [&](const access& each) { return each.variable == variable && each.exposed; });
    if (!read || source_changes(variable)) return false;
    to_.error(place(made), "'" + name(variable) + "' goes from one item to the next, so " + stage_name(i) +
                               " cannot be replicated");
    to_.note(place(made),
             "give each item its part in a variable of its own, and add them in a serial stage behind it");
    return true;
  }

  // --- Two stages run at the same time.
  void check_pairs() {
    std::set<const ValueDecl*> said;
    for (std::size_t j = 0; j < s_.stages.size(); ++j) {
      for (const auto& second : does_[j].accesses) {
        for (std::size_t i = 0; i < j; ++i) {
          for (const auto& first : does_[i].accesses) {
            if (first.variable != second.variable || said.count(first.variable) > 0) continue;
            if (pair(i, first, j, second)) said.insert(first.variable);
          }
        }
      }
    }
  }

  bool pair(std::size_t i, const access& first, std::size_t j, const access& second) {
    const auto* variable = first.variable;
    if ((!first.changes && !second.changes) || inside(variable)) return false;
    if (made_for_threads(variable) || per_thread(variable)) return false;
    if (prints(first) || prints(second)) return false;
    // The replicas of a stage race already with each other: that is said.
    const auto raced = [&](std::size_t of, const access& made) {
      return s_.stages[of].replicated && made.changes && may_race(of, made);
    };
    if (raced(i, first) || raced(j, second)) return false;
    if (guarded(first, second)) return false;
    const bool travels =
        (output(i, variable) || input(i, variable)) && (input(j, variable) || output(j, variable));
    if (output(i, variable) && !input(j, variable) && !output(j, variable) && !second.changes) {
      to_.error(place(second), stage_name(j) + " reads '" + name(variable) + "', which " + stage_name(i) +
                                   " gives, but it is not its Input");
      to_.note(to_.at(s_.stages[j].says.where.begin), "add it to the Input",
               to_.add(s_.stages[j].says, name(variable), "Input"));
      return true;
    }
    if (travels && !source_changes(variable) && first.exposed && output(j, variable) && second.changes) {
      // What stage j gives is read by stage i for the next item.
      to_.error(place(first), stage_name(i) + " reads '" + name(variable) + "', which " + stage_name(j) +
                                  " changes for the item before: that stage works at the same time");
      to_.note(place(second), "it is changed here; put both into one stage");
      return true;
    }
    if (travels || own_copy(i, variable) != own_copy(j, variable)) {
      if (!travels && second.changes && own_copy(j, variable) && first.exposed && output(j, variable)) {
        to_.error(place(first), stage_name(i) + " reads '" + name(variable) + "', which " + stage_name(j) +
                                    " changes for the item before: that stage works at the same time");
        to_.note(place(second), "it is changed here; put both into one stage");
        return true;
      }
      return false;
    }
    if (!shares(i, first) || !shares(j, second)) return false;
    if (first.part == reach::element && second.part == reach::element &&
        (only_size(first) || only_size(second))) {
      return false;
    }
    const bool both = first.changes && second.changes;
    const auto text = both ? "stages " + std::to_string(i + 1) + " and " + std::to_string(j + 1) +
                                 " both change '" + name(variable) + "', and work at the same time"
                           : (first.changes ? stage_name(j) : stage_name(i)) + " reads '" + name(variable) +
                                 "', which " + (first.changes ? stage_name(i) : stage_name(j)) +
                                 " changes at the same time";
    const bool sure = !(first.changes && first.by_call) && !(second.changes && second.by_call);
    const auto& shown = both || first.changes ? second : first;
    const auto& other = both || first.changes ? first : second;
    if (sure) {
      to_.error(place(shown), text);
    } else {
      to_.warning(place(shown), text + ", unless the functions that get it are made for several threads");
    }
    to_.note(place(other), "it is changed here" + by(other));
    to_.note(place(shown),
             "put both into one stage, let it travel as an Output and an Input, or lock a mutex around both");
    return true;
  }

  static bool only_size(const access& made) { return made.callee != nullptr && only_reads(made.callee); }
  static bool guarded(const access& first, const access& second) {
    return any(first.guards, [&](const ValueDecl* each) {
      return std::find(second.guards.begin(), second.guards.end(), each) != second.guards.end();
    });
  }

  // --- The source is ahead of all stages.
  void check_source() {
    std::set<const ValueDecl*> said;
    const auto last_end = s_.stages.back().text.end;
    std::set<const Stmt*> none;
    const auto behind = behind_.empty() ? effects() : reader_.read(behind_);
    for (const auto& made : behind.accesses) {
      if (made.exposed) late(made, true, said);
    }
    for (const auto& round : rounds_) {
      for (const auto& made : round.accesses) {
        if (made.exposed && !made.where->getExprLoc().isInvalid())
          late(made, offset(place(made)) > last_end, said);
        if (made.changes && !made.reads) both_change(made, said);
      }
    }
  }

  /// The source reads what a stage gives.
  void late(const access& made, bool behind, std::set<const ValueDecl*>& said) {
    const auto* variable = made.variable;
    if (said.count(variable) > 0 || made_for_threads(variable) || per_thread(variable)) return;
    if (made.part == reach::target) return;
    for (std::size_t i = 0; i < s_.stages.size(); ++i) {
      const auto* changed = change_in(does_[i], variable);
      if (changed == nullptr || changed->part == reach::target || guarded(made, *changed)) continue;
      if (changed->moves && own_copy(i, variable)) continue;
      if (made.part == reach::element && changed->part == reach::element && only_size(made)) continue;
      // What a stage does with its own copy is not seen by the source.
      const bool kept_back = own_copy(i, variable) && !output(i, variable);
      if (changed->index != nullptr && depends_on_item(changed->index) && made.index != nullptr &&
          depends_on_item(made.index) && !behind) {
        continue;
      }
      said.insert(variable);
      const std::string text = "the source reads '" + name(variable) + "', which " + stage_name(i) +
                               " changes" + by(*changed) + ": the source is ahead of the stages";
      if (changed->by_call && !output(i, variable) && !kept_back) {
        to_.warning(place(made), text);
      } else {
        to_.error(place(made), text);
      }
      to_.note(place(*changed), "it is changed here");
      to_.note(place(made),
               behind ? "statements behind the last stage belong to the source: put this one into a stage"
                      : "compute it in the source, or put what needs it into the stage");
      return;
    }
  }

  void both_change(const access& made, std::set<const ValueDecl*>& said) {
    const auto* variable = made.variable;
    if (inside(variable) || said.count(variable) > 0 || made_for_threads(variable) || per_thread(variable))
      return;
    for (std::size_t i = 0; i < s_.stages.size(); ++i) {
      for (const auto& changed : does_[i].accesses) {
        if (changed.variable != variable || !changed.changes || !shares(i, changed) || guarded(made, changed))
          continue;
        if (made.part == reach::target || prints(made) || output(i, variable) || input(i, variable)) continue;
        if (s_.stages[i].replicated) continue;  // a race of its replicas, too
        said.insert(variable);
        to_.error(place(changed), stage_name(i) + " changes '" + name(variable) +
                                      "', which the source changes at the same time");
        to_.note(place(made), "the source changes it here");
        to_.note(place(changed), "make it an Input, and an Output if later stages need it");
        return;
      }
    }
  }

  const stream& s_;
  ASTContext& context_;
  report& to_;
  effects_reader reader_;
  std::vector<effects> does_;    ///< of each stage
  std::vector<effects> rounds_;  ///< of the source: one round of each loop around the stages, from outside
  effects source_;
  std::vector<const Stmt*> path_;
  std::vector<const Stmt*> behind_;
};

}  // namespace

void check_variables(const stream& s, clang::ASTContext& context, report& to) {
  variables(s, context, to).check();
}

}  // namespace thalweg::spar
