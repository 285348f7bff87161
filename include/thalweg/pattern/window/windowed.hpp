/// `windowed`: what windows give.
#pragma once

#include <thalweg/model/stage_traits.hpp>
#include <thalweg/pipe/size_of.hpp>

#include <cstddef>
#include <cstdint>

namespace THALWEG_NAMESPACE {

/// The result of a window [begin, end). Windows by time say when it began and ended, in ns (event time: from
/// the epoch of its time points; processing time: on the steady clock). Windows by count say which items it
/// holds, counted from 0; on a keyed stream among those of the key.
template <class R> struct windowed {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  R value;
  /// 0 for the first result of a window; late items make further ones, which are 1, 2 and so on.
  std::uint32_t revision = 0;

  friend bool operator==(const windowed&, const windowed&) = default;

  [[nodiscard]] std::size_t size_of() const
    requires(!pipe::has_fixed_size<R>)
  {
    return sizeof(*this) + (thalweg::size_of(value) - sizeof(value));
  }
};

namespace model {
template <class R> inline constexpr bool copyable<windowed<R>> = copyable<R>;
}

}  // namespace THALWEG_NAMESPACE
