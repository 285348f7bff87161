// Dependences between the statements of a loop's body. What one round gives to the next keeps its statements
// together and in order; what a statement gives to a later one of the same round can travel.
#include "loops.hpp"

#include <algorithm>
#include <map>

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>

#include "library.hpp"

namespace thalweg::spar {

using namespace clang;

bool is_loop(const Stmt* what) {
  return isa<ForStmt>(what) || isa<WhileStmt>(what) || isa<DoStmt>(what) || isa<CXXForRangeStmt>(what);
}

namespace {

bool has_loop(const Stmt* what) {
  if (what == nullptr) return false;
  return is_loop(what) || std::any_of(what->children().begin(), what->children().end(), has_loop);
}

/// Jumps out of a statement of a loop's body: to the next round, out of the loop, out of the function.
struct exits {
  const Stmt* breaks = nullptr;
  const Stmt* leaves = nullptr;
};

void find_jumps(const Stmt* what, bool breaks_inner, exits& found) {
  if (what == nullptr || isa<LambdaExpr>(what)) return;
  if (isa<BreakStmt>(what) && !breaks_inner) found.breaks = what;
  if (isa<ReturnStmt>(what) || isa<GotoStmt>(what) || isa<IndirectGotoStmt>(what) ||
      isa<CoreturnStmt>(what) || isa<CoawaitExpr>(what) || isa<CoyieldExpr>(what)) {
    found.leaves = what;
  }
  const bool inner = breaks_inner || is_loop(what) || isa<SwitchStmt>(what);
  for (const auto* child : what->children()) find_jumps(child, inner, found);
}

/// One statement of the body.
struct step {
  const Stmt* statement;
  effects does;
  bool jumps = false;
};

bool asks_for_size(const access& made) {
  return !made.changes && made.callee != nullptr && only_reads(made.callee);
}

/// Element access, sizes: not worth a stage.
bool takes_no_time(const call& which) {
  return which.callee != nullptr && (gives_access(which.callee) || only_reads(which.callee));
}

class cutter {
 public:
  cutter(const Stmt* loop, const FunctionDecl* function, effects_reader& reader)
      : function_(function), reader_(reader), sources_(reader.context().getSourceManager()) {
    result_.loop = loop;
  }

  cut_loop cut() {
    read();
    if (!result_.in_the_way.empty()) return std::move(result_);
    bind_together();
    make_parts();
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::string line(SourceLocation where) const {
    return std::to_string(sources_.getExpansionLineNumber(where));
  }
  static std::string name(const ValueDecl* variable) { return variable->getNameAsString(); }

  void read() {
    const auto* loop = result_.loop;
    const Stmt* body = nullptr;
    std::vector<const Stmt*> head;
    if (const auto* counted = dyn_cast<ForStmt>(loop)) {
      body = counted->getBody();
      head = {counted->getCond()};
      inc_ = counted->getInc();
      if (counted->getInit() != nullptr) note_declared(counted->getInit());
    } else if (const auto* until = dyn_cast<WhileStmt>(loop)) {
      body = until->getBody();
      head = {until->getCond()};
      if (until->getConditionVariable() != nullptr) locals_.push_back(until->getConditionVariable());
    } else if (const auto* once = dyn_cast<DoStmt>(loop)) {
      body = once->getBody();
      head = {once->getCond()};  // The first round begins without it, which makes no difference to the rest.
    } else if (const auto* range = dyn_cast<CXXForRangeStmt>(loop)) {
      body = range->getBody();
      head = {range->getRangeInit()};
      note_variable(range->getLoopVariable());
    }
    steps_.push_back({nullptr, reader_.read(head), false});
    if (inc_ != nullptr) inc_does_ = reader_.read({inc_});
    const auto* block = dyn_cast<CompoundStmt>(body);
    std::vector<const Stmt*> statements;
    if (block != nullptr) {
      statements.assign(block->body_begin(), block->body_end());
    } else if (body != nullptr) {
      statements = {body};
    }
    for (const auto* each : statements) {
      if (isa<NullStmt>(each)) continue;
      exits found;
      find_jumps(each, false, found);
      if (found.leaves != nullptr) {
        result_.in_the_way.push_back(
            {found.leaves->getBeginLoc(),
             "this leaves the loop; only 'break' may: keep the result in a variable, and use "
             "it behind the loop"});
      }
      note_declared(each);
      steps_.push_back({each, reader_.read({each}), found.breaks != nullptr});
      for (const auto& called : steps_.back().does.calls) {
        result_.worth_it = result_.worth_it || called.callee == nullptr ||
                           !of_standard_library(called.callee) ||
                           changed_argument(plain_name(called.callee)) != no_argument;
      }
      result_.worth_it = result_.worth_it || has_loop(each);
    }
    part_of_.resize(steps_.size());
    for (std::size_t i = 0; i < steps_.size(); ++i) part_of_[i] = i;
    serial_.resize(steps_.size());
    for (std::size_t i = 1; i < steps_.size(); ++i) {
      if (steps_[i].jumps) join(0, i);
    }
  }

  void note_variable(const VarDecl* variable) {
    if (const auto* parts = dyn_cast<DecompositionDecl>(variable)) {
      for (const auto* each : parts->bindings()) locals_.push_back(each);
    }
    locals_.push_back(variable);
  }
  void note_declared(const Stmt* what) {
    const auto* declared = dyn_cast<DeclStmt>(what);
    if (declared == nullptr) return;
    for (const auto* each : declared->decls()) {
      if (const auto* variable = dyn_cast<VarDecl>(each); variable != nullptr && !variable->isStaticLocal()) {
        note_variable(variable);
      }
    }
  }
  [[nodiscard]] bool local(const ValueDecl* variable) const {
    return std::find(locals_.begin(), locals_.end(), variable) != locals_.end();
  }

  /// Everything from one statement to another must be in one part.
  void join(std::size_t first, std::size_t last) {
    const auto lowest = part_of_[first];
    const auto highest = part_of_[last];
    for (std::size_t i = first; i < steps_.size(); ++i) {
      if (i <= last || part_of_[i] == highest) part_of_[i] = lowest;
    }
  }

  /// `v[i]`, where the loop counts `i`: another element in each round.
  [[nodiscard]] bool own_element(const access& made) const {
    if (made.index == nullptr) return false;
    const auto* named = dyn_cast<DeclRefExpr>(made.index->IgnoreParenImpCasts());
    if (named == nullptr || !local(named->getDecl()) || inc_ == nullptr) return false;
    const bool counted =
        std::any_of(inc_does_.accesses.begin(), inc_does_.accesses.end(),
                    [&](const access& each) { return each.variable == named->getDecl() && each.changes; });
    const bool changed_elsewhere = std::any_of(steps_.begin(), steps_.end(), [&](const step& each) {
      return std::any_of(each.does.accesses.begin(), each.does.accesses.end(), [&](const access& other) {
        return other.variable == named->getDecl() && other.changes;
      });
    });
    return counted && !changed_elsewhere && !is_bits(made.variable->getType());
  }

  /// Each variable that the loop changes, and that lives longer than a round.
  void bind_together() {
    std::vector<const ValueDecl*> order;
    std::map<const ValueDecl*, std::vector<std::pair<std::size_t, const access*>>> places;
    const auto add = [&](std::size_t i, const effects& does) {
      for (const auto& each : does.accesses) {
        if (made_for_threads(each.variable)) continue;
        if (places[each.variable].empty()) order.push_back(each.variable);
        places[each.variable].push_back({i, &each});
      }
    };
    for (std::size_t i = 0; i < steps_.size(); ++i) add(i, steps_[i].does);
    for (const auto* variable : order) {
      auto& all = places[variable];
      const bool elements = std::all_of(all.begin(), all.end(), [](const auto& each) {
        return !each.second->changes || each.second->part == reach::element;
      });
      // What changes elements leaves the size as it is.
      if (elements) std::erase_if(all, [](const auto& each) { return asks_for_size(*each.second); });
      if (!all.empty()) bind(variable, all);
    }
    for (std::size_t i = 1; i < steps_.size(); ++i) look_at_calls(i);
  }

  void bind(const ValueDecl* variable, const std::vector<std::pair<std::size_t, const access*>>& places) {
    const auto* counted = head_variable(variable);
    std::vector<std::pair<std::size_t, const access*>> changes;
    bool all_own = true, direct = true;
    for (const auto& [at, made] : places) {
      if (made->changes) changes.push_back({at, made});
      all_own = all_own && own_element(*made);
      direct = direct && made->part != reach::target;
    }
    if (changes.empty()) return;
    const auto type = variable->getType();
    if (local(variable) && counted == nullptr) {
      // It lives for one round: it travels. What it refers to may be shared.
      if (range_variable(variable)) return;
      const bool pointer = type->isReferenceType() || (!direct && !owns(type));
      if (!pointer) return;
      for (const auto& [at, made] : changes) {
        if (made->part != reach::target && !type->isReferenceType()) continue;
        serial_[at].push_back(
            {made->where->getExprLoc(),
             "what '" + name(variable) + "' refers to is changed here, and other items may have it, too"});
      }
      return;
    }
    if (all_own) return;
    const auto last = changes.back().first;
    // Reads of the value that the round before left.
    const access* reader = nullptr;
    std::size_t first = changes.front().first;
    bool renewed = false;
    std::size_t reader_at = 0;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      for (const auto& [at, made] : places) {
        if (at != i || !made->exposed || renewed) continue;
        if (at <= last || !travels(variable, direct)) {
          first = std::min(first, at);
          if (reader == nullptr) reader = made, reader_at = at;
        }
      }
      renewed = renewed || steps_[i].does.assigned.count(variable) > 0;
    }
    if (counted != nullptr && reader == nullptr) reader = changes.front().second;
    const bool whole = direct && renewed && reader == nullptr;
    if (whole && travels(variable, direct)) {
      renewed_.push_back(variable);
      return;
    }
    auto end = last;
    if (!travels(variable, direct)) {
      for (const auto& [at, made] : places) end = std::max(end, at);
    }
    if (counted != nullptr) first = 0;  // the head of the loop is the source
    const auto* changed = changes.front().second;
    std::string text = "'" + name(variable) + "' is changed here";
    if (reader != nullptr && reader_at != changes.front().first) {
      text += ", and line " + line(reader->where->getExprLoc()) + " reads it for the next item";
    } else if (reader != nullptr) {
      text += ", and read here for the next item";
    } else {
      text += ", and kept for later";
    }
    if (changed->by_call && changed->callee != nullptr) {
      text = "'" + plain_name(changed->callee) + "' gets '" + name(variable) +
             "' and may change it: its body is not seen";
    } else if (changed->inside != nullptr) {
      text += " (in '" + plain_name(changed->inside) + "')";
    }
    join(first, end);
    carried_.push_back(variable);
    serial_[changes.front().first].push_back({changed->where->getExprLoc(), text});
  }

  /// A variable that the head of a counting loop declares.
  [[nodiscard]] const ValueDecl* head_variable(const ValueDecl* variable) const {
    const auto* counted = dyn_cast<ForStmt>(result_.loop);
    const auto* init = counted == nullptr ? nullptr : dyn_cast_or_null<DeclStmt>(counted->getInit());
    if (init == nullptr) return nullptr;
    for (const auto* each : init->decls()) {
      if (each == variable) return variable;
    }
    return nullptr;
  }
  [[nodiscard]] bool range_variable(const ValueDecl* variable) const {
    const auto* range = dyn_cast<CXXForRangeStmt>(result_.loop);
    if (range == nullptr) return false;
    if (range->getLoopVariable() == variable) return true;
    const auto* bound = dyn_cast<BindingDecl>(variable);
    return bound != nullptr && bound->getDecomposedDecl() == range->getLoopVariable();
  }
  /// A pointer that is the only one to its object.
  static bool owns(QualType type) {
    const auto* record = type->getAsCXXRecordDecl();
    return record != nullptr && in_std(record) && plain_name(record) == "unique_ptr";
  }
  [[nodiscard]] bool travels(const ValueDecl* variable, bool direct) const {
    const auto* declared = dyn_cast<VarDecl>(variable);
    return direct && declared != nullptr && declared->hasLocalStorage() &&
           !declared->getType()->isReferenceType();
  }

  void look_at_calls(std::size_t i) {
    std::vector<const FunctionDecl*> said;
    for (const auto& each : steps_[i].does.calls) {
      const auto where = each.where->getExprLoc();
      if (each.callee == nullptr) {
        unseen_[i].push_back({where, "this calls a function that is not known before the program runs"});
        continue;
      }
      if (std::find(said.begin(), said.end(), each.callee) != said.end()) continue;
      said.push_back(each.callee);
      if (does_io(each.callee)) {
        io_[i] = true;
        serial_[i].push_back(
            {where, "'" + plain_name(each.callee) + "' reads or writes, in the order of the items"});
      } else if (!each.seen && !of_standard_library(each.callee) && !each.callee->isDefaulted() &&
                 !each.callee->isConstexpr() && !each.callee->hasAttr<PureAttr>() &&
                 !each.callee->hasAttr<ConstAttr>()) {
        unseen_[i].push_back(
            {where, "the body of '" + plain_name(each.callee) +
                        "' is not in this file: if it changes nothing that other calls use, add "
                        "spar::Replicate()"});
      } else if (plain_name(each.callee) == "rand" || plain_name(each.callee) == "strtok") {
        serial_[i].push_back({where, "'" + plain_name(each.callee) + "' keeps state from call to call"});
      }
    }
  }

  [[nodiscard]] part part_from(std::size_t first, std::size_t last) {
    part made;
    for (std::size_t i = first; i <= last; ++i) {
      if (steps_[i].statement != nullptr) made.statements.push_back(steps_[i].statement);
      made.serial.insert(made.serial.end(), serial_[i].begin(), serial_[i].end());
      made.unseen.insert(made.unseen.end(), unseen_[i].begin(), unseen_[i].end());
      made.io = made.io || io_[i];
      made.cheap = made.cheap && !has_loop(steps_[i].statement) &&
                   std::all_of(steps_[i].does.calls.begin(), steps_[i].does.calls.end(), takes_no_time);
    }
    return made;
  }
  static void append(part& to, const part& other) {
    to.statements.insert(to.statements.end(), other.statements.begin(), other.statements.end());
    to.serial.insert(to.serial.end(), other.serial.begin(), other.serial.end());
    to.unseen.insert(to.unseen.end(), other.unseen.begin(), other.unseen.end());
    to.io = to.io || other.io;
    to.cheap = to.cheap && other.cheap;
  }

  void make_parts() {
    std::vector<part> units;
    for (std::size_t i = 0; i < steps_.size();) {
      std::size_t last = i;
      while (last + 1 < steps_.size() && part_of_[last + 1] == part_of_[i]) ++last;
      units.push_back(part_from(i, last));
      i = last + 1;
    }
    result_.source = units.front();
    std::size_t next = 1;
    // What is serial at the beginning can as well be a part of the source, which is serial, too.
    while (next < units.size() && (!units[next].serial.empty() || units[next].cheap)) {
      const bool rest = std::any_of(units.begin() + static_cast<std::ptrdiff_t>(next) + 1, units.end(),
                                    [](const part& each) { return !each.cheap; });
      if (!rest && !result_.source.statements.empty() && !units[next].cheap) break;
      append(result_.source, units[next++]);
    }
    for (; next < units.size(); ++next) {
      auto& unit = units[next];
      if (!result_.stages.empty()) {
        auto& before = result_.stages.back();
        const bool alike = before.replicable() == unit.replicable();
        const bool joins = (unit.cheap && (unit.replicable() || !before.replicable())) ||
                           (alike && (before.replicable() || (before.io && unit.io))) ||
                           (before.cheap && (before.replicable() || !unit.replicable()));
        if (joins) {
          append(before, unit);
          continue;
        }
      }
      result_.stages.push_back(unit);
    }
    keep_declarations_together();
    if (result_.stages.empty()) {
      for (const auto& each : result_.source.serial) result_.in_the_way.push_back(each);
      if (result_.in_the_way.empty()) {
        for (const auto& each : result_.source.unseen) result_.in_the_way.push_back(each);
      }
      if (result_.in_the_way.empty()) {
        result_.in_the_way.push_back(
            {result_.loop->getBeginLoc(), "there is nothing behind its source that could be a stage"});
      }
      return;
    }
    connect();
  }

  /// Can a variable be declared in one place, and get its value in another?
  [[nodiscard]] bool separable(const VarDecl* variable) const {
    auto type = variable->getType();
    if (type->isReferenceType() || type->isArrayType() || isa<DecompositionDecl>(variable)) return false;
    if (variable->getInitStyle() != VarDecl::CInit && variable->hasInit()) {
      if (variable->getInitStyle() != VarDecl::CallInit) return false;
      if (const auto* made = dyn_cast<CXXConstructExpr>(variable->getInit()->IgnoreImplicit());
          made == nullptr || made->getNumArgs() > 0) {
        return false;
      }
    }
    if (type.isConstQualified()) return false;
    const auto* record = type->getAsCXXRecordDecl();
    if (record == nullptr) return type->isScalarType();
    return !record->isLambda() && record->hasDefinition() && record->hasDefaultConstructor() &&
           (record->hasMoveAssignment() || record->hasCopyAssignmentWithConstParam());
  }

  [[nodiscard]] static std::vector<const VarDecl*> declared_in(const part& which) {
    std::vector<const VarDecl*> made;
    for (const auto* each : which.statements) {
      const auto* declared = dyn_cast<DeclStmt>(each);
      if (declared == nullptr) continue;
      for (const auto* one : declared->decls()) {
        if (const auto* variable = dyn_cast<VarDecl>(one)) made.push_back(variable);
      }
    }
    return made;
  }
  [[nodiscard]] static bool single(const part& which, const VarDecl* variable) {
    return std::any_of(which.statements.begin(), which.statements.end(), [&](const Stmt* each) {
      const auto* declared = dyn_cast<DeclStmt>(each);
      return declared != nullptr && declared->isSingleDecl() && declared->getSingleDecl() == variable;
    });
  }
  [[nodiscard]] bool names(const part& which, const ValueDecl* variable) {
    const auto does = reader_.read(which.statements);
    return std::any_of(does.accesses.begin(), does.accesses.end(),
                       [&](const access& each) { return each.variable == variable; });
  }

  /// A variable that is declared in a stage and used behind it: declared in the source, or both stages become
  /// one.
  void keep_declarations_together() {
    for (std::size_t i = 0; i < result_.stages.size(); ++i) {
      for (const auto* each : declared_in(result_.stages[i])) {
        std::size_t last = i;
        for (std::size_t k = i + 1; k < result_.stages.size(); ++k) {
          if (names(result_.stages[k], each) || refers(result_.stages[k], each)) last = k;
        }
        if (last == i) continue;
        if (separable(each) && single(result_.stages[i], each)) {
          result_.stages[i].before.push_back(each);
          continue;
        }
        for (std::size_t k = i + 1; k <= last; ++k) append(result_.stages[i], result_.stages[k]);
        result_.stages.erase(result_.stages.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                             result_.stages.begin() + static_cast<std::ptrdiff_t>(last) + 1);
        result_.stages[i].before.clear();
        --i;
        break;
      }
    }
  }
  /// Structured bindings are named by their parts.
  [[nodiscard]] bool refers(const part& which, const VarDecl* variable) {
    const auto* parts = dyn_cast<DecompositionDecl>(variable);
    if (parts == nullptr) return false;
    return std::any_of(parts->bindings().begin(), parts->bindings().end(),
                       [&](const BindingDecl* each) { return names(which, each); });
  }

  static void insert(std::vector<const ValueDecl*>& list, const ValueDecl* variable) {
    if (std::find(list.begin(), list.end(), variable) == list.end()) list.push_back(variable);
  }

  void connect() {
    std::vector<effects> does;
    for (const auto& each : result_.stages) does.push_back(reader_.read(each.statements));
    const auto moves_along = [&](const ValueDecl* variable) {
      if (local(variable)) return true;
      if (std::find(renewed_.begin(), renewed_.end(), variable) != renewed_.end()) return true;
      return std::find(carried_.begin(), carried_.end(), variable) != carried_.end() &&
             travels(variable, true);
    };
    for (std::size_t i = 0; i < result_.stages.size(); ++i) {
      auto& each = result_.stages[i];
      for (const auto& made : does[i].accesses) {
        if (!moves_along(made.variable)) continue;
        const bool own_state = !local(made.variable) && changed_only_in(made.variable, i, does);
        if (made.exposed && !own_state) insert(each.inputs, made.variable);
        const bool reference = made.variable->getType()->isReferenceType() || range_variable(made.variable);
        if (!made.changes || made.part == reach::target ||
            (reference && made.variable->getType()->isReferenceType()))
          continue;
        bool needed = !local(made.variable);
        for (std::size_t k = i + 1; k < does.size(); ++k) needed = needed || reads(does[k], made.variable);
        if (needed) insert(each.outputs, made.variable);
        // What is changed only here and there keeps its value otherwise.
        if (needed && does[i].assigned.count(made.variable) == 0 && !own_state)
          insert(each.inputs, made.variable);
      }
      for (const auto* declared : each.before) insert(each.outputs, declared);
    }
  }
  [[nodiscard]] bool changed_only_in(const ValueDecl* variable, std::size_t i,
                                     const std::vector<effects>& does) {
    for (std::size_t k = 0; k < does.size(); ++k) {
      if (k != i && changes(does[k], variable)) return false;
    }
    return !changes(reader_.read(result_.source.statements), variable) &&
           !changes(steps_[0].does, variable) && !changes(inc_does_, variable);
  }
  static bool changes(const effects& does, const ValueDecl* variable) {
    return std::any_of(does.accesses.begin(), does.accesses.end(),
                       [&](const access& each) { return each.variable == variable && each.changes; });
  }
  static bool reads(const effects& does, const ValueDecl* variable) {
    return std::any_of(does.accesses.begin(), does.accesses.end(),
                       [&](const access& each) { return each.variable == variable && each.exposed; });
  }

  const FunctionDecl* function_;
  effects_reader& reader_;
  const SourceManager& sources_;
  cut_loop result_;
  const Stmt* inc_ = nullptr;
  effects inc_does_;
  std::vector<step> steps_;  ///< the head of the loop, and each statement of its body
  std::vector<std::size_t> part_of_;
  std::vector<std::vector<reason>> serial_;
  std::map<std::size_t, std::vector<reason>> unseen_;
  std::map<std::size_t, bool> io_;
  std::vector<const ValueDecl*> locals_;   ///< of one round, and of the loop's head
  std::vector<const ValueDecl*> renewed_;  ///< live longer, but each round gives them a new value
  std::vector<const ValueDecl*> carried_;
};

}  // namespace

cut_loop cut(const Stmt* loop, const FunctionDecl* function, effects_reader& reader) {
  return cutter(loop, function, reader).cut();
}

}  // namespace thalweg::spar
