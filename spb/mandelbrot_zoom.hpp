/// The film of the Mandelbrot set for benchmark programs: frames are drawn and blurred.
///
/// ```cpp
/// #include <mandelbrot_zoom.hpp>
///
/// int main(int argc, char* argv[]) {
///   spb::init_bench(argc, argv);
///   spb::Metrics::init();
///   for (spb::Item item; spb::Source::op(item);) {
///     spb::Mandelbrot::op(item);
///     spb::Blur::op(item);
///     spb::Sink::op(item);
///   }
///   spb::Metrics::stop();
///   spb::end_bench();
/// }
/// ```
///
/// Items must come to the sink in the order of the source: what comes out of order is an error.
#pragma once

#include "apps/mandelbrot_zoom/frame.hpp"
#include "spb/api.hpp"
#include "spb/detail/batch.hpp"
#include "spb/operator.hpp"
#include "spb/source_object.hpp"

namespace spb {

/// Frames of the film.
class Item : public detail::batch<apps::mandelbrot_zoom::frame> {};

/// Reads options and opens input and output. Ends the process if something is wrong with them.
void init_bench(int argc, char** argv);

/// Gives the frames, which are not yet drawn. Any number of threads may call `op`.
class Source : public SourceObject<Source, Item> {
 public:
  using SourceObject::SourceObject;
  /// The next item; false at the end.
  static bool op(Item& item) { return take(detail::common_feed(), item); }
  static bool take(detail::feed& by, Item& item);
};

/// Draws frames.
class Mandelbrot : public Operator<Mandelbrot, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Blurs frames.
class Blur : public Operator<Blur, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Writes frames one behind the other.
class Sink : public Operator<Sink, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

}  // namespace spb
