#pragma once

#include <thalweg/model/codec.hpp>
#include <thalweg/model/opencv.hpp>

#include <filesystem>
#include <string>
#include <utility>

#include <opencv2/core/mat.hpp>

#include "apps/support/error.hpp"
#include "apps/support/film/stages.hpp"
#include "spb/detail/elements.hpp"
#include "spb/detail/frame_stream.hpp"
#include "spb/detail/options.hpp"

namespace spb::detail {

/// How frames of a film travel: by their numbers and pictures, of blue, green and red in 8 bits each.
template <class Frame>
struct codec_of_film_frame : thalweg::codec_of_members<&Frame::number, &Frame::picture> {
  /// \throws error  if what has come is no picture that a film may have
  static void read(thalweg::byte_reader& from, Frame& frame) {
    thalweg::codec_of_members<&Frame::number, &Frame::picture>::read(from, frame);
    const auto fits = [](int side) { return side > 0 && side <= apps::most_film_side; };
    const auto& picture = frame.picture;
    if (picture.type() != CV_8UC3 || !fits(picture.cols) || !fits(picture.rows))
      throw apps::error("a picture that has come has no size or colours that a film may have");
  }
};

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
