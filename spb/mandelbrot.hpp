/// The Mandelbrot set for benchmark programs: a picture is drawn line by line.
///
/// ```cpp
/// #include <mandelbrot.hpp>
///
/// int main(int argc, char* argv[]) {
///   spb::init_bench(argc, argv);
///   spb::Metrics::init();
///   for (spb::Item item; spb::Source::op(item);) {
///     spb::Mandelbrot::op(item);
///     spb::Sink::op(item);
///   }
///   spb::Metrics::stop();
///   spb::end_bench();
/// }
/// ```
///
/// Lines may come to the sink in any order: it puts them into their places.
#pragma once

#include "apps/mandelbrot/line.hpp"
#include "spb/api.hpp"
#include "spb/detail/batch.hpp"
#include "spb/operator.hpp"
#include "spb/source_object.hpp"

namespace spb {

/// Lines of the picture.
class Item : public detail::batch<apps::mandelbrot::line> {};

/// Reads options and opens input and output. Ends the process if something is wrong with them.
void init_bench(int argc, char** argv);

/// Gives the lines from the top down. Any number of threads may call `op`.
class Source : public SourceObject<Source, Item> {
 public:
  using SourceObject::SourceObject;
  /// The next item; false at the end.
  static bool op(Item& item) { return take(detail::common_feed(), item); }
  static bool take(detail::feed& by, Item& item);
};

/// Draws lines.
class Mandelbrot : public Operator<Mandelbrot, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Collects the lines. Any number of threads may call it.
class Sink : public Operator<Sink, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

}  // namespace spb
