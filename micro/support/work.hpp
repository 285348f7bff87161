// Work of a known length, calibrated by time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace micro {

/// The work: a chain of `steps` dependent shifts and exclusive ors that starts from `x`. It lives in its own
/// translation unit and each step passes through an empty assembler statement, so no compiler can vectorise,
/// fold or inline it, and every contender runs the same machine code. Values other than zero never give zero.
std::uint64_t burn(std::uint64_t x, std::uint32_t steps) noexcept;

/// The same work for each item.
struct even_work {
  std::uint32_t steps = 0;

  std::uint64_t operator()(std::uint64_t x) const noexcept { return burn(x, steps); }
};

/// Work that differs from item to item by up to a factor of 1000, as if at random, but the same in every run:
/// an item's number chooses its length from a table spread evenly over the logarithm.
class uneven_work {
 public:
  /// Lengths from `shortest` to 1000 * `shortest` steps.
  explicit uneven_work(std::uint32_t shortest) : lengths_(table_size) {
    for (std::size_t i = 0; i < table_size; ++i) {
      const double exponent = 3.0 * static_cast<double>(i) / (table_size - 1);
      lengths_[i] = static_cast<std::uint32_t>(std::lround(shortest * std::pow(10.0, exponent)));
    }
  }

  std::uint64_t operator()(std::uint64_t number) const noexcept { return burn(number, steps(number)); }

  std::uint32_t steps(std::uint64_t number) const noexcept {
    std::uint64_t z = number + 0x9e3779b97f4a7c15;  // splitmix64: neighbours get unrelated lengths
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return lengths_[(z ^ (z >> 31)) % table_size];
  }

  double mean_steps() const {
    double sum = 0;
    for (const auto length : lengths_) sum += length;
    return sum / table_size;
  }

 private:
  static constexpr std::size_t table_size = 1024;
  std::vector<std::uint32_t> lengths_;
};

/// How many steps make an item last a given time, measured on this machine when the program starts. Not a
/// straight line: a processor overlaps short items with their neighbours.
class calibration {
 public:
  /// Measures; takes about a tenth of a second.
  static calibration measure();

  /// The steps with which the plain loop (source, work, sink) takes `nanoseconds` per item; at least 1.
  std::uint32_t steps(double nanoseconds) const;

  /// What the plain loop takes per item of `steps`.
  double nanoseconds(double steps) const;

 private:
  struct point {
    double steps;
    double nanoseconds;
  };
  std::vector<point> points_;  // in rising order
};

}  // namespace micro
