#pragma once

#include <thalweg/model/codec.hpp>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

#include <opencv2/core/mat.hpp>

#include "apps/support/error.hpp"
#include "apps/support/film/stages.hpp"
#include "spb/detail/elements.hpp"
#include "spb/detail/frame_stream.hpp"
#include "spb/detail/options.hpp"

/// A film's picture travels as it is: blue, green and red of each pixel, line by line.
template <> struct thalweg::codec<cv::Mat> {
  static std::string tag() { return "picture"; }
  static void write(byte_writer& to, const cv::Mat& picture) {
    to(picture.cols, picture.rows);
    for (int line = 0; line < picture.rows; ++line) to.bytes(picture.ptr(line), bytes_of_line(picture.cols));
  }
  static void read(byte_reader& from, cv::Mat& picture) {
    int width = 0, height = 0;
    from(width, height);
    const auto fits = [](int side) { return side > 0 && side <= apps::most_film_side; };
    if (!fits(width) || !fits(height))
      throw apps::error("a picture that has come has no size that a film may have");
    const auto pixels = from.bytes(bytes_of_line(width) * static_cast<std::size_t>(height));
    picture.create(height, width, CV_8UC3);
    std::memcpy(picture.data, pixels.data(), pixels.size());
  }

 private:
  static std::size_t bytes_of_line(int width) { return 3 * static_cast<std::size_t>(width); }
};

namespace spb::detail {

/// The source of a film.
template <class Frame>
apps::film_source<Frame> film_source_of(const options& asked, const std::filesystem::path& film) {
  using apps::input_held;
  return apps::film_source<Frame>(film, asked.in_memory ? input_held::in_memory : input_held::on_disk);
}

/// The stream of an application that reads a film and writes one.
template <class Item, class Frame>
class film_stream : public frame_stream<Item, elements<apps::film_source<Frame>>, apps::film_sink<Frame>> {
 public:
  void open(const options& asked, const places& where, const std::filesystem::path& film) {
    auto from = film_source_of<Frame>(asked, film);
    apps::film_sink<Frame> to(where.output, from);
    frame_stream<Item, elements<apps::film_source<Frame>>, apps::film_sink<Frame>>::open(
        elements_of(where, [&] { return std::move(from); }), std::move(to));
  }
};

}  // namespace spb::detail
