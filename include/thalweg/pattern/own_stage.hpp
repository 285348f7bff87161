/// `own_stage`: a stage with ports as part of a line.
#pragma once

#include <thalweg/model/composite_host.hpp>
#include <thalweg/model/stage_host.hpp>
#include <thalweg/pattern/flat_map.hpp>
#include <thalweg/pattern/key_by.hpp>

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace THALWEG_NAMESPACE {
namespace model {

/// A stage with ports; items go into one of them and come out of another.
template <class S, class In, class Out> class hosted_stage {
 public:
  hosted_stage(std::unique_ptr<S> s, in<In> S::*input, out<Out> S::*output)
      : stage_(checked(std::move(s))),
        input_(input),
        host_(std::make_unique<stage_host>(*stage_, (*stage_).*input, (*stage_).*output)) {}

  void on_start() { host_->start(); }
  void operator()(In item, emitter<Out>& to) {
    if (host_->over()) return;
    host_->call(to, [&] { stage_->on_item((*stage_).*input_, std::move(item)); });
  }
  void on_end(emitter<Out>& to) {
    host_->call(to, [&] { stage_->on_end(); });
  }

 private:
  static std::unique_ptr<S> checked(std::unique_ptr<S> s) {
    if (!s) throw error("tw::own_stage: the factory returned a null pointer instead of a stage");
    return s;
  }

  std::unique_ptr<S> stage_;
  in<In> S::*input_;
  std::unique_ptr<stage_host> host_;
};

/// The same for a composite stage.
template <class C, class In, class Out> class hosted_composite {
 public:
  hosted_composite(std::unique_ptr<C> c, exported_in<In> C::*input, exported_out<Out> C::*output) {
    if (!c) throw error("tw::own_stage: the factory returned a null pointer instead of a composite stage");
    const auto& in = (*c).*input;
    const auto& out = (*c).*output;
    host_ = std::make_unique<composite_host>(std::move(c), in, out);
  }

  void on_start() { host_->start(); }
  void operator()(In item, emitter<Out>& to) {
    if (host_->over()) return;
    one_.clear();
    one_.emplace(std::move(item));
    host_->give(one_);
    send_on(to);
  }
  void on_end(emitter<Out>& to) {
    host_->finish();
    send_on(to);
  }

 private:
  void send_on(emitter<Out>& to) {
    auto& results = static_cast<pipe::chunk<Out>&>(host_->results());
    for (Out& x : results) to.send(std::move(x));
    results.clear();
  }

  std::unique_ptr<composite_host> host_;
  pipe::chunk<In> one_;
};

/// The update of a `key_by` whose states are stages.
template <class K, class S, class In, class Out> struct stage_of_key {
  using state = hosted_stage<S, In, Out>;
  void operator()(state& s, const In& item, emitter<Out>& to) const { s(In(item), to); }
  void on_end(const K&, state& s, emitter<Out>& to) const { s.on_end(to); }
};

// They have their own names, not those of the patterns that they are made of.
template <class Out> struct own_stage_of {
  template <class Fn> struct stage : flat_map_of<Out>::template stage<Fn> {
    static constexpr auto pattern = "own_stage";
  };
};
template <class U, class KeyOf, class Init, class Update>
struct stage_per_key_stage : keyed_state_stage<U, KeyOf, Init, Update> {
  static constexpr auto pattern = "stage_per_key";
};

template <class Out, class Factory> auto make_own_stage(Factory factory, options opts) {
  auto made = per_replica(std::move(factory));
  return make_pipeline(
      typename own_stage_of<Out>::template stage<decltype(made)>{{{}, {std::move(made), std::move(opts)}}});
}

// By default, constructs a new one.
template <class S> struct makes_stage {
  std::unique_ptr<S> operator()() const { return std::make_unique<S>(); }
};

template <class S, class In, class Factory> constexpr void check_own_stage() {
  static_assert(std::derived_from<S, stage>, "thalweg::own_stage: only a tw::stage has ports");
  static_assert(
      requires(S& s, in<In>& port, In x) { s.on_item(port, std::move(x)); },
      "thalweg::own_stage: the stage must have on_item(tw::in<T>&, T) for the input: one that chooses "
      "what to read belongs in a tw::graph");
  static_assert(std::is_invocable_r_v<std::unique_ptr<S>, Factory&>,
                "thalweg::own_stage: the factory must be callable without arguments and give a "
                "std::unique_ptr to the stage");
}

}  // namespace model

/// A `tw::stage` as part of a line: items go into its port `input` and come out of its port `output`, as in
/// `tw::own_stage(&splitter::numbers, &splitter::even)`. The stage is made by `factory() ->
/// std::unique_ptr<S>` (or by default), for each run, and in a farm for each replica: a farm of stages is
/// `tw::farm(tw::own_stage(...), {.replicas = 4})`.
///
/// The stage takes items as they come (`on_item`), and has no other ports except optional outputs, whose
/// items are discarded. After `end()` it is given no more.
///
/// Order, threads and errors: as for `flat_map` with an operator made by `tw::per_replica`. A stage with
/// other ports is a `thalweg::error`, when it is made.
///
/// ```cpp
/// struct words : tw::stage {
///   tw::in<std::string> lines{this, "lines"};
///   tw::out<std::string> found{this, "found"};
///   std::string word;  // scratch space: each replica has its own stage
///   void on_item(tw::in<std::string>&, std::string line) {
///     for (char c : line + ' ') {
///       if (c != ' ') word += c;
///       else if (!word.empty()) found.send(std::exchange(word, {}));
///     }
///   }
/// };
/// std::vector<std::string> seen;
/// tw::run(tw::source(std::vector<std::string>{"a bc", "d"}) |
///         tw::farm(tw::own_stage(&words::lines, &words::found), {.replicas = 2}) | tw::sink(seen));
/// assert((seen == std::vector<std::string>{"a", "bc", "d"}));
/// ```
template <class S, class In, class Out, class Factory = model::makes_stage<S>>
  requires(!std::same_as<Factory, options>)
auto own_stage(in<In> S::*input, out<Out> S::*output, Factory factory = {}, options opts = {}) {
  model::check_own_stage<S, In, Factory>();
  return model::make_own_stage<Out>(
      [input, output, f = std::move(factory)]() mutable {
        return model::hosted_stage<S, In, Out>(f(), input, output);
      },
      std::move(opts));
}
template <class S, class In, class Out> auto own_stage(in<In> S::*input, out<Out> S::*output, options opts) {
  return own_stage(input, output, model::makes_stage<S>{}, std::move(opts));
}

/// The same for a `tw::composite_stage`, as in `tw::own_stage(&cleaning::lines, &cleaning::numbers)`: in a
/// farm each replica has its own children. An item goes through all of them before the next one comes, on the
/// thread of the replica: the farm divides the items among the replicas, not the children.
///
/// The composite has no other ports. Its children are no sources, do not act when time has passed, have no
/// `.on_error` and are no ordered `tw::merge`: otherwise the composite belongs in a `tw::graph`, and is a
/// `thalweg::error` here, when it is made. Errors of a child come out as those of this stage, and name the
/// child.
///
/// ```cpp
/// struct digits : tw::composite_stage {
///   tw::exported_in<int> numbers{this, "numbers"};
///   tw::exported_out<char> out{this, "out"};
///   digits() {
///     auto text = add(tw::map([](int x) { return std::to_string(x); }));
///     auto each = add(tw::flat_map([](std::string s, tw::emitter<char>& to) { for (char c : s) to(c); }));
///     connect(text.out, each.in);
///     numbers.leads_to(text.in);
///     out.comes_from(each.out);
///   }
/// };
/// std::vector<char> seen;
/// tw::run(tw::source(std::vector{12, 3}) |
///         tw::farm(tw::own_stage(&digits::numbers, &digits::out), {.replicas = 2}) | tw::sink(seen));
/// assert((seen == std::vector{'1', '2', '3'}));
/// ```
template <class C, class In, class Out, class Factory = model::makes_stage<C>>
  requires(!std::same_as<Factory, options>)
auto own_stage(exported_in<In> C::*input, exported_out<Out> C::*output, Factory factory = {},
               options opts = {}) {
  static_assert(std::derived_from<C, composite_stage>,
                "thalweg::own_stage: only a tw::composite_stage has exported ports");
  static_assert(std::is_invocable_r_v<std::unique_ptr<C>, Factory&>,
                "thalweg::own_stage: the factory must be callable without arguments and give a "
                "std::unique_ptr to the composite stage");
  return model::make_own_stage<Out>(
      [input, output, f = std::move(factory)]() mutable {
        return model::hosted_composite<C, In, Out>(f(), input, output);
      },
      std::move(opts));
}
template <class C, class In, class Out>
auto own_stage(exported_in<In> C::*input, exported_out<Out> C::*output, options opts) {
  return own_stage(input, output, model::makes_stage<C>{}, std::move(opts));
}

/// A stage for each key: like `tw::own_stage`, but the items of each key, `key_of(const In&)`, go into a
/// separate stage, which is the state of the key. At the end of the stream the stages' `on_end` are called,
/// in the order in which the keys appeared. As the first stage of a farm the keys are divided: see `key_by`.
///
/// Order, threads and errors: as for `key_by` with an update; the items must be copyable. A stage cannot be
/// restored, so `.on_error` can only be `tw::stop`.
///
/// ```cpp
/// struct counter : tw::stage {
///   tw::in<int> in{this, "in"};
///   tw::out<int> out{this, "out"};
///   int n = 0;
///   void on_item(tw::in<int>&, int) { ++n; }
///   void on_end() override { out.send(n); }
/// };
/// std::vector<int> seen;
/// tw::run(tw::source(std::vector{5, 6, 5}) |
///         tw::farm(tw::stage_per_key([](int x) { return x; }, &counter::in, &counter::out)) |
///         tw::sink(seen));
/// assert((seen == std::vector{2, 1}));
/// ```
template <class KeyOf, class S, class In, class Out, class Factory = model::makes_stage<S>>
  requires(!std::same_as<Factory, options>)
auto stage_per_key(KeyOf key_of, in<In> S::*input, out<Out> S::*output, Factory factory = {},
                   options opts = {}) {
  model::check_own_stage<S, In, Factory>();
  using key = model::key_given<In, KeyOf>;
  auto init = [input, output, f = std::move(factory)]() mutable {
    model::hosted_stage<S, In, Out> made(f(), input, output);
    made.on_start();
    return made;
  };
  using update = model::stage_of_key<key, S, In, Out>;
  return model::make_pipeline(model::stage_per_key_stage<void, KeyOf, decltype(init), update>{
      {{}, std::move(key_of), std::move(init), update{}, {}, std::move(opts)}});
}
template <class KeyOf, class S, class In, class Out>
auto stage_per_key(KeyOf key_of, in<In> S::*input, out<Out> S::*output, options opts) {
  return stage_per_key(std::move(key_of), input, output, model::makes_stage<S>{}, std::move(opts));
}

}  // namespace THALWEG_NAMESPACE
