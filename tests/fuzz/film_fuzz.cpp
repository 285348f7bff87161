// Films: what libavformat and libavcodec make of them, and what is made of that.
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <ios>
#include <iterator>

#include "apps/other_film.hpp"
#include "apps/support/film/film.hpp"
#include "fuzz/fuzz.hpp"

namespace {

// More would take long, and show nothing new.
constexpr int most_frames = 50;
constexpr std::size_t most_bytes = std::size_t{3} << 20U;

constexpr apps::film_format small{.size = {16, 16}, .rate = 24, .scale = 1};

std::vector<std::uint8_t> drawn(int number) {
  return std::vector<std::uint8_t>(small.bytes_per_frame(), static_cast<std::uint8_t>(80 * number));
}

std::string written() {
  std::ifstream made(fuzz::output(), std::ios::binary);
  return {std::istreambuf_iterator<char>(made), {}};
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  apps::film_writer out(output(), small);
  for (int i = 0; i < 3; ++i) out.add(drawn(i).data());
  out.close();
  const auto own = written();
  std::vector<std::string> films{own, own.substr(0, own.find("idx1"))};
  for (const auto* codec : {"mpeg4", "libx264"})
    for (const auto* container : {"mp4", "matroska", "mpegts", "avi"}) {
      const film_recipe how{.codec = codec, .container = container, .format = small, .frames = 3};
      if (!can_be_made(how)) continue;
      make_film(output(), how, drawn);
      films.push_back(written());
    }
  return films;
}

void fuzz::read(const std::string& input) {
  apps::film_reader film(as_file(input));
  if (film.format().bytes_per_frame() > most_bytes) return;
  std::vector<std::uint8_t> bgr(film.format().bytes_per_frame());
  for (int i = 0; i < most_frames && film.next(bgr.data());) ++i;
}
