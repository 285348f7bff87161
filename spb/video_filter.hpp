/// The video filter for benchmark programs: pictures are read, blurred, searched for edges, and packed for a
/// film.
///
/// ```cpp
/// #include <video_filter.hpp>
///
/// int main(int argc, char* argv[]) {
///   spb::init_bench(argc, argv);
///   spb::Metrics::init();
///   for (spb::Item item; spb::Source::op(item);) {
///     spb::Read::op(item);
///     spb::Blur::op(item);
///     spb::Sobel::op(item);
///     spb::Pack::op(item);
///     spb::Sink::op(item);
///   }
///   spb::Metrics::stop();
///   spb::end_bench();
/// }
/// ```
///
/// Items must come to the sink in the order of the source: what comes out of order is an error.
#pragma once

#include <memory>

#include "spb/api.hpp"
#include "spb/detail/batch.hpp"
#include "spb/operator.hpp"
#include "spb/source_object.hpp"

namespace apps {
namespace video_filter {
struct frame;  // apps/video_filter/frame.hpp
}  // namespace video_filter
}  // namespace apps

namespace spb {

/// Frames of the film. Copies of an item share them.
class Item : public detail::batch<std::shared_ptr<apps::video_filter::frame>> {};

/// Reads options and opens input and output; turns OpenCV's own threads off. Ends the process if something
/// is wrong with them.
void init_bench(int argc, char** argv);

/// Gives the names of the pictures' files; with `-in-memory`, what is in them. Any number of threads may call
/// `op`.
class Source : public SourceObject<Source, Item> {
 public:
  using SourceObject::SourceObject;
  /// The next item; false at the end.
  static bool op(Item& item) { return take(detail::common_feed(), item); }
  static bool take(detail::feed& by, Item& item);
};

/// Reads pictures.
class Read : public Operator<Read, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Blurs them.
class Blur : public Operator<Blur, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Finds their edges.
class Sobel : public Operator<Sobel, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Packs these as JPEG.
class Pack : public Operator<Pack, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Writes them to the film.
class Sink : public Operator<Sink, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

}  // namespace spb
