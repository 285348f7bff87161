/// How matrices of OpenCV travel from one process to another. Not part of <thalweg/thalweg.hpp>; needs
/// OpenCV's core.
#pragma once

#include <thalweg/model/codec.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <opencv2/core/mat.hpp>

namespace THALWEG_NAMESPACE {

/// A matrix travels as its type, its sizes, and its elements, which are sent from where they lie: at once if
/// they follow each other in memory, otherwise, as in a part of a larger picture, row by row. What comes is a
/// matrix with memory of its own, in which all elements follow each other. It shares nothing: two matrices of
/// one item that have the same memory become two. Any number of dimensions, of any type.
///
/// ```c++
/// #include <thalweg/model/opencv.hpp>
///
/// struct frame { long number = 0; cv::Mat picture; };
/// template <> struct tw::codec<frame> : tw::codec_of_members<&frame::number, &frame::picture> {};
/// ```
template <> struct codec<cv::Mat> {
  static std::string tag() { return "cv::Mat"; }

  static void write(byte_writer& to, const cv::Mat& x) {
    const bool at_once = x.isContinuous();
    to(static_cast<std::int32_t>(x.type()), static_cast<std::uint8_t>(x.dims), at_once);
    for (int i = 0; i < x.dims; ++i) to(static_cast<std::int32_t>(x.size[i]));
    if (x.empty()) return;
    if (at_once) {
      to.block(x.data, x.total() * x.elemSize());
    } else {
      each_row(x, x.data, 0, [&](const uchar* row, std::size_t n) { to.block(row, n); });
    }
  }

  /// \throws codec_error  if what has come is no matrix
  static void read(byte_reader& from, cv::Mat& x) {
    std::int32_t type = 0;
    std::uint8_t dims = 0, at_once = 0;
    from(type, dims, at_once);
    if ((type & ~CV_MAT_TYPE_MASK) != 0) throw codec_error("a cv::Mat has no type " + std::to_string(type));
    if (dims == 1 || dims > most_dims)
      throw codec_error("a cv::Mat cannot have " + std::to_string(dims) + " dimensions");
    std::array<int, most_dims> sizes{};
    std::size_t bytes = CV_ELEM_SIZE(type);
    for (std::size_t i = 0; i < dims; ++i) {
      std::int32_t n = 0;
      from(n);
      if (n < 0) throw codec_error("a cv::Mat cannot have a side of " + std::to_string(n));
      sizes[i] = n;
      // Nothing is allocated that does not come.
      if (n > 0 && bytes > from.left() / static_cast<std::size_t>(n))
        throw codec_error("a cv::Mat is cut off: it is larger than the bytes that have come");
      bytes *= static_cast<std::size_t>(n);
    }
    x.release();  // others may share the memory that it had
    if (dims == 0) return;
    x.create(dims, sizes.data(), type);
    if (x.empty()) return;
    if (at_once != 0) {
      from.block(x.data, bytes);
    } else {
      each_row(x, x.data, 0, [&](uchar* row, std::size_t n) { from.block(row, n); });
    }
  }

 private:
  static constexpr std::size_t most_dims =
      32;  // which OpenCV calls CV_MAX_DIM, in headers of its C interface

  template <class Byte, class F> static void each_row(const cv::Mat& x, Byte* at, int dim, const F& f) {
    const auto n = static_cast<std::size_t>(x.size[dim]);
    if (dim + 1 == x.dims) return f(at, n * x.elemSize());
    for (std::size_t i = 0; i < n; ++i) each_row(x, at + i * x.step[dim], dim + 1, f);
  }
};

}  // namespace THALWEG_NAMESPACE
