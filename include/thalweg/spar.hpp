/// What programs written by thalweg-spar call. They include it themselves.
#pragma once

#include <thalweg/thalweg.hpp>

#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace THALWEG_NAMESPACE::spar {

// --- variables in items ---

template <class T> struct held_type : std::remove_cv<T> {};
template <class T, std::size_t N>
struct held_type<T[N]> : std::type_identity<std::array<typename held_type<T>::type, N>> {};

/// How an item keeps a variable: an array as `std::array`, which can be moved, and travel to another process.
template <class T> using held = typename held_type<T>::type;

/// The kept array under its own type.
template <class T, class Held> auto& array(Held& kept) noexcept {
  using seen = std::conditional_t<std::is_const_v<Held>, const T, T>;
  static_assert(sizeof(seen) == sizeof(Held));
  return reinterpret_cast<seen&>(kept);
}

namespace detail {
template <class T> void assign(T& to, T& from) {
  to = std::move(from);
}
template <class T, std::size_t N> void assign(T (&to)[N], std::array<held<T>, N>& from) {
  for (std::size_t i = 0; i < N; ++i) detail::assign(to[i], from[i]);
}
template <class To, class From> void fill(To& to, From& from, bool moves) {
  if constexpr (std::is_array_v<From>) {
    for (std::size_t i = 0; i < std::extent_v<From>; ++i) detail::fill(to[i], from[i], moves);
  } else if constexpr (std::is_copy_assignable_v<To>) {
    if (moves) {
      to = std::move(from);
    } else {
      to = from;
    }
  } else {
    to = std::move(from);
  }
}
}  // namespace detail

/// A copy of an array, for an item.
template <class T> auto copied(const T& x) {
  held<T> kept{};
  detail::fill(kept, x, false);
  return kept;
}
/// The same, of an array that is not needed any more.
template <class T> auto moved(T& x) {
  held<T> kept{};
  detail::fill(kept, x, true);
  return kept;
}

namespace detail {
/// Keeps what threads write for each item out of each other's cache lines. No alignment: it may be in the
/// frame of a coroutine.
using space = std::array<char, 128>;
}  // namespace detail

/// What one stage writes for each item: next to it are variables of the program, which other stages may
/// write.
template <class Item> class slot {
 public:
  template <class... Values> void emplace(Values&&... values) {
    item_.emplace(std::forward<Values>(values)...);
  }
  explicit operator bool() const noexcept { return item_.has_value(); }
  [[nodiscard]] Item& operator*() noexcept { return *item_; }

 private:
  [[maybe_unused]] detail::space before_{};
  std::optional<Item> item_;
  [[maybe_unused]] detail::space behind_{};
};

/// A variable behind the stream: what the last item gave, if there was one.
template <class T, class Kept> void give_back(T& x, slot<Kept>& last) {
  if (last) detail::assign(x, *last);
}

// --- what clauses say ---

/// `Replicate(n)`. Throws a `thalweg::error` unless n is positive.
inline int replicas(long long n) {
  if (n < 1 || n > std::numeric_limits<int>::max()) {
    throw error("spar::Replicate(" + std::to_string(n) + "): a stage has a positive number of replicas");
  }
  return static_cast<int>(n);
}
/// `Replicate()`: the environment variable SPAR_NUM_WORKERS; without it the policy decides. Throws a
/// `thalweg::error` that names its text unless that is a positive number.
inline int replicas() {
  const char* const text = std::getenv("SPAR_NUM_WORKERS");
  if (text == nullptr) return automatic;
  const std::string_view digits = text;
  int n = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  if (failed != std::errc{} || end != digits.data() + digits.size() || n < 1) {
    throw error("SPAR_NUM_WORKERS=" + std::string(digits) + ": it must be a positive number");
  }
  return n;
}

/// -spar_ondemand: how many items wait for a farm.
inline std::int64_t bound(int each, int replicas) noexcept {
  return replicas == automatic ? automatic : std::int64_t{each} * replicas;
}

/// `KeyBy`: items with equal keys go to the same replica.
template <class Key> std::size_t hash(const Key& key) {
  if constexpr (std::is_enum_v<Key>) {
    return std::hash<std::underlying_type_t<Key>>{}(static_cast<std::underlying_type_t<Key>>(key));
  } else if constexpr (std::is_convertible_v<const Key&, std::string_view>) {
    return std::hash<std::string_view>{}(key);
  } else {
    return std::hash<Key>{}(key);
  }
}

/// `Batch`: the stage takes a group of items, and does them one by one.
template <class Item, class F> auto each(F f) {
  using result = std::invoke_result_t<F&, Item&>;
  if constexpr (std::is_void_v<result>) {
    return [f](std::vector<Item>& items) {
      for (Item& x : items) f(x);
    };
  } else if constexpr (model::optional_like<result>) {
    return [f](std::vector<Item>& items) {
      std::vector<typename result::value_type> results;
      results.reserve(items.size());
      for (Item& x : items) {
        if (auto y = f(x)) results.push_back(*std::move(y));
      }
      return results;
    };
  } else {
    return [f](std::vector<Item>& items) {
      std::vector<result> results;
      results.reserve(items.size());
      for (Item& x : items) results.push_back(f(x));
      return results;
    };
  }
}

/// A stage in which `continue` leaves out an item.
template <class Item, class Result, class F> auto some(F f) {
  return [f](Item& x, emitter<Result>& out) {
    if (std::optional<Result> y = f(x)) out.send(*std::move(y));
  };
}

// --- the run ---

/// The policy as the program was translated, or as THALWEG_SPAR_POLICY in the environment says.
inline any_policy policy(const char* otherwise) {
  const char* const text = std::getenv("THALWEG_SPAR_POLICY");
  return policy_from(text == nullptr ? otherwise : text);
}

/// The number of an item, counted from 0 in the order of the loop.
using number = std::uint64_t;

/// Why a stream ends before its loop does. Of several exceptions, the one of the first item counts: it is the
/// one that the loop would have thrown. Stages do nothing with items from there on; those before it go on.
class failure {
 public:
  /// Whether the loop gets to an item, as far as is known.
  [[nodiscard]] bool reaches(number item) const noexcept {
    return item < first_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool happened() const noexcept { return !reaches(nowhere - 1); }

  /// A stage has thrown for an item.
  void at(number item, std::exception_ptr thrown) noexcept {
    const std::lock_guard lock(mutex_);
    if (!reaches(item)) return;
    thrown_.swap(thrown);
    first_.store(item, std::memory_order_relaxed);
  }
  /// The source has thrown: behind all items that it has given.
  void behind_all(std::exception_ptr thrown) noexcept { at(nowhere - 1, std::move(thrown)); }

  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  static constexpr number nowhere = std::numeric_limits<number>::max();

  std::mutex mutex_;
  std::exception_ptr thrown_;
  // All stages read it for each item, and next to it are variables that change as often.
  [[maybe_unused]] detail::space before_{};
  std::atomic<number> first_ = nowhere;
  [[maybe_unused]] detail::space behind_{};
};

/// The loop, as a coroutine that stops where its first stage is: with an item.
class rounds {
 public:
  struct promise_type {
    std::exception_ptr thrown = nullptr;
    rounds get_return_object() { return rounds(std::coroutine_handle<promise_type>::from_promise(*this)); }
    static std::suspend_always initial_suspend() noexcept { return {}; }
    static std::suspend_always final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    void unhandled_exception() noexcept { thrown = std::current_exception(); }
  };

  explicit rounds(std::coroutine_handle<promise_type> loop) noexcept : loop_(loop) {}
  rounds(const rounds&) = delete;
  rounds& operator=(const rounds&) = delete;
  ~rounds() { loop_.destroy(); }

  /// Goes on to the next item; false: there is none. Then the loop has ended, or failed.
  bool next(failure& failed) {
    if (loop_.done()) return false;
    loop_.resume();
    if (!loop_.done()) return true;
    if (auto thrown = std::move(loop_.promise().thrown)) failed.behind_all(std::move(thrown));
    return false;
  }

 private:
  std::coroutine_handle<promise_type> loop_;
};

/// The item of a round, for `tw::source`: taken from where the loop has put it.
template <class Item> struct taken {
  using value_type = Item;
  Item* item;
  explicit operator bool() const noexcept { return item != nullptr; }
  Item&& operator*() && noexcept { return std::move(*item); }
};

/// The items of a loop, until there are no more, or something has failed. An exception in the loop comes when
/// all items before it are done, as without attributes.
template <class Item> auto source(rounds& loop, slot<Item>& item, failure& failed) {
  return thalweg::source([&]() -> taken<Item> {
    return {!failed.happened() && loop.next(failed) ? std::addressof(*item) : nullptr};
  });
}

/// The same for a loop that sends its items, since no coroutine may stop where they begin: in a handler of
/// exceptions.
template <class Item, class F> auto emitting_source(F f, failure& failed) {
  return thalweg::source<Item>([f, &failed](emitter<Item>& out) {
    try {
      f(out);
    } catch (const cancelled&) {
      if (!failed.happened()) throw;
    } catch (...) {
      failed.behind_all(std::current_exception());
    }
  });
}
/// What such a loop does where its first stage was. It ends as soon as something has failed.
template <class Item> void send(emitter<Item>& out, Item item, const failure& failed) {
  if (failed.happened()) throw cancelled();
  out.send(std::move(item));
}

/// Runs the stream. What the engine stops it for comes out as it is.
template <class Job, class Policy> void run(Job&& job, const Policy& policy) {
  try {
    thalweg::run(std::forward<Job>(job), policy);
  } catch (const stage_error& e) {
    if (e.cause() == nullptr) throw;
    std::rethrow_exception(e.cause());
  }
}

}  // namespace THALWEG_NAMESPACE::spar
