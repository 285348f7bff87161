/// `key_by`: gives each item its key, and each key its state.
#pragma once

#include <thalweg/model/pipeline.hpp>
#include <thalweg/model/stage_traits.hpp>
#include <thalweg/observe/clock.hpp>
#include <thalweg/pattern/first_ranks.hpp>
#include <thalweg/pattern/kept_states.hpp>
#include <thalweg/pattern/key_ages.hpp>
#include <thalweg/pattern/keyed.hpp>
#include <thalweg/pattern/restoring.hpp>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE {

/// What happens to the states of keys.
struct key_by_options {
  /// The state of a key that has seen no item for this long, by the steady clock, is dropped: the next item
  /// of the key finds a new one, like the first. For streams without end, whose keys come and go. `on_end` is
  /// not called for it. The memory is given back when other items come. 0: states stay to the end of the
  /// stream.
  std::chrono::nanoseconds expire_after{0};
};

namespace model {

// --- keys alone ---

template <class In, class F> using key_given = std::remove_cvref_t<std::invoke_result_t<F&, const In&>>;

template <class K> constexpr bool can_be_key() {
  static_assert(hashable<K>,
                "thalweg::key_by: the key has no std::hash: specialise it, or use a pair or a tuple of keys "
                "that have one");
  static_assert(std::equality_comparable<K>, "thalweg::key_by: the key has no operator==");
  return hashable<K> && std::equality_comparable<K>;
}

template <class In, class F> struct key_by_op : hooked<F, keyed<key_given<In, F>, In>> {
  using out = keyed<key_given<In, F>, In>;
  template <class Frame, class T, class Next> THALWEG_INLINE void step(Frame& f, T&& item, Next&& next) {
    next(f.call([&] {
      auto key = key_given<In, F>(std::invoke(this->fn, std::as_const(item)));
      return out{std::move(key), std::forward<T>(item)};
    }));
  }
};

template <class Fn> struct key_by_stage : stage_defaults, function_stage<key_by_op, Fn> {
  static constexpr auto pattern = "key_by";
  static constexpr bool one_to_one = true;
  using wants = first_argument_t<called_t<Fn>>;
  template <class In> static constexpr bool accepts = std::invocable<called_t<Fn>&, const In&>;
  template <class In> static constexpr bool accepts_shared = std::invocable<const called_t<Fn>&, const In&>;
  template <class In, class K = key_given<In, called_t<Fn>>>
  using output = std::conditional_t<can_be_key<K>(), keyed<K, In>, misfit>;
};

// --- state of each key ---

// The emitter among the parameters of a function: its item type, void if there is none.
template <class Signature> struct emitter_of : std::type_identity<void> {};
template <class R, class A, class... B> struct emitter_of<R(A, B...)> : emitter_of<R(B...)> {};
template <class R, class T, class... B> struct emitter_of<R(emitter<T>&, B...)> : std::type_identity<T> {};

template <class F> struct emitter_of_end : std::type_identity<void> {};
template <class F>
  requires requires { &F::on_end; }
struct emitter_of_end<F> : emitter_of<typename signature_of_function<decltype(&F::on_end)>::type> {};

/// Makes states for `key_by` without an `init`.
struct value_initialised {};

// The state: the type that the update takes by reference; if that is generic, the type that `init` gives.
template <class Init, class K> struct initial {
  template <class I = Init> static auto make(I& init, const K& key) {
    if constexpr (std::invocable<I&, const K&>) {
      return std::invoke(init, key);
    } else {
      static_assert(std::invocable<I&>, "thalweg::key_by: init must be callable as init() or init(key)");
      return std::invoke(init);
    }
  }
  using type = std::remove_cvref_t<decltype(make(std::declval<Init&>(), std::declval<const K&>()))>;
};
template <class K> struct initial<value_initialised, K> : std::type_identity<void> {};

template <class Named, class State> constexpr bool state_is_known() {
  static_assert(!std::is_void_v<State>,
                "thalweg::key_by: a generic lambda does not show the type of the state: name the type of its "
                "first parameter, or write key_by(key_of, init, update)");
  static_assert(std::is_void_v<Named> || std::is_lvalue_reference_v<Named>,
                "thalweg::key_by: the update must take the state by reference: update(State&, const T&)");
  return !std::is_void_v<State> && (std::is_void_v<Named> || std::is_lvalue_reference_v<Named>);
}
template <class Init, class Update, class K> struct keyed_state {
  using named = typename first_argument_t<Update>::type;
  using found =
      std::conditional_t<std::is_void_v<named>, typename initial<Init, K>::type, std::remove_cvref_t<named>>;
  using type = std::conditional_t<can_be_key<K>() && state_is_known<named, found>(), found, misfit>;
};

template <class Update, class State, class In> constexpr bool can_update() {
  constexpr bool fits = std::invocable<Update&, State&, const In&>;
  static_assert(fits,
                "thalweg::key_by: the update must be callable as update(State&, const T&) or "
                "update(State&, const T&, tw::emitter<U>&); for a generic lambda that emits name the "
                "output type: key_by<U>(key_of, init, update)");
  return fits;
}
template <class U> constexpr bool update_gives() {
  static_assert(!std::is_void_v<U>,
                "thalweg::key_by: the update gives no output: return something, send it, or add an "
                "on_end(const K&, State&, tw::emitter<U>&) that does");
  return !std::is_void_v<U>;
}

// What an update gives, for one type of items. `U` is the user's choice, or void.
template <class U, class KeyOf, class Update, class In, class State> struct update_of {
  using key = key_given<In, KeyOf>;
  using state = State;
  using named = std::conditional_t<std::is_void_v<U>,
                                   typename emitter_of<typename signature_of<Update>::type>::type, U>;

  static constexpr bool emits = [] {
    if constexpr (std::is_void_v<named>) {
      return false;
    } else {
      return std::invocable<Update&, state&, const In&, emitter<named>&>;
    }
  }();
  using result = typename decltype([] {
    if constexpr (emits) {
      return std::type_identity<void>{};
    } else if constexpr (can_update<Update, state, In>()) {
      return std::type_identity<std::remove_cvref_t<std::invoke_result_t<Update&, state&, const In&>>>{};
    } else {
      return std::type_identity<misfit>{};
    }
  }())::type;
  static constexpr bool gives = !std::is_void_v<result>;
  using found = std::conditional_t<!std::is_void_v<named>, named,
                                   std::conditional_t<gives, result, typename emitter_of_end<Update>::type>>;
  using out = std::conditional_t<update_gives<found>(), found, misfit>;
  static constexpr bool end_sends =
      requires(Update& u, const key& k, state& s, emitter<out>& e) { u.on_end(k, s, e); };
  static constexpr bool ends = end_sends || requires(Update& u, const key& k, state& s) { u.on_end(k, s); };
};

template <class U, class KeyOf, class Update, class In> struct update_of<U, KeyOf, Update, In, misfit> {
  using out = misfit;
  static constexpr bool ends = false;
};
template <class U, class Init, class KeyOf, class Update, class In>
using keyed_update =
    update_of<U, KeyOf, Update, In, typename keyed_state<Init, Update, key_given<In, KeyOf>>::type>;

template <class Types, class Init, class KeyOf, class Update> struct keyed_state_op {
  using key = typename Types::key;
  using state = typename Types::state;
  using out = typename Types::out;
  using kept = keyed<key, state>;
  static constexpr std::size_t at_once = 64;

  KeyOf key_of;
  Init init;
  Update update;
  std::int64_t expire_after = 0;
  key_table<key, state> states{};
  pipe::chunk<out> sent{};
  first_ranks appeared{};
  key_ages ages{};  // where states expire

  void start()
    requires has_start_hook<Update>
  {
    update.on_start();
  }

  template <class Frame, class T, class Next> THALWEG_INLINE void step(Frame& f, T&& item, Next&& next) {
    const auto& in = item;
    if constexpr (Types::emits) {
      f.template emit<false>(
          sent, at_once,
          [&](emitter<out>& to) { change(f, in, [&](state& s) { std::invoke(update, s, in, to); }); }, next);
    } else if constexpr (Types::gives) {
      next(f.call([&]() -> out {
        return change(f, in, [&](state& s) -> out { return std::invoke(update, s, in); });
      }));
    } else {
      f.call([&] { change(f, in, [&](state& s) { std::invoke(update, s, in); }); });
    }
  }

  template <class Frame, class Next> void finish(Frame& f, Next& next) {
    if constexpr (!Types::ends) return;
    for (const auto i : in_order()) {
      appeared.recall(f.ctx, i);
      if constexpr (Types::end_sends) {
        f.template emit<false>(
            sent, at_once, [&](emitter<out>& to) { update.on_end(states.key(i), states[i], to); }, next);
      } else if constexpr (Types::ends) {
        f.call([&] { update.on_end(states.key(i), states[i]); });
      }
    }
  }

  void take_states(pipe::chunk<kept>& into)
    requires std::copy_constructible<key>
  {
    model::take_states(states, appeared, into, in_order());
    ages = {};
  }
  void put_states(pipe::chunk<kept>& from) {
    model::put_states(from, states, appeared);
    if (expire_after == 0) return;
    // Their arrival here counts as an item.
    for (const auto i : ids_of(states)) ages.touch(i, observe::now_ns());
  }

 private:
  using id = typename key_table<key, state>::id;

  // In order of appearance. A number that has become free is given again.
  [[nodiscard]] std::vector<id> in_order() const {
    auto all = ids_of(states);
    if (expire_after > 0) std::sort(all.begin(), all.end(), [&](id a, id b) { return ages.is_older(a, b); });
    return all;
  }
  void drop_expired(std::int64_t now) {
    while (const auto old = ages.expired(now, expire_after)) {
      ages.forget(*old);
      states.erase(*old);
    }
  }
  template <class Frame, class In, class Call> decltype(auto) change(Frame& f, const In& in, Call&& call) {
    std::int64_t now = 0;
    if (expire_after > 0) drop_expired(now = f.ctx.now());
    const auto before = states.size();
    const auto [at, s] = states.find_or_add(key(std::invoke(key_of, in)), [&](const key& k) -> state {
      appeared.note(f.ctx, states.next());
      if constexpr (std::is_same_v<Init, value_initialised>) {
        static_assert(
            std::default_initializable<state>,
            "thalweg::key_by: the state has no default constructor: write key_by(key_of, init, update)");
        return state{};
      } else {
        return initial<Init, key>::make(init, k);
      }
    });
    if (expire_after > 0) ages.touch(at, now);
    if constexpr (can_fail<Frame>) {
      // A key whose first item was given up has not appeared.
      if (states.size() > before) {
        try {
          return call(s);
        } catch (...) {
          if (expire_after > 0) ages.forget(at);
          states.erase(at);
          throw;
        }
      }
    }
    return restoring<Frame>(s, [&]() -> decltype(auto) { return call(s); });
  }
};

template <class U, class KeyOf, class Init, class Update> struct keyed_state_stage : stage_defaults {
  template <class In> using types = keyed_update<U, Init, KeyOf, Update, In>;

  static constexpr auto pattern = "key_by";
  static constexpr bool one_to_one = false;
  static constexpr bool shares = false;
  using wants = first_argument_t<KeyOf>;
  template <class In> static constexpr bool accepts = std::invocable<KeyOf&, const In&>;
  template <class In> static constexpr bool ends = types<In>::ends;
  template <class In> using output = typename types<In>::out;
  template <class In> using kept = keyed<typename types<In>::key, typename types<In>::state>;

  KeyOf key_of;
  Init init;
  Update update;
  key_by_options how;
  kept_options opts;

  static constexpr bool copyable =
      std::copy_constructible<KeyOf> && std::copy_constructible<Init> && std::copy_constructible<Update>;

  // In a farm there is one for each part of the keys.
  template <class In> auto make() {
    using op = keyed_state_op<types<In>, Init, KeyOf, Update>;
    if constexpr (copyable) {
      return op{key_of, init, update, how.expire_after.count()};
    } else {
      return op{std::move(key_of), std::move(init), std::move(update), how.expire_after.count()};
    }
  }
  template <class In>
  [[nodiscard]] std::uint64_t hash_of_key(const In& item) const
    requires std::invocable<const KeyOf&, const In&>
  {
    using key = key_given<In, KeyOf>;
    return model::hash_of<key>(key(std::invoke(key_of, item)));
  }
  template <class In> void check(stage_info& info) {
    constexpr bool divisible = copyable && std::invocable<const KeyOf&, const In&>;
    info.state.scope = divisible ? state_scope::key : state_scope::stream;
    check_function(update, info);
    if (is_null_callable(key_of))
      info.problems.emplace_back("the function that gives the key is null: there is nothing to call");
    if (is_null_callable(init))
      info.problems.emplace_back("the function that makes the state is null: there is nothing to call");
    if (how.expire_after.count() < 0) info.problems.emplace_back(".expire_after is negative");
    check_restorable<typename types<In>::state>(info);
  }
};

}  // namespace model

/// Gives each item its key: `key_of(const T&) -> K` (or a member pointer) turns `T` into `keyed<K, T>`. A
/// following `reduce` or `window` works on each key separately. K needs `==` and `std::hash`, or is a pair or
/// tuple of types that have them.
///
/// Order: deterministic. Can be put into a farm. Errors as for `map`.
///
/// ```cpp
/// struct sale { std::string shop; int amount; };
/// std::vector<tw::keyed<std::string, int>> seen;
/// tw::run(tw::source(std::vector<sale>{{"a", 1}, {"b", 2}, {"a", 3}}) | tw::key_by(&sale::shop) |
///         tw::reduce(0, [](int sum, const sale& s) { return sum + s.amount; }) | tw::sink(seen));
/// assert((seen == std::vector<tw::keyed<std::string, int>>{{"a", 4}, {"b", 2}}));
/// ```
template <class KeyOf> auto key_by(KeyOf key_of, options opts = {}) {
  return model::make_pipeline(model::key_by_stage<KeyOf>{{}, {std::move(key_of), std::move(opts)}});
}

/// State for each key: `update(State&, const T&) -> U`, or `update(State&, const T&, tw::emitter<U>&)` for
/// 0..n outputs. The state is value-initialised when its key first appears; its type is that of the first
/// parameter of `update`. For a generic lambda that emits, name the output: `key_by<U>(...)`.
///
/// An update object may have `on_end(const K&, State&)` or `on_end(const K&, State&, tw::emitter<U>&)`:
/// called for each key at the end of the stream, in the order in which the keys first appeared; and
/// `on_start()` and `validate()`.
///
/// Order: deterministic. `update` is called for one item at a time, in order, and may have state besides that
/// of the keys. As the first stage of a farm (`tw::farm(tw::key_by(...), {.replicas = 4})`) the keys are
/// divided: each belongs to one of several parts, which different threads work on, each part in order, with
/// its own copy of `update`, whose results must then depend only on the key's state. The results still come
/// in the order of the stream. The state belongs to its part, not to a thread, so that `set_replicas` takes
/// effect at once and moves nothing. (Under `tw::mpi` it may move parts to other ranks, if key and state can
/// travel.)
///
/// Errors: as for `map`. With an `.on_error` other than `tw::stop`, the state of the key is copied before
/// each update, and restored if that fails; a state that cannot be copied is then an `invalid_job`.
///
/// States are kept to the end of the stream: memory is bounded by the number of keys. With `key_by(key_of,
/// update, {.expire_after = 10min})`, followed by the options of the stage, the state of a key that has seen
/// nothing for that long is dropped; the result of an item then depends on when it comes.
///
/// ```cpp
/// std::vector<std::string> seen;
/// auto nth = tw::key_by([](const std::string& word) { return word; }, [](int& times, const std::string&
/// word) {
///   return word + std::to_string(++times);
/// });
/// tw::run(tw::source(std::vector<std::string>{"a", "b", "a"}) | nth | tw::sink(seen));
/// assert((seen == std::vector<std::string>{"a1", "b1", "a2"}));
/// ```
template <class U = void, class KeyOf, class Update>
  requires(!std::same_as<Update, options> && !std::same_as<Update, key_by_options>)
auto key_by(KeyOf key_of, Update update, key_by_options how, options opts = {}) {
  static_assert(
      !model::stands_for_stage<Update>,
      "thalweg::key_by: a stage for each key is tw::stage_per_key(key_of, &S::in, &S::out, factory)");
  return model::make_pipeline(model::keyed_state_stage<U, KeyOf, model::value_initialised, Update>{
      {}, std::move(key_of), {}, std::move(update), how, std::move(opts)});
}
template <class U = void, class KeyOf, class Update>
  requires(!std::same_as<Update, options> && !std::same_as<Update, key_by_options>)
auto key_by(KeyOf key_of, Update update, options opts = {}) {
  return thalweg::key_by<U>(std::move(key_of), std::move(update), key_by_options{}, std::move(opts));
}

/// The same with `init() -> State` or `init(const K&) -> State`, which makes the state of a key when it first
/// appears. `update` may then be a generic lambda.
///
/// ```cpp
/// std::vector<int> seen;
/// auto balance = tw::key_by([](int x) { return x % 2; }, [](int key) { return 100 * key; },
///                           [](auto& sum, int x) { return sum += x; });
/// tw::run(tw::source(std::vector{1, 2, 3, 4}) | balance | tw::sink(seen));
/// assert((seen == std::vector{101, 2, 104, 6}));
/// ```
template <class U = void, class KeyOf, class Init, class Update>
  requires(!std::same_as<Update, options> && !std::same_as<Update, key_by_options>)
auto key_by(KeyOf key_of, Init init, Update update, key_by_options how, options opts = {}) {
  return model::make_pipeline(model::keyed_state_stage<U, KeyOf, Init, Update>{
      {}, std::move(key_of), std::move(init), std::move(update), how, std::move(opts)});
}
template <class U = void, class KeyOf, class Init, class Update>
  requires(!std::same_as<Update, options> && !std::same_as<Update, key_by_options>)
auto key_by(KeyOf key_of, Init init, Update update, options opts = {}) {
  return thalweg::key_by<U>(std::move(key_of), std::move(init), std::move(update), key_by_options{},
                            std::move(opts));
}

}  // namespace THALWEG_NAMESPACE
