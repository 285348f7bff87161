#pragma once

#include <thalweg/model/options.hpp>

#include <memory>
#include <utility>

namespace THALWEG_NAMESPACE::model {

/// The options of a stage, as its blueprint keeps them. A blueprint is moved at each `|` around it: behind a
/// pointer that is one word, and not the code for strings and functions each time.
class kept_options {
 public:
  kept_options(options&& o);
  kept_options(const kept_options& other);
  kept_options(kept_options&& other) noexcept = default;
  kept_options& operator=(kept_options other) noexcept {
    held_ = std::move(other.held_);
    return *this;
  }
  ~kept_options() = default;

  /// Those of a blueprint that was given up: none.
  const options& operator*() const noexcept { return held_ != nullptr ? *held_ : none(); }
  const options* operator->() const noexcept { return &**this; }

 private:
  struct drop {
    void operator()(const options* held) const noexcept;
  };
  static const options& none() noexcept;

  std::unique_ptr<const options, drop> held_;
};

}  // namespace THALWEG_NAMESPACE::model
