// Films: what libavformat and libavcodec make of them, and what is made of that.
#include <fstream>
#include <ios>
#include <iterator>

#include "apps/support/film/film.hpp"
#include "fuzz/fuzz.hpp"

namespace {

// More would take long, and show nothing new.
constexpr int most_frames = 50;
constexpr std::size_t most_bytes = std::size_t{3} << 20U;

}  // namespace

std::vector<std::string> fuzz::seeds() {
  constexpr apps::film_format small{.size = {16, 16}, .rate = 24, .scale = 1};
  apps::film_writer out(output(), small);
  std::vector<std::uint8_t> bgr(small.bytes_per_frame());
  for (int i = 0; i < 3; ++i) {
    bgr.assign(bgr.size(), static_cast<std::uint8_t>(80 * i));
    out.add(bgr.data());
  }
  out.close();
  std::ifstream made(output(), std::ios::binary);
  const std::string film{std::istreambuf_iterator<char>(made), {}};
  return {film, film.substr(0, film.find("idx1"))};
}

void fuzz::read(const std::string& input) {
  apps::film_reader film(as_file(input));
  if (film.format().bytes_per_frame() > most_bytes) return;
  std::vector<std::uint8_t> bgr(film.format().bytes_per_frame());
  for (int i = 0; i < most_frames && film.next(bgr.data());) ++i;
}
