#pragma once

#include <thalweg/model/options.hpp>

#include <utility>

namespace thalweg::model {

/// The options of a stage, as its blueprint keeps them. A blueprint is moved at each `|` around it: behind a
/// pointer that is one word, and not the code for strings and functions each time.
class kept_options {
 public:
  kept_options(options&& o);
  kept_options(const kept_options& other);
  kept_options(kept_options&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
  kept_options& operator=(kept_options other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  ~kept_options() {
    if (held_ != nullptr) drop(held_);
  }

  /// Those of a blueprint that was given up: none.
  const options& operator*() const noexcept { return held_ != nullptr ? *held_ : none(); }
  const options* operator->() const noexcept { return &**this; }

 private:
  static void drop(const options* held) noexcept;
  static const options& none() noexcept;

  const options* held_;
};

}  // namespace thalweg::model
