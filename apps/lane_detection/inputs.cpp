#include "apps/lane_detection/inputs.hpp"

#include <algorithm>
#include <string>

#include "apps/lane_detection/scene.hpp"
#include "apps/support/error.hpp"
#include "apps/support/film/film.hpp"

namespace apps::lane_detection {
namespace {

/// Nearer to a crossing the marks are not all to be seen.
constexpr int sight = 30'000;

std::string line_of(std::uint32_t number, const moment& now, const marks_seen& seen) {
  const auto ahead = now.crossing - now.distance;
  const bool at_crossing = ahead < sight && ahead > -crossing_length;
  auto line = std::to_string(number) + (at_crossing ? ",crossing" : now.changing ? ",changing" : ",clear");
  for (const auto& mark : {seen.left, seen.right})
    for (const int at : mark) line += "," + std::to_string((at + 8) >> 4);
  return line + "\n";
}

}  // namespace

const input& input_named(std::string_view name) {
  const auto* const found = std::ranges::find(inputs, name, &input::name);
  if (found == inputs.end()) throw error("lane_detection has no input '" + std::string(name) + "'");
  return *found;
}

void generate(std::string_view name, const std::filesystem::path& folder, const progress& told) {
  const auto& input = input_named(name);
  film_writer film(folder / film_file, {.size = input.size});
  output_file truth(folder / truth_file);
  scene camera(input.seed, input.size);
  for (std::uint32_t number = 0; const auto& now : drive(input.seed, input.frames)) {
    film.add(camera.draw(now).data());
    truth.write(line_of(number, now, camera.truth(now)));
    ++number;
    if (told && (number % 16 == 0 || number == input.frames)) told(number, input.frames);
  }
  film.close();
  truth.close();
}

}  // namespace apps::lane_detection
