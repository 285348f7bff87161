#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <opencv2/core/mat.hpp>

#include "apps/support/error.hpp"
#include "apps/support/film/film.hpp"
#include "apps/support/order.hpp"

namespace apps {

/// The source of a film. `Frame` has a `number`, its place in the stream from 0, and a `picture`.
/// \throws error  naming the file, if it is missing, empty, no film, damaged or cut off
template <class Frame> class film_source {
 public:
  explicit film_source(std::filesystem::path file, input_held held = input_held::on_disk)
      : film_(std::move(file), held) {}
  /// The next frame; nothing behind the last.
  std::optional<Frame> operator()() {
    Frame next;
    const auto [width, height] = film_.format().size;
    next.picture.create(height, width, CV_8UC3);
    if (!film_.next(next.picture.data)) return std::nullopt;
    next.number = number_++;
    return next;
  }
  [[nodiscard]] const film_reader& film() const { return film_; }

 private:
  film_reader film_;
  std::uint64_t number_ = 0;
};

/// The sink: a film of the frames' pictures, which must come in order. It gets its name at `close`.
/// \throws error  naming the file, if it cannot be written, or would take the place of the input
template <class Frame> class film_sink {
 public:
  /// `from`: where the frames come from.
  film_sink(std::filesystem::path file, const film_source<Frame>& from)
      : film_(other_than(from.film().path(), std::move(file)), from.film().format()) {}
  void operator()(const Frame& done) {
    check_order(film_.path(), "frame", done.number, film_.frames());
    film_.add(done.picture.data);
  }
  void close() { film_.close(); }

 private:
  static std::filesystem::path other_than(const std::filesystem::path& input, std::filesystem::path output) {
    std::error_code none;
    if (std::filesystem::equivalent(input, output, none))
      throw error("'" + output.string() + "' is the input, and is not written");
    return output;
  }

  film_writer film_;
};

}  // namespace apps
