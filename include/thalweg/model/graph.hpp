/// `graph`: stages and lines in any shape, joined by connections.
#pragma once

#include <thalweg/model/any_pipeline.hpp>
#include <thalweg/model/connect.hpp>
#include <thalweg/model/exported_port.hpp>
#include <thalweg/model/naming.hpp>
#include <thalweg/model/plain.hpp>
#include <thalweg/model/plan.hpp>
#include <thalweg/model/stage.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

class composite_stage;
class graph;

/// An input or output of a line of patterns in a graph: `.in` and `.out` of what `g.add(pattern)` gives.
template <class T, bool Input> struct end_of {
  using item_type = T;
  std::shared_ptr<const model::graph_place> place;
};
template <class T> using input_of = end_of<T, true>;
template <class T> using output_end = end_of<T, false>;
template <class T> class exported_in;
template <class T> class exported_out;

/// A line of stages that has been added to a graph.
template <class In, class Out> struct added {
  input_of<In> in;
  output_end<Out> out;
};
template <class Out> struct added<model::nothing, Out> {
  output_end<Out> out;
};
template <class In> struct added<In, model::nothing> {
  input_of<In> in;
};
template <> struct added<model::nothing, model::nothing> {};

/// What a walk over a graph shows of a stage, or of a line of stages that was added as one.
struct graph_node {
  struct port {
    std::string name;
    const std::type_info* type = nullptr;
    bool connected = false;
    bool optional = false;
  };
  std::size_t id = 0;
  std::string name;
  std::string pattern;
  std::string composite;  ///< the path of the innermost composite stage that it is a child of; empty: none
  std::vector<port> inputs, outputs;
};

/// What a walk over a graph shows of a connection.
struct graph_edge {
  std::size_t from = 0, from_port = 0, to = 0, to_port = 0;
  const connect_options* opts = nullptr;
};

/// Is shown the parts of a graph by `graph::walk`.
class graph_visitor {
 public:
  virtual ~graph_visitor() = default;
  /// Each stage once. What it returns says whether the walk goes on behind it.
  virtual bool visit(const graph_node&) { return true; }
  /// Each connection that the walk goes along, before the stage behind it.
  virtual void cross(const graph_edge&) {}
};

/// With the stream, or against it.
enum class direction : std::uint8_t { downstream, upstream };
/// How a walk goes on where there are several ways.
enum class search : std::uint8_t { breadth_first, depth_first };

namespace model {

class composite_host;
struct deduced {};

/// The type of the items a stage takes, where its operator says so.
template <class Stage> struct input_wanted : wanted<Stage> {};
template <class Stage>
  requires Stage::is_source
struct input_wanted<Stage> : std::type_identity<nothing> {};
template <class P> struct first_wanted;
template <class First, class... More> struct first_wanted<pipeline<First, More...>> : input_wanted<First> {};
template <class Stage>
  requires(!Stage::is_source && requires { typename Stage::inner_type; })
struct input_wanted<Stage> : first_wanted<typename Stage::inner_type> {};
template <class In, class Out>
struct first_wanted<any_pipeline<In, Out>> : std::type_identity<slot_type<In>> {};

template <class T>
concept has_items = requires { typename T::item_type; };
template <class T> inline constexpr bool is_handle = false;
template <class In, class Out> inline constexpr bool is_handle<added<In, Out>> = true;

/// The last part of a type's name: what its stages are called without a name of their own.
std::string short_name(const std::type_info& type);

}  // namespace model

/// A program of any shape: stages and what connects them. Stages are classes with ports of their own, derived
/// from `tw::stage`, or lines of patterns; both are added, connected, and run with `run` or `launch` as a
/// pipeline is.
///
/// A graph is run with its stage objects themselves, one run at a time; they must not be touched meanwhile.
/// While it runs nothing can be added, connected or configured: that is a `thalweg::error`. It may be moved.
/// A graph that is destroyed while it runs cancels the run and waits for its end. Patterns are copied for
/// each run; a graph with patterns that hold something move-only can be run once.
///
/// Errors: everything that is wrong with a graph is reported together, as an `invalid_job`, when it is run:
/// ports that are not connected (outputs may be optional), connected twice, or that do not fit where that
/// could not be seen when it was compiled; names given twice; options; what `validate()` throws.
///
/// See `tw::stage` for an example, and docs/graphs.md.
class graph {
 public:
  graph();
  graph(graph&&) noexcept;
  graph& operator=(graph&&) noexcept;
  ~graph();

  /// Makes a stage in the graph. It lives as long as the graph.
  template <class S, class... A>
    requires std::derived_from<S, stage>
  S& add(A&&... args) {
    auto made = std::make_unique<S>(std::forward<A>(args)...);
    auto& s = *made;
    own(std::move(made), model::short_name(typeid(S)));
    check_calls(s);
    return s;
  }
  /// Makes a composite stage, and takes its children into the graph. It lives as long as the graph.
  template <class C, class... A>
    requires std::derived_from<C, composite_stage>
  C& add(A&&... args) {
    auto made = std::make_unique<C>(std::forward<A>(args)...);
    auto& c = *made;
    adopt(std::move(made), model::short_name(typeid(C)));
    return c;
  }
  /// The same for a stage that was made elsewhere: by a plug-in, or from a configuration.
  stage& add(std::unique_ptr<stage> s);
  template <class S>
    requires(std::derived_from<S, stage> && !std::same_as<S, stage>)
  S& add(std::unique_ptr<S> s) {
    auto& made = static_cast<S&>(add(std::unique_ptr<stage>(std::move(s))));
    check_calls(made);
    return made;
  }
  /// The same for a stage that somebody else keeps alive.
  void use(stage& s);
  template <class S>
    requires(std::derived_from<S, stage> && !std::same_as<S, stage>)
  void use(S& s) {
    use(static_cast<stage&>(s));
    check_calls(s);
  }

  /// Adds a pattern, or a line of them: `g.add(tw::map(f)).in` and `.out` are its ends. Where its operator
  /// takes anything (a generic lambda, `tw::batch`), say what it gets: `g.add<int>(tw::batch(10))`.
  template <class In = model::deduced, model::any_typed_pipeline Line> auto add(Line line) {
    using wanted = typename model::first_wanted<Line>::type;
    constexpr bool given = !std::is_same_v<In, model::deduced>;
    constexpr bool known = given || !(std::is_same_v<wanted, model::anything> ||
                                      std::is_same_v<wanted, model::nothing> != Line::has_source);
    static_assert(known,
                  "thalweg::graph: the operator takes items of any type: name the type that it gets here "
                  "with g.add<T>(...)");
    if constexpr (!known) {
      return added<model::misfit, model::misfit>{};
    } else {
      using in = std::conditional_t<given, In, wanted>;
      using out = typename Line::template output<in>;
      auto place = add_line(blueprint_of<in>(std::move(line)), Line::has_source ? nullptr : &typeid(in),
                            Line::has_sink ? nullptr : &typeid(out));
      if constexpr (Line::has_source && Line::has_sink) {
        return added<model::nothing, model::nothing>{};
      } else if constexpr (Line::has_source) {
        return added<model::nothing, out>{{std::move(place)}};
      } else if constexpr (Line::has_sink) {
        return added<in, model::nothing>{{std::move(place)}};
      } else {
        return added<in, out>{{place}, {place}};
      }
    }
  }

  /// Sets the options of a stage: `.name`, `.blocking`, `.pin`, `.on`, `.on_error`.
  template <std::derived_from<stage> S> S& configure(S& s, options opts) {
    set_options(s, std::move(opts));
    return s;
  }

  /// Sets the `.name` of a composite stage; the other options belong to its children.
  template <std::derived_from<composite_stage> C> C& configure(C& c, options opts) {
    set_options(c, std::move(opts));
    return c;
  }

  /// Connects an output to an input: ports of stages and of composite stages, or ends of lines. Items that do
  /// not convert to what is taken are a compile-time error.
  template <class From, class To>
    requires model::has_items<From> && model::has_items<To>
  void connect(const From& from, const To& to, connect_options opts = {}) {
    using produced = typename From::item_type;
    using accepted = typename To::item_type;
    static_assert(is_output<From>, "thalweg::graph: the first argument of connect must be an output");
    static_assert(is_input<To>, "thalweg::graph: the second argument of connect must be an input");
    constexpr bool fits = std::is_same_v<produced, accepted> || std::is_convertible_v<produced, accepted>;
    constexpr bool wrong = std::is_same_v<produced, model::misfit> || std::is_same_v<accepted, model::misfit>;
    if constexpr (is_output<From> && is_input<To> && !wrong) {
      static_assert(sizeof(model::connection<produced, accepted, to_any<accepted>, fits>) != 0);
      constexpr bool held = std::is_same_v<produced, accepted> || !fits ||
                            !model::refers_elsewhere<accepted> || model::refers_elsewhere<produced>;
      static_assert(
          held,
          "thalweg::graph: the operator takes a view of its items (such as std::string_view), which "
          "would outlive them: name the type of the items, as in g.add<std::string>(tw::sink(f))");
      if constexpr (fits && held)
        join(output_at(from), input_at(to), std::move(opts),
             model::conversion::between<produced, accepted>());
    }
  }
  // What is no port is refused in one sentence.
  template <class From, class To>
    requires(!(model::has_items<From> && model::has_items<To>) &&
             !(std::convertible_to<const From&, std::string_view> &&
               std::convertible_to<const To&, std::string_view>))
  void connect(const From&, const To&, const connect_options& = {}) {
    constexpr bool handles = model::is_handle<From> || model::is_handle<To>;
    constexpr bool stages = std::derived_from<From, stage> || std::derived_from<To, stage> ||
                            std::derived_from<From, composite_stage> ||
                            std::derived_from<To, composite_stage>;
    static_assert(
        !handles,
        "thalweg::graph: connect takes ports, but this is a whole line: write line.out and line.in");
    static_assert(handles || !stages,
                  "thalweg::graph: connect takes ports, but this is a stage: name one of its members, as in "
                  "split.even");
    static_assert(
        handles || stages,
        "thalweg::graph: connect takes an output and an input: ports of stages, .out and .in of what "
        "g.add(pattern) gives, or two names");
  }
  /// The same by name: `connect("split.even", "evens.in")`. A line's ends are called `in` and `out`. The
  /// types must be the same.
  void connect(std::string_view from, std::string_view to, connect_options opts = {});

  /// How many stages, or lines added as one, there are.
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] graph_node node(std::size_t id) const;
  [[nodiscard]] std::vector<graph_edge> edges() const;
  /// Shows the graph to `v`, from these nodes on (none given: from all without inputs, or, upstream, without
  /// outputs).
  void walk(graph_visitor& v, direction where = direction::downstream, search how = search::breadth_first,
            std::vector<std::size_t> from = {}) const;

  /// For `run`: what there is to run, checked. One at a time.
  [[nodiscard]] model::plan plan();
  /// What a picture shows: the graph as it stands, with the taps and feeds that are open. Also while it runs;
  /// not while somebody adds to it or connects.
  [[nodiscard]] model::drawing drawn() const;

 private:
  friend class composite_stage;
  friend class model::composite_host;
  template <class T> friend class exported_in;
  template <class T> friend class exported_out;

  struct state;
  // An input or output of this graph, or the name of something that is none.
  struct where {
    std::size_t node = 0;
    std::size_t port = 0;
    std::string foreign = {};
  };
  // The component of a line, made anew for each run; empty when it has been used up.
  using blueprint = std::function<std::vector<std::unique_ptr<model::component>>(model::naming&)>;

  template <class T> struct to_any {
    template <class> using output = T;
  };
  template <class P>
  static constexpr bool is_output =
      std::derived_from<P, model::output_port> || std::is_same_v<P, output_end<typename P::item_type>> ||
      std::is_same_v<P, exported_out<typename P::item_type>>;
  template <class P>
  static constexpr bool is_input =
      std::derived_from<P, model::input_port> || std::is_same_v<P, input_of<typename P::item_type>> ||
      std::is_same_v<P, exported_in<typename P::item_type>>;

  template <class In, class Line> static blueprint blueprint_of(Line line) {
    if constexpr (model::has_length<Line>) {
      // Kept behind a pointer: a std::function must be copyable, the line need not be.
      auto kept = std::make_shared<Line>(std::move(line));
      return [kept](model::naming& names) mutable {
        std::vector<std::unique_ptr<model::component>> made;
        if constexpr (std::is_copy_constructible_v<Line>) {
          made.push_back(model::lower<In>(Line(*kept), names));
        } else if (kept) {
          made.push_back(model::lower<In>(std::move(*kept), names));
          kept.reset();
        }
        return made;
      };
    } else {
      return [parts = std::move(line).parts()](model::naming& names) {
        std::vector<std::unique_ptr<model::component>> made;
        for (const auto& p : parts) made.push_back(p->build(names));
        return made;
      };
    }
  }

  template <class P> where output_at(const P& p) const {
    if constexpr (std::derived_from<P, model::port> || std::derived_from<P, model::exported_port>) {
      return at(p);
    } else {
      return at(p.place, "out");
    }
  }
  template <class P> where input_at(const P& p) const {
    if constexpr (std::derived_from<P, model::port> || std::derived_from<P, model::exported_port>) {
      return at(p);
    } else {
      return at(p.place, "in");
    }
  }

  [[nodiscard]] state& here() const;
  [[nodiscard]] state& at_rest(const char* what) const;
  [[nodiscard]] where at(const model::port& p) const;
  [[nodiscard]] where at(const model::exported_port& p) const;
  [[nodiscard]] where at(const std::shared_ptr<const model::graph_place>& p, const char* port) const;
  // An on_item that is declared below the class with the ports is never called.
  template <class S> void check_calls(const S& s) {
    if constexpr (model::has_member_on_item<S>) {
      bool called = s.inputs().empty();
      for (const auto* p : s.inputs()) called = called || p->calls(model::declares_on_item<S>());
      if (!called) note_uncalled(s);
    }
  }
  void note_uncalled(const stage& s);
  void own(std::unique_ptr<stage> s, std::string pattern);
  void keep(stage& s, std::unique_ptr<stage> owned, std::string pattern);
  std::shared_ptr<const model::graph_place> add_line(blueprint b, const std::type_info* in,
                                                     const std::type_info* out);
  void adopt(std::unique_ptr<composite_stage> c, std::string pattern);
  void lead(model::exported_port& p, where to);
  void leave_open(const model::exported_port& p);
  [[nodiscard]] model::plan parts(bool& line);
  // The first and the last component that a stage, or a line, is in the plan before it is straightened.
  [[nodiscard]] std::pair<std::size_t, std::size_t> components_of(std::size_t node) const;
  void set_options(stage& s, options opts);
  void set_options(composite_stage& c, options opts);
  void join(where from, where to, connect_options opts, model::conversion convert);

  std::unique_ptr<state> state_;
};

}  // namespace THALWEG_NAMESPACE
