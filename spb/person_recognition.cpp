#include "spb/person_recognition.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "apps/person_recognition/inputs.hpp"
#include "apps/person_recognition/operator_names.hpp"
#include "apps/person_recognition/person_recognition.hpp"
#include "spb/detail/film_stream.hpp"

template <>
struct thalweg::codec<apps::person_recognition::frame>
    : spb::detail::codec_of_film_frame<apps::person_recognition::frame> {};

namespace spb {
namespace {

namespace person = apps::person_recognition;
namespace fs = std::filesystem;

using enum person::operation;

detail::film_stream<Item, person::frame> current;
detail::per_stream<person::gallery> galleries;

apps::film_source<person::frame> source_of(const detail::options& asked, const detail::places& where) {
  return detail::film_source_of<person::frame>(asked, detail::file_of(where, person::film_file));
}

std::vector<std::string> open(const detail::options& asked, const detail::places& where) {
  const auto film = detail::file_of(where, person::film_file);
  const auto folder = film.has_parent_path() ? film.parent_path() : fs::path(".");
  detail::forbid_overwriting(person::pictures_in(folder), where);
  current.open(asked, where, film);
  person::face_finder find(person::usual_cascade());
  const auto& known = galleries.add(folder, find);
  for (const auto& picture : known.left_out())
    detail::remark("no face is found in '" + picture.string() + "': the gallery goes without it");
  return person::about().operators;
}

}  // namespace

void init_bench(int argc, char** argv) {
  detail::begin(argc, argv,
                {.about = &person::about(),
                 .open = open,
                 .play = detail::play_source<source_of>,
                 .complete = [] { current.complete(); },
                 .discard =
                     [] {
                       current.discard();
                       galleries.clear();
                     }});
}

bool Source::take(detail::feed& by, Item& item) {
  return current.take(by, item);
}
void Detect::op(Item& item) {
  detail::work_behind_pointers(detect_op, item, [](person::frame frame) {
    thread_local person::detect detect(person::usual_cascade());  // has memory that it works in
    return detect(std::move(frame));
  });
}
void Recognize::op(Item& item) {
  detail::work_behind_pointers(recognize_op, item, [&](person::frame frame) {
    return person::recognize(galleries.of(item))(std::move(frame));
  });
}
void Sink::op(Item& item) {
  current.write(sink_op, item);
}

}  // namespace spb
