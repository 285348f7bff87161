/// One person's face, looked for in a film. One thread does it so:
///
/// ```cpp
/// namespace person = apps::person_recognition;
/// cv::setNumThreads(1);  // OpenCV's own threads would come on top
/// person::face_finder find(person::usual_cascade());
/// const person::gallery known("faces", find);
/// person::source source("crowd.avi");
/// person::detect detect(person::usual_cascade());
/// person::recognize recognize(known);
/// person::sink sink("found.avi", source);
/// while (auto frame = source()) sink(recognize(detect(std::move(*frame))));
/// sink.close();
/// ```
///
/// The gallery is only read, by as many threads as there are. `detect` has memory, but no state: each thread
/// has its own. The sink needs the frames in order; its film is the same, bit for bit, whatever runs the
/// operators.
#pragma once

#include <filesystem>

#include "apps/person_recognition/face_finder.hpp"
#include "apps/person_recognition/frame.hpp"
#include "apps/person_recognition/gallery.hpp"
#include "apps/support/application.hpp"
#include "apps/support/film/stages.hpp"

namespace apps::person_recognition {

using apps::input_held;

/// Reads the film: Motion JPEG in an AVI file.
using source = film_source<frame>;
/// Writes the film, in which the wanted person's faces have a circle.
using sink = film_sink<frame>;

/// Finds faces of any size.
class detect {
 public:
  /// \throws error  naming the file, if it is missing or no cascade of OpenCV
  explicit detect(const std::filesystem::path& cascade) : find_(cascade) {}
  frame operator()(frame item);

 private:
  face_finder find_;
};

/// Finds out which of them are the wanted person's, and draws a circle around these. The gallery must outlive
/// it.
class recognize {
 public:
  explicit recognize(const gallery& known) : known_(&known) {}
  frame operator()(frame item) const;

 private:
  const gallery* known_;
};

/// What tools need to know.
const application& about();

}  // namespace apps::person_recognition
