#include "find_streams.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include <clang/AST/Attr.h>

#include "clang.hpp"
#include "loops.hpp"
#include "report.hpp"
#include "types.hpp"

namespace thalweg::spar {
namespace {

/// Adds each `continue` that belongs to a loop outside the statement.
void find_continues(const clang::Stmt* s, const places& where, std::vector<extent>& found) {
  if (s == nullptr || is_loop(s) || llvm::isa<clang::LambdaExpr>(s)) return;
  if (llvm::isa<clang::ContinueStmt>(s)) found.push_back(where.of(s));
  for (const clang::Stmt* child : s->children()) find_continues(child, where, found);
}

/// Whether a function says that it is constexpr. A lambda can be so without.
bool is_constexpr(const clang::FunctionDecl* f) {
  if (f == nullptr || !f->isConstexpr()) return false;
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(f);
  return method == nullptr || !method->getParent()->isLambda();
}

class walker;
void find_in(const clang::DeclContext* scope, const places& where, const std::function<walker()>& walk);

/// Walks through the body of a function, and knows at each statement which variables can be named there.
class walker {
 public:
  walker(const places& where, const std::map<std::size_t, const attribute*>& markers,
         std::set<const attribute*>& seen, std::vector<stream>& streams)
      : where_(where), markers_(markers), seen_(seen), streams_(streams) {}

  void function(const clang::FunctionDecl* f) {
    const auto* outer = function_;
    function_ = f;
    const auto names = visible_.size();
    for (const clang::ParmVarDecl* p : f->parameters()) {
      if (p->hasDefaultArg() && !p->hasUnparsedDefaultArg() && !p->hasUninstantiatedDefaultArg())
        walk(p->getDefaultArg());
      visible_.push_back(p);
    }
    if (const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(f)) {
      for (const clang::CXXCtorInitializer* member : constructor->inits()) {
        if (member->isWritten()) walk(member->getInit());
      }
    }
    walk(f->getBody());
    visible_.resize(names);
    function_ = outer;
  }

  void walk(const clang::Stmt* s) {
    if (s == nullptr) return;
    const auto names = visible_.size();
    if (is_loop(s)) loops_.push_back(s);
    enter(s);
    if (is_loop(s)) loops_.pop_back();
    if (!llvm::isa<clang::DeclStmt>(s)) visible_.resize(names);
  }

 private:
  struct open {
    stream* of;
    bool in_stage = false;
    const clang::Stmt* block = nullptr;  // of its stages
    std::size_t behind = 0;              // the place in it after the last stage
    const clang::Stmt* loop = nullptr;   // the innermost around its first stage
    std::size_t loops;                   // how many are around the stream
    int handlers;                        // of exceptions, around the stream
  };

  void declare(const clang::VarDecl* v) {
    if (const auto* parts = llvm::dyn_cast<clang::DecompositionDecl>(v)) {
      for (const clang::BindingDecl* b : parts->bindings()) visible_.push_back(b);
    } else {
      visible_.push_back(v);
    }
  }

  void enter(const clang::Stmt* s) {
    if (const auto* a = llvm::dyn_cast<clang::AttributedStmt>(s)) return attributed(a);
    if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(s)) {
      for (const auto& capture : lambda->captures()) {
        if (lambda->isInitCapture(&capture)) declare(llvm::cast<clang::VarDecl>(capture.getCapturedVar()));
      }
      return function(lambda->getCallOperator());
    }
    if (const auto* d = llvm::dyn_cast<clang::DeclStmt>(s)) {
      for (const clang::Decl* one : d->decls()) {
        if (const auto* v = llvm::dyn_cast<clang::VarDecl>(one)) {
          walk(v->getInit());
          declare(v);
        } else if (const auto* local = llvm::dyn_cast<clang::CXXRecordDecl>(one)) {
          find_in(local, where_, [&] { return walker(where_, markers_, seen_, streams_); });
        }
      }
      return;
    }
    if (const auto* range = llvm::dyn_cast<clang::CXXForRangeStmt>(s)) {
      walk(range->getInit());
      walk(range->getRangeInit());
      declare(range->getLoopVariable());
      block_ = s;
      return walk(range->getBody());
    }
    if (const auto* handler = llvm::dyn_cast<clang::CXXCatchStmt>(s)) {
      if (handler->getExceptionDecl() != nullptr) declare(handler->getExceptionDecl());
      ++handlers_;
      walk(handler->getHandlerBlock());
      --handlers_;
      return;
    }
    std::size_t place = 0;
    for (const clang::Stmt* child : s->children()) {
      block_ = s;
      place_ = place++;
      walk(child);
    }
  }

  void attributed(const clang::AttributedStmt* s) {
    for (const clang::Attr* attr : s->getAttrs()) {
      const auto at = markers_.find(where_.offset(attr->getLocation()));
      if (at == markers_.end() || !where_.in_main(attr->getLocation())) continue;
      seen_.insert(at->second);
      if (at->second->is == attribute::kind::to_stream) {
        to_stream(*at->second, s->getSubStmt());
      } else {
        to_stage(*at->second, s->getSubStmt());
      }
      return;
    }
    walk(s->getSubStmt());
  }

  void to_stream(const attribute& says, const clang::Stmt* body) {
    stream found;
    found.says = says;
    found.body = body;
    found.function = function_;
    found.text = where_.of(body);
    found.in_template = function_ != nullptr && function_->isDependentContext();
    if (is_constexpr(function_)) {
      where_.error({says.where,
                    "a stream in a constexpr function: no thread runs while a program is compiled",
                    "remove 'constexpr' from the function"});
    }
    open_.push_back({&found, false, nullptr, 0, nullptr, loops_.size(), handlers_});
    walk(body);
    open_.pop_back();
    if (found.stages.empty()) {
      where_.error({says.where, "a stream without a stage", "put spar::Stage on a statement inside it"});
    }
    (open_.empty() ? streams_ : open_.back().of->nested).push_back(std::move(found));
  }

  void to_stage(const attribute& says, const clang::Stmt* body) {
    if (open_.empty()) {
      where_.error({says.where, "a stage outside a stream",
                    "put spar::ToStream on the loop whose rounds are the items"});
      return walk(body);
    }
    open& o = open_.back();
    if (o.in_stage) {
      where_.error({says.where, "a stage inside a stage",
                    "put it behind the other one, or put spar::ToStream on a loop inside the stage"});
      return walk(body);
    }
    const auto* block = block_;
    const auto place = place_;
    if (o.of->stages.empty()) {
      o.block = block;
      o.loop = loops_.size() > o.loops ? loops_.back() : nullptr;
      o.of->in_handler = handlers_ > o.handlers;
      name_variables(o.of->says, *o.of, nullptr);  // they may be declared in the loop
    } else if (block != o.block || place != o.behind || !llvm::isa<clang::CompoundStmt>(block)) {
      where_.error(
          {says.where, "this stage does not directly follow the stage before it",
           "stages stand one behind the other in one block; put what stands between them into a stage"});
    }
    o.behind = place + 1;
    stage found;
    found.says = says;
    found.body = body;
    found.text = where_.of(body);
    const clause* replicate = says.find("Replicate");
    found.replicated = replicate != nullptr || says.find("Adaptive") != nullptr;
    if (replicate != nullptr && !replicate->arguments.empty())
      found.replicas = replicate->arguments.front().text;
    find_continues(body, where_, found.continues);
    name_variables(says, *o.of, &found);
    o.of->stages.push_back(std::move(found));
    o.in_stage = true;
    walk(body);
    open_.back().in_stage = false;
  }

  [[nodiscard]] const clang::ValueDecl* lookup(const std::string& name) const {
    for (auto v = visible_.rbegin(); v != visible_.rend(); ++v) {
      if ((*v)->getName() == name) return *v;
    }
    if (function_ == nullptr) return nullptr;
    auto& context = where_.context();
    const clang::DeclarationName declared(&context.Idents.get(name));
    for (const clang::DeclContext* in = function_; in != nullptr; in = in->getParent()) {
      const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(in);
      if (const auto* found = member(record, declared)) return found;
      if (in->isFunctionOrMethod()) continue;
      for (const clang::NamedDecl* d : in->lookup(declared)) {
        if (const auto* v = llvm::dyn_cast<clang::VarDecl>(d->getUnderlyingDecl())) return v;
      }
    }
    return nullptr;
  }

  static const clang::ValueDecl* member(const clang::CXXRecordDecl* record, clang::DeclarationName name) {
    if (record == nullptr || !record->hasDefinition()) return nullptr;
    for (const clang::NamedDecl* d : record->lookup(name)) {
      if (llvm::isa<clang::FieldDecl, clang::VarDecl>(d)) return llvm::cast<clang::ValueDecl>(d);
    }
    for (const auto& base : record->bases()) {
      if (const auto* found = member(base.getType()->getAsCXXRecordDecl(), name)) return found;
    }
    return nullptr;
  }

  variable* variable_of(stream& s, const clang::ValueDecl* declared) {
    for (const auto& v : s.variables) {
      if (v->declared == declared) return v.get();
    }
    auto v = std::make_unique<variable>();
    v->name = declared->getNameAsString();
    v->declared = declared;
    v->inside =
        where_.in_main(declared->getLocation()) && s.text.holds(where_.offset(declared->getLocation())) &&
        (llvm::isa<clang::BindingDecl>(declared) ||
         (llvm::isa<clang::VarDecl>(declared) && llvm::cast<clang::VarDecl>(declared)->hasLocalStorage()));
    v->dies = v->inside && lives_for_one_round(declared);
    describe(*v, s.text, where_);
    if (v->inside) check_type(*v, s.text);
    s.variables.push_back(std::move(v));
    return s.variables.back().get();
  }

  /// An item's type stands in front of the loop.
  void check_type(const variable& v, extent stream) const {
    const extent place = where_.of(clang::SourceRange(v.declared->getLocation()));
    if (v.declared->getType()->isVariableArrayType()) {
      where_.error({place, "'" + v.name + "' has a length that the program computes: no item can hold it",
                    "make it a std::vector"});
    } else if (v.type.find("(lambda") != std::string::npos) {
      where_.error({place, "the type of '" + v.name + "' is that of a lambda: no item can hold it",
                    "declare the lambda in the stage, or make it a std::function"});
    } else if (has_no_name(v.type) || named_inside(v.declared, stream, where_)) {
      where_.error({place, "the type of '" + v.name + "' has no name outside the stream: no item can hold it",
                    "declare it, with a name, before the stream"});
    }
  }

  /// Whether it is declared in the innermost loop around the first stage, not in its head.
  [[nodiscard]] bool lives_for_one_round(const clang::ValueDecl* declared) const {
    const clang::Stmt* loop = open_.back().loop;
    if (loop == nullptr) return true;
    const auto at = where_.offset(declared->getLocation());
    if (llvm::isa<clang::ForStmt>(loop))
      return where_.of(llvm::cast<clang::ForStmt>(loop)->getBody()).holds(at);
    if (const auto* range = llvm::dyn_cast<clang::CXXForRangeStmt>(loop)) {
      if (range->getInit() != nullptr && where_.of(range->getInit()).holds(at)) return false;
    }
    return where_.of(loop).holds(at);
  }

  void name_variables(const attribute& says, stream& s, stage* of) {
    for (const clause& c : says.clauses) {
      if (c.name != "Input" && c.name != "Output") continue;
      for (const argument& a : c.arguments) name_variable(c, a, s, of);
    }
  }

  /// A name that nothing declares: with the nearest one that can be meant.
  void unknown(const clause& c, const argument& a, const std::string& name) const {
    std::string nearest;
    unsigned least = static_cast<unsigned>(name.size()) / 3 + 1;
    for (auto v = visible_.rbegin(); v != visible_.rend(); ++v) {
      const unsigned distance = llvm::StringRef(name).edit_distance((*v)->getName(), true, least);
      if (distance > least || (distance == least && !nearest.empty())) continue;
      least = distance;
      nearest = (*v)->getName().str();
    }
    report to(where_.context());
    const auto place = where_.location(a.where.begin);
    to.error(place, "'" + name + "' of '" + c.name + "' is not declared here");
    if (nearest.empty()) return to.note(place, "name a variable that is declared before this statement");
    const auto range =
        clang::CharSourceRange::getCharRange(place, where_.location(a.where.begin + name.size()));
    to.note(place, "did you mean '" + nearest + "'?", clang::FixItHint::CreateReplacement(range, nearest));
  }

  void name_variable(const clause& c, const argument& a, stream& s, stage* of) {
    const bool whole = a.names.size() == 1 && a.text == a.names.front();
    for (std::size_t i = 0; i < a.names.size(); ++i) {
      const clang::ValueDecl* declared = lookup(a.names[i]);
      if (declared == nullptr) {
        if (i > 0) continue;  // a function or a constant in an index
        unknown(c, a, a.names[i]);
        return;
      }
      if (of == nullptr) continue;
      variable* v = variable_of(s, declared);
      const auto add = [&](std::vector<variable*>& list) {
        if (std::ranges::find(list, v) == list.end()) list.push_back(v);
      };
      if (whole) {
        add(c.name == "Input" ? of->inputs : of->outputs);
      } else if (i > 0 || v->inside || declared->getType()->isPointerType()) {
        add(of->inputs);
        if (i == 0 && c.name == "Output" && v->inside && !declared->getType()->isPointerType())
          add(of->outputs);
      }
    }
  }

  const places& where_;
  const std::map<std::size_t, const attribute*>& markers_;
  std::set<const attribute*>& seen_;
  std::vector<stream>& streams_;
  const clang::FunctionDecl* function_ = nullptr;
  std::vector<const clang::ValueDecl*> visible_;
  std::vector<const clang::Stmt*> loops_;
  std::vector<open> open_;
  int handlers_ = 0;
  const clang::Stmt* block_ = nullptr;
  std::size_t place_ = 0;
};

/// All functions of a namespace or a class, as they are written: templates once.
void find_in(const clang::DeclContext* scope, const places& where, const std::function<walker()>& walk) {
  for (const clang::Decl* d : scope->decls()) {
    if (d->isImplicit() || !where.in_main(d->getLocation())) continue;
    if (const auto* t = llvm::dyn_cast<clang::TemplateDecl>(d)) d = t->getTemplatedDecl();
    if (d == nullptr) continue;
    if (const auto* f = llvm::dyn_cast<clang::FunctionDecl>(d)) {
      if (f->doesThisDeclarationHaveABody()) walk().function(f);
    } else if (const auto* v = llvm::dyn_cast<clang::VarDecl>(d)) {
      walk().walk(v->getInit());  // a lambda outside all functions
    } else if (const auto* of = llvm::dyn_cast<clang::FriendDecl>(d)) {
      const auto* its = llvm::dyn_cast_or_null<clang::FunctionDecl>(of->getFriendDecl());
      if (its != nullptr && its->doesThisDeclarationHaveABody()) walk().function(its);
    } else if (const auto* inner = llvm::dyn_cast<clang::DeclContext>(d)) {
      find_in(inner, where, walk);
    }
  }
}

}  // namespace

problem misplaced(const attribute& a) {
  return {a.where, "this attribute stands on no statement",
          "it belongs in front of a loop, a block or another statement; declare variables before it"};
}

std::vector<stream> find_streams(const places& where, const std::vector<attribute>& attributes,
                                 const std::vector<extent>& skipped) {
  std::map<std::size_t, const attribute*> markers;
  for (const attribute& a : attributes) markers[a.marker] = &a;
  std::set<const attribute*> seen;
  std::vector<stream> streams;
  find_in(where.context().getTranslationUnitDecl(), where,
          [&] { return walker(where, markers, seen, streams); });
  for (const attribute& a : attributes) {
    const bool left_out = std::ranges::any_of(skipped, [&](extent e) { return e.holds(a.where.begin); });
    if (!left_out && !seen.contains(&a)) {
      where.error(misplaced(a));
    }
  }
  std::ranges::sort(streams, {}, [](const stream& s) { return s.text.begin; });
  return streams;
}

}  // namespace thalweg::spar
