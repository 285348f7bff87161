// Packs of pictures, and single ones.
#include <fstream>
#include <ios>
#include <iterator>

#include "apps/ferret/pack.hpp"
#include "apps/ferret/picture.hpp"
#include "fuzz/fuzz.hpp"

namespace ferret = apps::ferret;

namespace {

std::string pack_of(int pictures) {
  ferret::pack_writer out(fuzz::output(), static_cast<std::uint32_t>(pictures));
  for (int i = 0; i < pictures; ++i) {
    ferret::picture one;
    one.width = 5;
    one.height = 4;
    one.rgb.assign(3 * one.pixels(), static_cast<std::uint8_t>(50 * i));
    out.add("picture" + std::to_string(i), one);
  }
  out.close();
  std::ifstream made(fuzz::output(), std::ios::binary);
  return {std::istreambuf_iterator<char>(made), {}};
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  return {pack_of(0), pack_of(1), pack_of(2), "P6\n# a note\n2 1\n255\nabcdef"};
}

void fuzz::read(const std::string& input) {
  const auto file = as_file(input);
  if (!ferret::pack_reader::is_pack(file)) {
    static_cast<void>(ferret::read_ppm(file));
    return;
  }
  ferret::pack_reader pack(file);
  while (const auto one = pack())
    expect(one->shows.rgb.size() == 3 * one->shows.pixels(), "pixels are missing");
}
