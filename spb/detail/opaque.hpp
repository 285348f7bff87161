#pragma once

#include <memory>
#include <utility>

namespace spb {
namespace detail {

/// A value whose type only the application's own file knows: programs, which copy it with what holds it, need
/// neither its header nor the C++ that this is written in. Made when it is first used.
template <class T> class opaque {
 public:
  opaque() = default;
  opaque(const opaque& other)
      : value_(other.value_ ? other.copy_(*other.value_) : nullptr), copy_(other.copy_) {}
  opaque(opaque&& other) noexcept : value_(std::move(other.value_)), copy_(other.copy_) {}
  opaque& operator=(opaque other) noexcept {
    value_.swap(other.value_);
    std::swap(copy_, other.copy_);
    return *this;
  }
  ~opaque() = default;

  T& use() {
    if (!value_) make();
    return *value_;
  }
  /// Null if it has not been used.
  const T* look() const { return value_.get(); }

 private:
  void make() {
    value_ = std::make_shared<T>();
    copy_ = [](const T& other) { return std::make_shared<T>(other); };
  }

  std::shared_ptr<T> value_;  // which deletes what is incomplete here
  std::shared_ptr<T> (*copy_)(const T&) = nullptr;
};

}  // namespace detail
}  // namespace spb
