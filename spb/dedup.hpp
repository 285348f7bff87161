/// Dedup for benchmark programs: a file is packed, what repeats in it only once.
///
/// ```cpp
/// #include <dedup.hpp>
///
/// int main(int argc, char* argv[]) {
///   spb::init_bench(argc, argv);
///   spb::Metrics::init();
///   for (spb::Item item; spb::Source::op(item);) {
///     spb::Refine::op(item);
///     spb::Deduplicate::op(item);
///     spb::Compress::op(item);
///     spb::Sink::op(item);
///   }
///   spb::Metrics::stop();
///   spb::end_bench();
/// }
/// ```
///
/// Items must come to the sink in the order of the source; what comes out of order is an error. At the
/// operators before it any order will do, and the archive is the same.
#pragma once

#include <memory>

#include "spb/api.hpp"
#include "spb/detail/batch.hpp"
#include "spb/operator.hpp"
#include "spb/source_object.hpp"

namespace apps {
namespace dedup {
struct fragment;  // apps/dedup/fragment.hpp
}  // namespace dedup
}  // namespace apps

namespace spb {

/// Fragments of the file, and the chunks in them. Copies of an item share them.
class Item : public detail::batch<std::shared_ptr<apps::dedup::fragment>> {};

/// Reads options and opens input and output. Ends the process if something is wrong with them.
void init_bench(int argc, char** argv);

/// Cuts the file into fragments. Any number of threads may call `op`.
class Source : public SourceObject<Source, Item> {
 public:
  using SourceObject::SourceObject;
  /// The next item; false at the end.
  static bool op(Item& item) { return take(detail::common_feed(), item); }
  static bool take(detail::feed& by, Item& item);
};

/// Cuts fragments into chunks, and hashes these.
class Refine : public Operator<Refine, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Finds out which chunks have come before. All calls share one state, with a lock around it.
class Deduplicate : public Operator<Deduplicate, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Compresses the others.
class Compress : public Operator<Compress, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Writes the archive.
class Sink : public Operator<Sink, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

}  // namespace spb
