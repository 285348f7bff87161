/// Bzip2 for benchmark programs: compression of text block by block, and decompression. One program does
/// both, as the input wants it: `bzip2_main` calls the program's `compress()` or, for an input whose name
/// ends in `_d` or `.bz2`, its `decompress()`.
///
/// ```cpp
/// #include <bzip2.hpp>
///
/// void compress() {
///   spb::Metrics::init();
///   for (spb::Item item; spb::Source::op(item);) {
///     spb::Compress::op(item);
///     spb::Sink::op(item);
///   }
///   spb::Metrics::stop();
/// }
/// void decompress() { ... }  // likewise, with Source_d, Decompress and Sink_d
///
/// int main(int argc, char* argv[]) { spb::bzip2_main(argc, argv); }
/// ```
///
/// Items must come to the sinks in the order of the source: what comes out of order is an error. A sink that
/// put items in order would hide that a program does not, and hold any number of them.
#pragma once

#include <memory>

#include "spb/api.hpp"
#include "spb/detail/batch.hpp"
#include "spb/operator.hpp"
#include "spb/source_object.hpp"

/// What the program does; called by `spb::bzip2_main`, defined in the program.
void compress();
void decompress();

namespace spb {

namespace detail {
struct bzip2_block;  // spb/detail/bzip2_block.hpp
}

/// Blocks of text, which become compressed ones, or the other way round. Copies of an item share them.
class Item : public detail::timed_batch<std::shared_ptr<detail::bzip2_block>> {};

/// Reads options and opens input and output. Ends the process if something is wrong with them.
void init_bench(int argc, char** argv);

namespace detail {
/// Whether the input is to be decompressed.
bool decompressing();
}  // namespace detail

/// `init_bench`, then the program's `compress()` or `decompress()`, then `end_bench`.
inline void bzip2_main(int argc, char** argv) {
  init_bench(argc, argv);
  if (detail::decompressing())
    ::decompress();
  else
    ::compress();
  end_bench();
}

/// Cuts the input into blocks, or, if it is a .bz2 file, finds those that it has. Any number of threads may
/// call `op`. Objects: see `SourceObject`.
class Source : public SourceObject<Source, Item> {
 public:
  using SourceObject::SourceObject;
  /// The next item; false at the end.
  static bool op(Item& item) { return take(detail::common_feed(), item); }
  static bool take(detail::feed& by, Item& item);
};

class Compress : public Operator<Compress, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Writes what has become of the blocks, one behind the other.
class Sink : public Operator<Sink, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// The same, where the input is a .bz2 file.
class Source_d : public SourceObject<Source_d, Item> {
 public:
  using SourceObject::SourceObject;
  static bool op(Item& item) { return take(detail::common_feed(), item); }
  static bool take(detail::feed& by, Item& item);
};

class Decompress : public Operator<Decompress, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// The same, where the input is a .bz2 file.
class Sink_d : public Operator<Sink_d, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

}  // namespace spb
