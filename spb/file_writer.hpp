/// The file writer for benchmark programs: many files are written into a folder.
///
/// ```cpp
/// #include <file_writer.hpp>
///
/// int main(int argc, char* argv[]) {
///   spb::init_bench(argc, argv);
///   spb::Metrics::init();
///   for (spb::Item item; spb::Source::op(item);) {
///     spb::Write::op(item);
///     spb::Sink::op(item);
///   }
///   spb::Metrics::stop();
///   spb::end_bench();
/// }
/// ```
///
/// The output is a folder. Files may come to the sink in any order: it lists them in that of the source.
#pragma once

#include "apps/file_writer/file.hpp"
#include "spb/api.hpp"
#include "spb/detail/batch.hpp"
#include "spb/operator.hpp"
#include "spb/source_object.hpp"

namespace spb {

/// Files to be written.
class Item : public detail::batch<apps::file_writer::file> {};

/// Reads options and opens input and output. Ends the process if something is wrong with them.
void init_bench(int argc, char** argv);

/// Gives names, sizes and seeds of files. Any number of threads may call `op`.
class Source : public SourceObject<Source, Item> {
 public:
  using SourceObject::SourceObject;
  /// The next item; false at the end.
  static bool op(Item& item) { return take(detail::common_feed(), item); }
  static bool take(detail::feed& by, Item& item);
};

/// Writes files.
class Write : public Operator<Write, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Collects the lines of the list. Any number of threads may call it.
class Sink : public Operator<Sink, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

}  // namespace spb
