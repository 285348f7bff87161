/// What may be said of a connection: capacity, waiting, what happens when it is full, a custom pipe.
#pragma once

#include <thalweg/model/options.hpp>
#include <thalweg/pipe/chunk.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <typeinfo>
#include <utility>

namespace THALWEG_NAMESPACE {

/// What a full pipe does with one more item.
enum class when_full : std::uint8_t {
  block,     ///< the sender waits: nothing is lost
  drop_new,  ///< the item is dropped, and counted
  drop_old,  ///< the item that has waited longest is dropped, and counted
};
inline constexpr when_full block = when_full::block;
inline constexpr when_full drop_new = when_full::drop_new;
inline constexpr when_full drop_old = when_full::drop_old;

/// How a thread of its own (`threads`, `.blocking`, `.pin`) waits at a pipe.
enum class waiting : std::uint8_t {
  park,  ///< a short spin, then it sleeps: burns nothing
  spin,  ///< up to a millisecond awake: reacts within a microsecond, and takes a core for that
};
inline constexpr waiting park = waiting::park;
inline constexpr waiting spin = waiting::spin;

/// A custom pipe between two stages of a graph: derive from it and give `tw::made_by<T>` to `connect`.
/// One thread pushes at a time, and one pops; both at once.
///
/// It may drop items: those that have gone in and are not there when `try_pop` gives nothing are dropped, and
/// the report counts them. One that gives an item only later says so by `holds_back`.
///
/// Errors: what it throws comes out of the run as a `stage_error`: of the stage that sends, from `try_push`,
/// or of the one that takes, from `try_pop`.
///
/// ```cpp
/// struct stack : tw::own_pipe<int> {  // last in, first out
///   std::mutex m;
///   std::vector<int> items;
///   bool try_push(int& x) override {
///     std::lock_guard hold(m);
///     if (items.size() == 64) return false;
///     items.push_back(x);
///     return true;
///   }
///   std::optional<int> try_pop() override {
///     std::lock_guard hold(m);
///     if (items.empty()) return {};
///     const int x = items.back();
///     items.pop_back();
///     return x;
///   }
/// };
/// int sum = 0;
/// tw::graph g;
/// g.connect(g.add(tw::source(std::vector{1, 2, 3})).out, g.add(tw::sink([&](int x) { sum += x; })).in,
///           {.pipe = tw::made_by<int>([] { return std::make_unique<stack>(); })});
/// tw::run(g);
/// assert(sum == 6);
/// ```
template <class T> class own_pipe {
 public:
  virtual ~own_pipe() = default;
  /// Moves `item` in and returns true, or returns false if there is no room.
  virtual bool try_push(T& item) = 0;
  /// The next item, or nothing if there is none.
  virtual std::optional<T> try_pop() = 0;
  /// Whether items are in it though `try_pop` has just given none: it will give them later. It is asked again
  /// and again then, also when no more can come, which keeps a thread awake.
  virtual bool holds_back() { return false; }
};

namespace model {

/// A user's pipe as the engines see it.
class own_channel {
 public:
  virtual ~own_channel() = default;
  /// Moves items of `from`, from number `first` on, into the pipe. Returns how many went in.
  virtual std::size_t push(pipe::chunk_base& from, std::size_t first) = 0;
  /// Moves up to `n` items out of the pipe to the end of `to`. Returns how many there were.
  virtual std::size_t pop(pipe::chunk_base& to, std::size_t n) = 0;
  /// It may give more later, though it has given fewer than it was asked for.
  [[nodiscard]] virtual bool holds_back() = 0;
};

template <class T> class typed_channel final : public own_channel {
 public:
  explicit typed_channel(std::unique_ptr<own_pipe<T>> p) : pipe_(std::move(p)) {}

  std::size_t push(pipe::chunk_base& from, std::size_t first) override {
    auto& items = static_cast<pipe::chunk<T>&>(from);
    std::size_t n = 0;
    while (first + n < items.size() && pipe_->try_push(items[first + n])) ++n;
    return n;
  }
  std::size_t pop(pipe::chunk_base& to, std::size_t n) override {
    auto& items = static_cast<pipe::chunk<T>&>(to);
    for (std::size_t i = 0; i < n; ++i) {
      auto x = pipe_->try_pop();
      if (!x) return i;
      items.emplace(std::move(*x));
    }
    return n;
  }
  [[nodiscard]] bool holds_back() override { return pipe_->holds_back(); }

 private:
  std::unique_ptr<own_pipe<T>> pipe_;
};

}  // namespace model

/// Makes a pipe of the user's own for each run: see `tw::made_by`.
struct pipe_factory {
  std::function<std::unique_ptr<model::own_channel>()> make;
  const std::type_info* item = nullptr;
  explicit operator bool() const noexcept { return static_cast<bool>(make); }
};

/// A pipe factory for `connect_options::pipe`: `factory()` gives a `std::unique_ptr` to a class derived from
/// `tw::own_pipe<T>`. It is called once before each run. A null pointer is an `invalid_job`.
template <class T, class F> pipe_factory made_by(F factory) {
  static_assert(std::is_convertible_v<std::invoke_result_t<F&>, std::unique_ptr<own_pipe<T>>>,
                "thalweg::made_by<T>: the factory must return a std::unique_ptr to a tw::own_pipe<T>");
  return {[f = std::move(factory)]() mutable -> std::unique_ptr<model::own_channel> {
            std::unique_ptr<own_pipe<T>> made = f();
            if (!made) return nullptr;
            return std::make_unique<model::typed_channel<T>>(std::move(made));
          },
          &typeid(T)};
}

namespace model {

/// How items become those of another type on their way from an output to an input.
struct conversion {
  std::unique_ptr<pipe::chunk_base> (*make)() = nullptr;  ///< an empty chunk of what they become
  /// Puts the results of the items of `from`, with their marks, behind those of `to`.
  void (*convert)(pipe::chunk_base& from, pipe::chunk_base& to) = nullptr;
  const std::type_info* item = nullptr;  ///< what they become

  explicit operator bool() const noexcept { return convert != nullptr; }

  /// None where the types are the same.
  template <class From, class To> static conversion between() {
    if constexpr (std::is_same_v<From, To>) {
      return {};
    } else {
      return {[]() -> std::unique_ptr<pipe::chunk_base> { return std::make_unique<pipe::chunk<To>>(); },
              [](pipe::chunk_base& from, pipe::chunk_base& to) {
                auto& items = static_cast<pipe::chunk<From>&>(from);
                auto& made = static_cast<pipe::chunk<To>&>(to);
                const auto* const marks = items.marks();
                for (std::size_t i = 0; i < items.size(); ++i) {
                  if (marks == nullptr) {
                    (void)made.emplace(static_cast<To>(std::move(items[i])));
                  } else {
                    (void)made.emplace_marked(marks[i], static_cast<To>(std::move(items[i])));
                  }
                }
              },
              &typeid(To)};
    }
  }
};

}  // namespace model

/// The options of a connection.
struct connect_options {
  /// At most this many items wait in the pipe; `automatic`: as many as keep both ends busy.
  std::int64_t capacity = automatic;
  /// At most this many bytes of items wait in the pipe, counted by `tw::size_of`, and one item more: the one
  /// with which they are exceeded. What several replicas of an `.unordered` farm have in hand when there is
  /// room goes in nevertheless (half of the bound for each), and so does what a farm with divided keys makes
  /// of one run of items. Without a `.capacity` or a bound of yours there is one of 8 MiB, which a run of
  /// items may exceed.
  std::int64_t bytes = automatic;
  /// How the thread at the receiving end waits, where it has a thread of its own.
  waiting wait = waiting::park;
  /// On any connection of a loop: how many items may be in the loop at once; beyond that the run ends with
  /// `tw::loop_overflow`. `automatic`: a million.
  std::int64_t loop_limit = automatic;
  /// What happens to an item that finds the pipe full.
  thalweg::when_full when_full = thalweg::when_full::block;
  /// A pipe of the user's own instead.
  pipe_factory pipe = {};
};

}  // namespace THALWEG_NAMESPACE
