/// A log-linear histogram of durations: any number of values in fixed memory, quantiles within 1.6 %.
//
// The idea is that of HdrHistogram (Gil Tene, https://hdrhistogram.org): split each power of two into equally
// many linear buckets, so that the width of a bucket is a fixed fraction of the values it holds. With 32
// buckets per power of two a bucket is at most 1/32 of its values wide, and its middle at most 1/64 (1.6 %)
// away from any of them. Values below 64 have a bucket each and are exact.
#pragma once

#include <thalweg/version.hpp>

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace THALWEG_NAMESPACE::observe {

/// Counts durations in nanoseconds, from 0 to the largest `std::int64_t` (292 years), in about 15 kB.
///
/// Threads: one writer at a time; any number of threads may copy or read it meanwhile. A reader sees each
/// count either before or after an update, and the counts of different values may be a few records apart.
/// Nothing locks, and on x86 and ARM the atomics cost nothing: they are plain loads and stores.
///
/// Exact: count, minimum, maximum, sum and mean. Within 1.6 %: quantiles.
///
/// ```cpp
/// #include <cstdlib>
/// #include <thalweg/observe/histogram.hpp>
/// tw::observe::histogram h;
/// h.record(1'200);
/// h.record(90, 3);  // three items of 90 ns
/// assert(h.count() == 4 && h.max() == 1'200);
/// assert(std::abs(h.quantile(0.5) - 90) <= 90 * h.relative_error);
/// ```
class histogram {
 public:
  static constexpr int sub_bucket_bits = 5;
  static constexpr std::size_t sub_buckets = std::size_t{1} << sub_bucket_bits;
  static constexpr std::size_t buckets = (63 - sub_bucket_bits + 1) * sub_buckets;

  /// The largest distance of a quantile from the true value, as a part of the true value.
  static constexpr double relative_error = 1.0 / (2 * sub_buckets);

  histogram() noexcept = default;
  histogram(const histogram& other) noexcept;
  histogram& operator=(const histogram& other) noexcept;

  /// Counts `count` items of `value` nanoseconds. A negative value (a clock read before it was due) counts as
  /// 0.
  void record(std::int64_t value, std::uint64_t count = 1) noexcept {
    if (count == 0) [[unlikely]]
      return;
    if (value < 0) [[unlikely]]
      value = 0;
    bump(counts_[bucket_of(value)], count);
    add_to_sum(static_cast<std::uint64_t>(value), count);
    if (value < min_.load(std::memory_order_relaxed)) min_.store(value, std::memory_order_relaxed);
    if (value > max_.load(std::memory_order_relaxed)) max_.store(value, std::memory_order_relaxed);
  }

  /// How many items were counted.
  std::uint64_t count() const noexcept;
  bool empty() const noexcept { return min() > max(); }

  /// The smallest and the largest value counted, exactly. Of an empty histogram the minimum is the largest
  /// `std::int64_t` and the maximum is -1.
  std::int64_t min() const noexcept { return min_.load(std::memory_order_relaxed); }
  std::int64_t max() const noexcept { return max_.load(std::memory_order_relaxed); }

  /// The sum of all values and their mean; 0 when empty.
  double sum() const noexcept;
  double mean() const noexcept;

  /// The value that a part `q` (0 to 1) of the items do not exceed: the nearest-rank definition, that is the
  /// value of rank ⌈q·n⌉ in ascending order, at least rank 1. The middle of the bucket holding that rank is
  /// returned, moved into [min, max]; the first and the last rank give min and max exactly. 0 when empty.
  std::int64_t quantile(double q) const noexcept;

  /// How many items are in buckets up to and including that of `value`: the inverse of `quantile`.
  std::uint64_t count_up_to(std::int64_t value) const noexcept;

  /// Adds all that `other` counted. Exact: as if every value had been recorded here.
  void merge(const histogram& other) noexcept;

  /// What was counted here since the copy `earlier` was taken: the histogram of a window of time. Counts and
  /// sum are exact; minimum and maximum are known only to the bounds of their bucket.
  histogram since(const histogram& earlier) const noexcept;

  void clear() noexcept;

  /// All that was counted as plain numbers, for another process: `from_words` makes the same of them. The
  /// buckets that hold nothing are left out.
  std::vector<std::uint64_t> to_words() const;
  /// \throws std::invalid_argument  if these are not the words of a histogram
  static histogram from_words(std::span<const std::uint64_t> words);

  /// The bucket that counts `value` (not negative), and the least and greatest values of a bucket.
  static constexpr std::size_t bucket_of(std::int64_t value) noexcept {
    const auto v = static_cast<std::uint64_t>(value);
    // Setting the lowest bit of the linear range makes all values below it share exponent 0: no branch is
    // needed.
    const int exponent = static_cast<int>(std::bit_width(v | sub_buckets)) - 1 - sub_bucket_bits;
    return (static_cast<std::size_t>(exponent) << sub_bucket_bits) + static_cast<std::size_t>(v >> exponent);
  }
  static constexpr std::int64_t lowest_of(std::size_t bucket) noexcept {
    if (bucket < 2 * sub_buckets) return static_cast<std::int64_t>(bucket);
    const std::size_t exponent = (bucket >> sub_bucket_bits) - 1;
    return static_cast<std::int64_t>((bucket - (exponent << sub_bucket_bits)) << exponent);
  }
  static constexpr std::int64_t highest_of(std::size_t bucket) noexcept {
    return bucket + 1 < buckets ? lowest_of(bucket + 1) - 1 : std::numeric_limits<std::int64_t>::max();
  }

  /// How many items `bucket` holds, to draw or export the whole distribution.
  std::uint64_t count_in(std::size_t bucket) const noexcept {
    return counts_[bucket].load(std::memory_order_relaxed);
  }

 private:
  using cell = std::atomic<std::uint64_t>;

  void settle_bounds() noexcept;

  // A single writer needs no atomic addition, only stores that readers cannot see half done.
  static void bump(cell& c, std::uint64_t by) noexcept {
    c.store(c.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
  }

  // 128 bits, in two words: 64 bits of nanoseconds overflow after 100 million items of three minutes each.
  void add_to_sum(std::uint64_t value, std::uint64_t count) noexcept {
    __extension__ using wide = unsigned __int128;
    const wide product = static_cast<wide>(value) * count;
    const auto low = static_cast<std::uint64_t>(product);
    const std::uint64_t before = sum_low_.load(std::memory_order_relaxed);
    const std::uint64_t carry = before > std::numeric_limits<std::uint64_t>::max() - low ? 1 : 0;
    sum_low_.store(before + low, std::memory_order_relaxed);
    const std::uint64_t high = static_cast<std::uint64_t>(product >> 64) + carry;
    if (high != 0) [[unlikely]]
      bump(sum_high_, high);
  }

  std::array<cell, buckets> counts_{};
  cell sum_low_{0};
  cell sum_high_{0};
  std::atomic<std::int64_t> min_{std::numeric_limits<std::int64_t>::max()};
  std::atomic<std::int64_t> max_{-1};
};

}  // namespace THALWEG_NAMESPACE::observe
