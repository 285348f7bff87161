/// `failure`: what has failed, for the handler that decides what follows.
#pragma once

#include <thalweg/model/errors.hpp>

#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace THALWEG_NAMESPACE {

/// A call of an operator that has failed, as the handler of `tw::decide` gets it.
class failure {
 public:
  failure(std::string_view stage, const void* item, const std::type_info* type, std::exception_ptr cause,
          int tries) noexcept
      : stage_(stage), item_(item), type_(type), cause_(std::move(cause)), tries_(tries) {}

  /// The name of the stage.
  [[nodiscard]] std::string_view stage() const noexcept { return stage_; }
  /// What it has thrown, and the text of that.
  [[nodiscard]] const std::exception_ptr& cause() const noexcept { return cause_; }
  [[nodiscard]] std::string message() const { return model::message_of(cause_); }
  /// How often the stage was called with this item: 1 at first.
  [[nodiscard]] int tries() const noexcept { return tries_; }
  /// The item. Null if it is of another type, and where there is none: at a source, and at a `tw::stage` that
  /// reads its ports itself.
  template <class T> [[nodiscard]] const T* item() const noexcept {
    return type_ != nullptr && *type_ == typeid(T) ? static_cast<const T*>(item_) : nullptr;
  }

 private:
  std::string_view stage_;
  const void* item_;
  const std::type_info* type_;
  std::exception_ptr cause_;
  int tries_;
};

}  // namespace THALWEG_NAMESPACE
