#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace spb::detail {

/// A sequence that may become long: but for the last few, its elements lie in a temporary file that has no
/// name. Where there can be no file, or the disk is full, they stay in memory. Thread-confined.
///
/// ```cpp
/// spb::detail::spool<int> numbers;
/// for (int i = 0; i < 1'000'000; ++i) numbers.push_back(i);
/// long sum = 0;
/// numbers.for_each([&](int i) { sum += i; });
/// ```
template <class T> class spool {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Elements in memory, as long as the file takes what is older.
  static constexpr std::size_t held = 1024;

  void push_back(const T& one) {
    recent_.push_back(one);
    ++size_;
    if (recent_.size() % held == 0 && !stuck_) move_out();
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t in_memory() const { return recent_.size(); }

  /// From the first to the last.
  template <class F> void for_each(F&& f) const {
    if (file_) {
      std::rewind(file_.get());
      std::vector<T> some(held);
      for (auto left = size_ - recent_.size(); left > 0;) {
        const auto got = std::fread(some.data(), sizeof(T), std::min(left, some.size()), file_.get());
        if (got == 0) break;  // a disk that cannot be read: the rest is still told
        for (std::size_t i = 0; i < got; ++i) f(std::as_const(some[i]));
        left -= got;
      }
      std::fseek(file_.get(), 0, SEEK_END);
    }
    for (const auto& one : recent_) f(one);
  }

 private:
  struct closer {
    void operator()(std::FILE* f) const noexcept { std::fclose(f); }
  };

  void move_out() {
    if (!file_) file_.reset(std::tmpfile());
    // Unbuffered, so that what does not fit is known at once.
    if (file_ && written_ == 0) std::setvbuf(file_.get(), nullptr, _IONBF, 0);
    const auto out = file_ ? std::fwrite(recent_.data(), sizeof(T), recent_.size(), file_.get()) : 0;
    written_ += out;
    recent_.erase(recent_.begin(), recent_.begin() + static_cast<std::ptrdiff_t>(out));
    stuck_ = !recent_.empty();
  }

  std::unique_ptr<std::FILE, closer> file_;
  std::vector<T> recent_;
  std::size_t size_ = 0;
  std::size_t written_ = 0;
  bool stuck_ = false;  // the file takes no more
};

}  // namespace spb::detail
