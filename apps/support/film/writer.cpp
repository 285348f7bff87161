#include <utility>

#include "apps/support/error.hpp"
#include "apps/support/film/film.hpp"

namespace apps {
film_writer::film_writer(std::filesystem::path file, film_format format, int quality)
    : out_(std::move(file), true), layout_(format), encode_(quality) {
  out_.write(layout_.header());
}

void film_writer::add(const std::uint8_t* bgr) {
  add_packed(encode_(bgr, format().size));
}

void film_writer::add_packed(std::string_view jpeg) {
  if (!layout_.has_room_for(jpeg.size()))
    throw error("'" + out_.path().string() + "' is not written: an AVI film may not be larger than 4 GB");
  layout_.add(jpeg.size());
  const auto size = layout_.sizes().back();
  out_.write(film_layout::before(size));
  out_.write(jpeg);
  out_.write(film_layout::behind(size));
}

void film_writer::close() {
  if (frames() == 0) throw error("'" + out_.path().string() + "' is not written: it would have no frames");
  out_.write(layout_.index());
  out_.replace(0, layout_.header());  // some of it was not known before
  out_.close();
}

}  // namespace apps
