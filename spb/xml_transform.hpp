/// XML transformation for benchmark programs: documents are parsed and turned into pages by a style sheet.
///
/// ```cpp
/// #include <xml_transform.hpp>
///
/// int main(int argc, char* argv[]) {
///   spb::init_bench(argc, argv);
///   spb::Metrics::init();
///   for (spb::Item item; spb::Source::op(item);) {
///     spb::Load::op(item);
///     spb::Transform::op(item);
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
namespace xml_transform {
struct document;  // apps/xml_transform/document.hpp
}  // namespace xml_transform
}  // namespace apps

namespace spb {

/// Documents. Copies of an item share them.
class Item : public detail::batch<std::shared_ptr<apps::xml_transform::document>> {};

/// Reads options, opens input and output, and compiles the style sheet. Ends the process if something is
/// wrong with them.
void init_bench(int argc, char** argv);

/// Gives the names of the documents' files; with `-in-memory`, what is in them. Any number of threads may
/// call `op`.
class Source : public SourceObject<Source, Item> {
 public:
  using SourceObject::SourceObject;
  /// The next item; false at the end.
  static bool op(Item& item) { return take(detail::common_feed(), item); }
  static bool take(detail::feed& by, Item& item);
};

/// Reads and parses documents.
class Load : public Operator<Load, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Applies the style sheet to them.
class Transform : public Operator<Transform, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Writes the pages into the archive.
class Sink : public Operator<Sink, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

}  // namespace spb
