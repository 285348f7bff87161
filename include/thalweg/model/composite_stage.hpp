/// `composite_stage`: stages of a graph that belong together, with ports of its own.
#pragma once

#include <thalweg/model/exported_port.hpp>
#include <thalweg/model/graph.hpp>

#include <concepts>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

/// A stage of a graph that is made of others: derive from it, make `tw::exported_in` and `tw::exported_out`
/// members, and in the constructor make children with `add`, connect them with `connect`, and say which of
/// their ports the exported ones are. Children are stages, lines of patterns, and other composites.
///
/// It is added to a graph and connected as a stage is. There it is only a name: the graph has its children,
/// whose names are paths (`cleaning/parse`), and it costs nothing at run time. Messages, reports and
/// `execution::set_replicas` use these paths; `connect` by name takes them, and the exported ports
/// (`cleaning.lines`); pictures draw a box around the children. `validate()` is called before a run, after
/// the constructor nothing is.
///
/// As part of a line, and so in a farm, where it is made anew for each replica: see `tw::own_stage`.
///
/// Order, threads and errors: those of the children. An exported port that stands for none is an
/// `invalid_job`.
///
/// ```cpp
/// struct cleaning : tw::composite_stage {
///   tw::exported_in<std::string> lines{this, "lines"};
///   tw::exported_out<int> numbers{this, "numbers"};
///   cleaning() {
///     auto filled = add(tw::filter([](const std::string& s) { return !s.empty(); }, {.name = "filled"}));
///     auto parse = add(tw::map([](const std::string& s) { return std::stoi(s); }, {.name = "parse"}));
///     connect(filled.out, parse.in);
///     lines.leads_to(filled.in);
///     numbers.comes_from(parse.out);
///   }
/// };
/// std::vector<int> seen;
/// tw::graph g;
/// auto& c = g.configure(g.add<cleaning>(), {.name = "clean"});
/// g.connect(g.add(tw::source(std::vector<std::string>{"1", "", "2"})).out, c.lines);
/// g.connect(c.numbers, g.add(tw::sink(seen)).in);
/// tw::report r = tw::run(g);
/// assert((seen == std::vector{1, 2}) && r.stage("clean/parse").items_in() == 2);
/// ```
class composite_stage {
 public:
  composite_stage(const composite_stage&) = delete;
  composite_stage& operator=(const composite_stage&) = delete;
  virtual ~composite_stage();

  /// Its path in the graph, once it has been added to one.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::vector<model::exported_port*>& exported() const noexcept { return exported_; }

  /// Called before the run; what it throws is reported as a problem of the job.
  virtual void validate() {}

 protected:
  composite_stage();

  /// Makes a child, as `graph::add` does.
  template <class S, class... A>
    requires(std::derived_from<S, stage> || std::derived_from<S, composite_stage>)
  S& add(A&&... args) {
    return children().template add<S>(std::forward<A>(args)...);
  }
  template <class In = model::deduced, model::any_typed_pipeline Line> auto add(Line line) {
    return children().template add<In>(std::move(line));
  }
  stage& add(std::unique_ptr<stage> s) { return children().add(std::move(s)); }
  /// Sets the options of a child, as `graph::configure` does.
  template <class S> S& configure(S& s, options opts) { return children().configure(s, std::move(opts)); }
  /// Connects children, as `graph::connect` does.
  template <class From, class To> void connect(const From& from, const To& to, connect_options opts = {}) {
    children().connect(from, to, std::move(opts));
  }

 private:
  friend class graph;
  friend class model::exported_port;
  friend class model::composite_host;
  template <class T> friend class exported_in;
  template <class T> friend class exported_out;

  [[nodiscard]] graph& children();
  void lead(model::exported_port& p, graph::where to);

  std::string name_;
  std::vector<model::exported_port*> exported_;
  graph children_;
  bool added_ = false;
};

/// An input of a `tw::composite_stage`: a member of it, initialised with `{this, "name"}`.
template <class T> class exported_in final : public model::exported_port {
 public:
  using item_type = T;

  exported_in(composite_stage* owner, std::string name)
      : model::exported_port(*owner, std::move(name), typeid(T), true) {}

  /// What comes in goes into this input of a child: a `tw::in`, the `.in` of a line, or an `exported_in`.
  template <class Port> void leads_to(const Port& input) {
    static_assert(graph::is_input<Port>, "thalweg::exported_in: leads_to takes an input of a child");
    static_assert(std::is_same_v<typename Port::item_type, T>,
                  "thalweg::exported_in: its items must be of the type that the child's input takes");
    owner_->lead(*this, owner_->children().input_at(input));
  }
};

/// An output of a `tw::composite_stage`: a member of it, initialised with `{this, "name"}`.
template <class T> class exported_out final : public model::exported_port {
 public:
  using item_type = T;

  exported_out(composite_stage* owner, std::string name)
      : model::exported_port(*owner, std::move(name), typeid(T), false) {}

  /// What this output of a child sends goes out: a `tw::out`, the `.out` of a line, or an `exported_out`.
  template <class Port> void comes_from(const Port& output) {
    static_assert(graph::is_output<Port>, "thalweg::exported_out: comes_from takes an output of a child");
    static_assert(std::is_same_v<typename Port::item_type, T>,
                  "thalweg::exported_out: its items must be of the type that the child's output sends");
    owner_->lead(*this, owner_->children().output_at(output));
  }
};

}  // namespace THALWEG_NAMESPACE
