/// `look`: the next items that come along an edge of a running job, as text.
#pragma once

#include <thalweg/version.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace THALWEG_NAMESPACE {

namespace run_detail {
class looks;
struct sight;
}  // namespace run_detail

/// An item that a `look` has seen.
struct seen_item {
  /// When its receiver took it, since the run began.
  std::chrono::nanoseconds at;
  /// What its type says of it: `operator<<` where there is one; for lists, pairs, tuples, optionals and smart
  /// pointers what they hold; otherwise the type's name and the item's size. At most 4 kB. Control characters
  /// and bytes that are not UTF-8 are escaped, as in `\x1b`. `shows_text` takes a type out.
  std::string text;
};

/// The options of a `look`.
struct look_options {
  std::size_t items = 10;  ///< how many it sees before it ends; from 1 to 1000
};

/// The next items that come along an edge of a running job, in the order in which they were taken.
/// `execution::look_into` makes it. At most 20 items a second are seen on an edge, by all looks together, and
/// printing takes at most about a hundredth of the receiver's time: others pass unseen. Movable; its
/// functions may be called from any thread, but not from the code that prints an item. It may outlive the
/// execution. If it is destroyed nothing more is printed for it.
///
/// ```cpp
/// auto numbers = tw::source([n = 0]() mutable -> std::optional<int> { return n++; }, {.name = "numbers"});
/// auto e = tw::launch(numbers | tw::sink([](int) {}, {.name = "forget"}));
/// tw::look look = e.look_into("forget", {.items = 3});
/// for (const tw::seen_item& item : look.wait_for(10s)) std::cout << item.text << "\n";
/// e.stop();
/// ```
class look {
 public:
  look(std::shared_ptr<run_detail::sight> what, std::weak_ptr<run_detail::looks> by, std::string from,
       std::string to);
  look(look&&) noexcept;
  look& operator=(look&&) noexcept;
  ~look();

  /// The stages at the ends of the edge.
  [[nodiscard]] const std::string& from() const noexcept { return from_; }
  [[nodiscard]] const std::string& to() const noexcept { return to_; }
  /// The items that have been seen since this or `wait_for` was called last. Does not wait.
  std::vector<seen_item> taken();
  /// The same, but waits until all items of the look have been seen, the run is over, or this time has
  /// passed.
  std::vector<seen_item> wait_for(std::chrono::nanoseconds most);
  /// Nothing more will be seen: it has all its items, or the run is over.
  [[nodiscard]] bool done() const;

 private:
  void close() noexcept;

  std::shared_ptr<run_detail::sight> what_;
  std::weak_ptr<run_detail::looks> by_;
  std::string from_, to_;
};

}  // namespace THALWEG_NAMESPACE
