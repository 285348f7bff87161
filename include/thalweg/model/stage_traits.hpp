/// `per_replica`: an operator for each replica of a farm.
#pragma once

#include <thalweg/model/callable.hpp>
#include <thalweg/model/emitter.hpp>
#include <thalweg/model/errors.hpp>
#include <thalweg/model/kept_options.hpp>

#include <concepts>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>

namespace THALWEG_NAMESPACE {

class stage;

/// An operator that each replica of a farm makes for itself; see `per_replica`.
template <class Factory> struct per_replica_operator {
  Factory factory;
};

/// One operator per replica: `factory` is called once for each replica, on the thread that starts it. For
/// scratch space, models, connections. Results must not depend on which replica took an item.
///
/// Threads: a factory that can be called as const may be called by several threads at once; any other is
/// called by one at a time. Errors: what it throws ends the run and comes out with the stage's name.
///
/// ```cpp
/// struct smoother {
///   std::vector<int> scratch;                    // mutable: could not be shared by the replicas
///   int operator()(int x) { scratch.assign(3, x); return scratch[0] + scratch[1] + scratch[2]; }
/// };
/// std::vector<int> seen;
/// tw::run(tw::source(std::vector{1, 2, 3}) | tw::farm(tw::per_replica([] { return smoother{}; }), {.replicas
/// = 2}) |
///         tw::sink(seen));
/// assert((seen == std::vector{3, 6, 9}));
/// ```
template <class Factory> per_replica_operator<Factory> per_replica(Factory factory) {
  static_assert(std::is_invocable_v<Factory&>,
                "thalweg::per_replica: the factory must be callable without arguments");
  return {std::move(factory)};
}

namespace model {

/// The input of a source and the output of a sink.
struct nothing {};

/// What comes out of a stage that is wrong, or does not fit. The compiler has said so; one message is
/// enough, so nothing more is made of such a line.
struct misfit {};

/// Whether items can be copied. Containers claim that they can whatever they hold, so that is looked into.
template <class T>
inline constexpr bool copyable = [] {
  if constexpr (!std::is_copy_constructible_v<T>) {
    return false;
  } else if constexpr (requires { typename T::value_type; }) {
    if constexpr (std::is_same_v<typename T::value_type, T>) {
      return true;  // a tree of itself
    } else {
      return copyable<typename T::value_type>;
    }
  } else if constexpr (requires { std::tuple_size<T>::value; }) {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return (copyable<std::tuple_element_t<I, T>> && ...);
    }(std::make_index_sequence<std::tuple_size_v<T>>{});
  } else {
    return true;
  }
}();

template <class F> inline constexpr bool is_per_replica = false;
template <class F> inline constexpr bool is_per_replica<per_replica_operator<F>> = true;

/// The operator that is called: F itself, or what the factory makes.
template <class F> struct called : std::type_identity<F> {};
template <class F>
struct called<per_replica_operator<F>> : std::type_identity<std::decay_t<std::invoke_result_t<F&>>> {};
template <class F> using called_t = typename called<F>::type;

/// Whether X is a `tw::stage`, or points to one.
template <class X>
inline constexpr bool is_a_stage = std::is_base_of_v<stage, std::remove_pointer_t<std::remove_cvref_t<X>>>;
template <class S, class D> inline constexpr bool is_a_stage<std::unique_ptr<S, D>> = is_a_stage<S>;
template <class S> inline constexpr bool is_a_stage<std::shared_ptr<S>> = is_a_stage<S>;

/// Whether F is a stage, or makes one: no operator of a line, as it has ports.
template <class F>
inline constexpr bool stands_for_stage = [] {
  using called = called_t<std::remove_cvref_t<F>>;
  if constexpr (is_a_stage<std::remove_cvref_t<F>> || is_a_stage<called>) {
    return true;
  } else if constexpr (std::invocable<called&>) {
    return is_a_stage<std::invoke_result_t<called&>>;
  } else {
    return false;
  }
}();

/// One operator for all replicas: they see it as const.
template <class F> struct shared_function {
  const F* shared;
  template <class... A>
    requires std::invocable<const F&, A...>
  decltype(auto) operator()(A&&... args) const {
    return std::invoke(*shared, std::forward<A>(args)...);
  }
};

/// Whether a factory has to be called by one thread at a time.
template <class Fn> inline constexpr bool made_in_turn = false;
template <class Factory>
inline constexpr bool made_in_turn<per_replica_operator<Factory>> = !std::is_invocable_v<const Factory&>;

/// Whether the type of an item decides what is compiled, so that to ask whether a const item will do could
/// already compile a body that changes it.
template <class F> inline constexpr bool generic = std::is_class_v<F> && !requires { &F::operator(); };
template <class F> inline constexpr bool generic<shared_function<F>> = generic<F>;

template <class F> F& target(F& f) {
  return f;
}
template <class F> const F& target(shared_function<F>& f) {
  return *f.shared;
}

/// How an operator may take an item: by value or rvalue, by lvalue (to change it in place) or const
/// reference, each with a `std::stop_token` behind if it wants one, and with further arguments (an emitter).
template <class F, class T, class... More>
inline constexpr bool takes =
    std::invocable<F&, T&&, More...> || std::invocable<F&, T&, More...> ||
    std::invocable<F&, T&&, More..., std::stop_token> || std::invocable<F&, T&, More..., std::stop_token>;

/// Calls an operator with an item, in whichever way it takes it. A `const T&` item is copied if it has to be.
template <class F, class T, class... More>
decltype(auto) call_with(F& f, const context& ctx, T&& item, More&&... more) {
  if constexpr (generic<F> && std::is_const_v<std::remove_reference_t<T>>) {
    auto copy = item;
    return call_with(f, ctx, std::move(copy), std::forward<More>(more)...);
  } else if constexpr (std::invocable<F&, T&&, More...>) {
    return std::invoke(f, std::forward<T>(item), std::forward<More>(more)...);
  } else if constexpr (std::invocable<F&, T&, More...>) {
    return std::invoke(f, item, std::forward<More>(more)...);
  } else if constexpr (std::invocable<F&, T&&, More..., std::stop_token>) {
    return std::invoke(f, std::forward<T>(item), std::forward<More>(more)..., ctx.stop);
  } else if constexpr (std::invocable<F&, T&, More..., std::stop_token>) {
    return std::invoke(f, item, std::forward<More>(more)..., ctx.stop);
  } else {
    auto copy =
        item;  // NOLINT(performance-unnecessary-copy-initialization): the operator changes or consumes it
    return call_with(f, ctx, std::move(copy), std::forward<More>(more)...);
  }
}

template <class F, class T, class... More>
using call_result = std::remove_cvref_t<decltype(call_with(std::declval<F&>(), std::declval<const context&>(),
                                                           std::declval<T>(), std::declval<More>()...))>;

/// Which hooks an object has; U is what its stage sends.
template <class F> inline constexpr bool has_start_hook = requires(F& f) { f.on_start(); };
template <class F, class U>
inline constexpr bool has_end_hook =
    requires(F& f) { f.on_end(); } || requires(F& f, emitter<U>& out) { f.on_end(out); };

/// Base of the operators that hold a user's callable: its hooks.
template <class F, class U> struct hooked {
  F fn;

  void start()
    requires requires(F& f) { target(f).on_start(); }
  {
    target(fn).on_start();
  }

  template <class Frame, class Next> void finish(Frame& f, Next& next) {
    if constexpr (requires(emitter<U>& out) { target(fn).on_end(out); }) {
      pipe::chunk<U> sent;
      f.template emit<false>(
          sent, 1, [&](emitter<U>& out) { target(fn).on_end(out); }, next);
    } else if constexpr (requires { target(fn).on_end(); }) {
      f.call([&] { target(fn).on_end(); });
    }
  }

  static constexpr bool ends = has_end_hook<std::remove_reference_t<decltype(target(std::declval<F&>()))>, U>;
};

/// Finds out before the run whether a user's callable will do: it must not be null, and its `validate()` hook
/// must not throw.
template <class Fn> void check_function(Fn& fn, stage_info& info) {
  if constexpr (is_per_replica<Fn>) {
    if (is_null_callable(fn.factory))
      info.problems.emplace_back("its factory is null: there is nothing to call");
  } else {
    if (is_null_callable(fn)) info.problems.emplace_back("its operator is null: there is nothing to call");
    if constexpr (requires { fn.validate(); }) {
      try {
        fn.validate();
      } catch (...) {
        info.problems.push_back(message_of(std::current_exception()));
      }
    }
  }
}

/// Base of the blueprints that hold a user's callable. `Op<In, F>` is the operator that runs it.
template <template <class, class> class Op, class Fn> struct function_stage {
  Fn fn;
  kept_options opts;

  static constexpr bool shares = !is_per_replica<Fn>;
  template <class In> static constexpr bool ends = Op<In, called_t<Fn>>::ends;
  // Replicas that share an operator call its hooks as const: none may get lost by that.
  template <class In>
  static constexpr bool hooks_shared =
      has_start_hook<Fn> == has_start_hook<const Fn> && ends<In> == Op<In, shared_function<Fn>>::ends;

  template <class In> auto make() {
    if constexpr (is_per_replica<Fn>) {
      return Op<In, called_t<Fn>>{{fn.factory()}};
    } else {
      return Op<In, Fn>{{std::move(fn)}};
    }
  }
  template <class In> auto bind(const Fn& shared) const {
    return Op<In, shared_function<Fn>>{{shared_function<Fn>{&shared}}};
  }

  void check(stage_info& info) { check_function(fn, info); }
};

template <class Stage, class In> using output_of = typename Stage::template output<In>;
template <class Stage> inline constexpr bool one_to_one = Stage::one_to_one;
template <class Stage> inline constexpr bool shares_function = Stage::shares;
template <class Stage> using function_of = decltype(Stage::fn);
template <class Stage, bool Shared> struct shared_operator : std::type_identity<char> {};
template <class Stage> struct shared_operator<Stage, true> : std::type_identity<function_of<Stage>> {};
template <class Stage, class In> using op_owned = decltype(std::declval<Stage&>().template make<In>());
template <class Stage, class In>
using op_shared =
    decltype(std::declval<const Stage&>().template bind<In>(std::declval<const function_of<Stage>&>()));

}  // namespace model
}  // namespace THALWEG_NAMESPACE
