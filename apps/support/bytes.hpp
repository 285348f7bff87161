#pragma once

#include <memory>
#include <new>
#if __cplusplus >= 201703L
#include <string_view>
#endif
#include <utility>
#include <vector>

namespace apps {

/// Leaves new elements as they are, where `std::allocator` would write zeros that are overwritten at once.
template <class T> struct uninitialised : std::allocator<T> {
  template <class U> struct rebind {
    using other = uninitialised<U>;
  };
  template <class U> void construct(U* where) noexcept { ::new (static_cast<void*>(where)) U; }
  template <class U, class... Args> void construct(U* where, Args&&... args) {
    ::new (static_cast<void*>(where)) U(std::forward<Args>(args)...);
  }
};

/// Bytes to be filled by a read or a codec: `resize` writes nothing.
using bytes = std::vector<char, uninitialised<char>>;

#if __cplusplus >= 201703L  // items of bytes are known to programs of older C++, too
inline std::string_view view(const bytes& b) {
  return {b.data(), b.size()};
}
#endif

}  // namespace apps
