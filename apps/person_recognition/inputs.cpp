#include "apps/person_recognition/inputs.hpp"

#include <algorithm>
#include <string>

#include "apps/person_recognition/crowd.hpp"
#include "apps/person_recognition/gallery.hpp"
#include "apps/support/error.hpp"
#include "apps/support/film/film.hpp"

namespace apps::person_recognition {
namespace {

std::string two_digits(std::uint32_t number) {
  return std::to_string(100 + number).substr(1);
}

/// One face in the middle of a picture, looking about as people do in the film.
appearance sitter(std::uint32_t person, random& dice) {
  const auto from = [&](int low, int high) { return static_cast<int>(dice.between(low, high)); };
  appearance made{.person = person,
                  .x = gallery_size.width / 2,
                  .y = gallery_size.height * 48 / 100,
                  .height = gallery_size.height * from(56, 76) / 100,
                  .looks = {}};
  made.looks.turn = from(-45, 45);
  made.looks.tilt = from(-60, 60);
  made.looks.mouth = from(0, 26);
  made.looks.brows = from(0, 14);
  made.looks.side_light = from(-50, 50);
  made.looks.light = from(190, 268);
  return made;
}

void make_gallery(std::uint64_t seed, const std::filesystem::path& folder) {
  constexpr std::uint32_t of_wanted = 16, of_others = 4;
  random dice(seed + 3);
  stage studio(seed, gallery_size);
  jpeg_encoder encode(film_quality);
  for (std::uint32_t one = 0; one < known_persons; ++one) {
    const auto name = one == 0 ? std::string(usual_person) : "person" + two_digits(one);
    for (std::uint32_t i = 0; i < (one == 0 ? of_wanted : of_others); ++i) {
      output_file out(folder / (name + "-" + two_digits(i) + ".jpg"));
      out.write(encode(studio.draw(50 * i + 7 * one, {sitter(one, dice)}).data(), gallery_size));
      out.close();
    }
  }
}

}  // namespace

const input& input_named(std::string_view name) {
  const auto* const found = std::ranges::find(inputs, name, &input::name);
  if (found == inputs.end()) throw error("person_recognition has no input '" + std::string(name) + "'");
  return *found;
}

void generate(std::string_view name, const std::filesystem::path& folder, const progress& told) {
  const auto& input = input_named(name);
  make_gallery(input.seed, folder);
  film_writer film(folder / film_file, {.size = film_size});
  output_file truth(folder / truth_file);
  stage set(input.seed, film_size);
  for (std::uint32_t number = 0;
       const auto& people : crowd(input.seed, input.frames, input.phase, film_size)) {
    film.add(set.draw(number, people).data());
    for (const auto& one : people) {
      std::string line;
      for (const auto value :
           {static_cast<int>(number), static_cast<int>(one.person), one.x, one.y, one.height})
        line += std::to_string(value) + ",";
      truth.write(line + (one.hidden ? "hidden\n" : "seen\n"));
    }
    ++number;
    if (told && (number % 8 == 0 || number == input.frames)) told(number, input.frames);
  }
  film.close();
  truth.close();
}

}  // namespace apps::person_recognition
