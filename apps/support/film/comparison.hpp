#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <opencv2/core.hpp>

#include "apps/support/film/film.hpp"

namespace apps {

/// Goes through a film and what an application has made of it, frame by frame, and sees to it that each shows
/// the same but for what was drawn on it: frames that are missing, or have changed places, are found, and
/// what is wrong beside them.
///
/// ```cpp
/// apps::film_comparison films("road.avi", "lanes.avi");
/// while (films.next()) judge(films.shown(), films.made());
/// if (!films.wrong().empty()) return {false, films.wrong()};
/// ```
class film_comparison {
 public:
  /// \throws error  naming the file, if one is no film
  film_comparison(const std::filesystem::path& input, const std::filesystem::path& output)
      : input_(input), output_(output) {
    const auto [width, height] = output_.format().size;
    if (input_.format().size != output_.format().size)
      wrong_ = "its pictures are " + std::to_string(width) + "x" + std::to_string(height);
    else if (input_.frames() != output_.frames())
      wrong_ = "it has " + std::to_string(output_.frames()) + " frames instead of " +
               std::to_string(input_.frames());
    shown_.create(height, width, CV_8UC3);
    made_.create(height, width, CV_8UC3);
  }
  /// Goes to the next frame; false behind the last, or if something is wrong.
  bool next() {
    if (!wrong_.empty()) return false;
    if (!input_.next(shown_.data)) {
      wrong_ = wrong_layout(output_.path());
      return false;
    }
    ++number_;
    packed_ = output_.next_packed();
    if (!decode_(packed_, made_.data, output_.format().size))
      wrong_ = frame() + " is damaged";
    else if (difference() > most_different)
      wrong_ = frame() + " shows something else";
    return wrong_.empty();
  }
  /// What is wrong with the output; empty if it is nothing.
  [[nodiscard]] const std::string& wrong() const { return wrong_; }

  /// Of the frame: its number, the input's picture, the output's picture, and this as JPEG.
  [[nodiscard]] std::uint32_t number() const { return number_ - 1; }
  [[nodiscard]] const cv::Mat& shown() const { return shown_; }
  [[nodiscard]] const cv::Mat& made() const { return made_; }
  [[nodiscard]] std::string_view packed() const { return packed_; }
  [[nodiscard]] std::string frame() const { return "frame " + std::to_string(number()); }
  [[nodiscard]] std::uint32_t frames() const { return input_.frames(); }

 private:
  // Of a pixel in the mean. What is drawn differs by much, but in few pixels: it may not count for more than
  // noise. A picture that was packed twice differs by less than half as much, its neighbour in the film by
  // more than twice.
  static constexpr double most_different = 1.2, most_of_pixel = 8;

  [[nodiscard]] double difference() {
    cv::absdiff(shown_, made_, different_);
    cv::min(different_, most_of_pixel, different_);
    const auto sums = cv::mean(different_);
    return (sums[0] + sums[1] + sums[2]) / 3;
  }

  film_reader input_, output_;
  jpeg_decoder decode_;
  cv::Mat shown_, made_, different_;
  std::string_view packed_;
  std::uint32_t number_ = 0;
  std::string wrong_;
};

}  // namespace apps
