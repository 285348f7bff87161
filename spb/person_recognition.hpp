/// One person's face for benchmark programs: found in a film among others.
///
/// ```cpp
/// #include <person_recognition.hpp>
///
/// int main(int argc, char* argv[]) {
///   spb::init_bench(argc, argv);
///   spb::Metrics::init();
///   for (spb::Item item; spb::Source::op(item);) {
///     spb::Detect::op(item);
///     spb::Recognize::op(item);
///     spb::Sink::op(item);
///   }
///   spb::Metrics::stop();
///   spb::end_bench();
/// }
/// ```
///
/// Items must come to the sink in the order of the source: what comes out of order is an error. OpenCV's own
/// threads are off.
///
/// The gallery, pictures of known faces, lies beside the film. Those in which no face is found are left out,
/// and named on standard error.
#pragma once

#include <memory>

#include "spb/api.hpp"
#include "spb/detail/batch.hpp"
#include "spb/operator.hpp"
#include "spb/source_object.hpp"

namespace apps {
namespace person_recognition {
struct frame;  // apps/person_recognition/frame.hpp
}  // namespace person_recognition
}  // namespace apps

/// Programs for SPBench turn OpenCV's own threads off by this, and include nothing of OpenCV for it.
namespace cv {
void setNumThreads(int threads);
}

namespace spb {

/// Frames of the film. Copies of an item share them.
class Item : public detail::timed_batch<std::shared_ptr<apps::person_recognition::frame>> {};

/// Reads options, opens input and output, and learns the gallery. Ends the process if something is wrong with
/// them.
void init_bench(int argc, char** argv);

/// Gives the frames of the film. Any number of threads may call `op`.
class Source : public SourceObject<Source, Item> {
 public:
  using SourceObject::SourceObject;
  /// The next item; false at the end.
  static bool op(Item& item) { return take(detail::common_feed(), item); }
  static bool take(detail::feed& by, Item& item);
};

/// Finds faces. A thread loads the cascade for it with its first item.
class Detect : public Operator<Detect, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Finds out which of them are the wanted person's, and draws circles around these.
class Recognize : public Operator<Recognize, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Writes the film with the circles.
class Sink : public Operator<Sink, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

}  // namespace spb
