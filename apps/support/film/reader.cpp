#include <string>
#include <utility>

#include "apps/support/film/film.hpp"
#include "apps/support/film/packets.hpp"
#include "apps/support/film/pictures.hpp"

namespace apps {

film_reader::film_reader(std::filesystem::path file, input_held held)
    : packets_(std::make_unique<film_packets>(std::move(file), held)) {
  if (!packets_->is_jpeg()) pictures_ = std::make_unique<film_pictures>(*packets_);
}

film_reader::film_reader(film_reader&&) noexcept = default;
film_reader::~film_reader() = default;

const film_format& film_reader::format() const {
  return packets_->format();
}
std::uint32_t film_reader::frames() const {
  return packets_->frames();
}
const std::filesystem::path& film_reader::path() const {
  return packets_->path();
}

std::string_view film_reader::next_packed() {
  if (pictures_) packets_->fail("has pictures that are not in Motion JPEG");
  if (repeats_ > 0) {
    --repeats_;
  } else if (!ahead_.empty()) {
    packed_ = std::exchange(ahead_, {});
  } else {
    const auto* const packet = packets_->next();
    if (packet == nullptr) return {};
    repeats_ = packets_->dropped();
    // Who was dropped is shown as the one before; as the one behind, if none is.
    const bool shows_the_one_before = repeats_ > 0 && !packed_.empty();
    if (shows_the_one_before) --repeats_;
    (shows_the_one_before ? ahead_ : packed_).assign(packet->data, packet->data + packet->size);
  }
  ++given_;
  return view(packed_);
}

bool film_reader::next(std::uint8_t* bgr) {
  if (pictures_) return pictures_->next(bgr);
  const auto frame = next_packed();
  if (frame.empty()) return false;
  if (!decode_(frame, bgr, format().size)) packets_->fail_at_frame("is damaged", given_);
  return true;
}

}  // namespace apps
