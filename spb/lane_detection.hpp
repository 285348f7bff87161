/// The marks of a car's lane for benchmark programs: found in a film and drawn on it.
///
/// ```cpp
/// #include <lane_detection.hpp>
///
/// int main(int argc, char* argv[]) {
///   spb::init_bench(argc, argv);
///   spb::Metrics::init();
///   for (spb::Item item; spb::Source::op(item);) {
///     spb::Segment::op(item);
///     spb::Canny1::op(item);
///     spb::HoughT::op(item);
///     spb::HoughP::op(item);
///     spb::Bitwise::op(item);
///     spb::Canny2::op(item);
///     spb::Overlap::op(item);
///     spb::Sink::op(item);
///   }
///   spb::Metrics::stop();
///   spb::end_bench();
/// }
/// ```
///
/// Items must come to the sink in the order of the source: what comes out of order is an error. OpenCV's own
/// threads are off.
#pragma once

#include <memory>

#include "spb/api.hpp"
#include "spb/detail/batch.hpp"
#include "spb/operator.hpp"
#include "spb/source_object.hpp"

namespace apps {
namespace lane_detection {
struct frame;  // apps/lane_detection/frame.hpp
}  // namespace lane_detection
}  // namespace apps

/// Programs for SPBench turn OpenCV's own threads off by this, and include nothing of OpenCV for it.
namespace cv {
void setNumThreads(int threads);
}

namespace spb {

/// Frames of the film. Copies of an item share them.
class Item : public detail::timed_batch<std::shared_ptr<apps::lane_detection::frame>> {};

/// Reads options and opens input and output. Ends the process if something is wrong with them.
void init_bench(int argc, char** argv);

/// Gives the frames of the film. Any number of threads may call `op`.
class Source : public SourceObject<Source, Item> {
 public:
  using SourceObject::SourceObject;
  /// The next item; false at the end.
  static bool op(Item& item) { return take(detail::common_feed(), item); }
  static bool take(detail::feed& by, Item& item);
};

/// Cuts out the part with the road, in grey.
class Segment : public Operator<Segment, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Finds edges.
class Canny1 : public Operator<Canny1, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Finds straight lines.
class HoughT : public Operator<HoughT, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Finds segments of lines.
class HoughP : public Operator<HoughP, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Keeps what both have found.
class Bitwise : public Operator<Bitwise, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Finds the outlines of that.
class Canny2 : public Operator<Canny2, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Finds the marks in them, and draws these on the picture.
class Overlap : public Operator<Overlap, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Writes the film with the marks.
class Sink : public Operator<Sink, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

}  // namespace spb
