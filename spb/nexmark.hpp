/// What the queries of Nexmark share for benchmark programs, which include the header of their query
/// (`<nexmark_q5.hpp>`).
///
/// A source gives events by their numbers; `Generate` makes them, which costs most of what there is to do.
/// `Query` is the whole query as plain code; who has windows, joins and keys of his own makes results of
/// them. Throughput counts events, whatever becomes of them. Items have one event each.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "apps/nexmark/event.hpp"
#include "apps/nexmark/results.hpp"
#include "spb/api.hpp"
#include "spb/detail/single.hpp"
#include "spb/operator.hpp"
#include "spb/source_object.hpp"

namespace spb {

namespace detail {
struct nexmark_queries;  // spb/nexmark.cpp
}

/// An event, or nothing where a query does not want it.
class Item : public detail::single<apps::nexmark::event> {
 public:
  const apps::nexmark::event& event() const { return *begin(); }
};

/// What a query gives, as a line of the output.
struct Result {
  Result() = default;
  /// `since`: the timestamp of the newest item that it is made of; its latency counts from there.
  template <class Of>
  Result(const Of& of, std::int64_t since) : line(apps::nexmark::line_of(of)), timestamp(since) {}

  std::string line;
  std::int64_t timestamp = 0;
  std::int16_t sourceId = -1;  ///< as that of the items
  std::size_t size() const { return 1; }
};

/// Reads options and opens input and output. Ends the process if something is wrong with them.
void init_bench(int argc, char** argv);

/// By how much events may be behind the latest one: what is further behind is late.
std::chrono::milliseconds disorder();
/// No auction of the input is open for longer.
std::chrono::milliseconds longest_auction();

/// Gives the events of the input, in order. Any number of threads may call `op`.
class Source : public SourceObject<Source, Item> {
 public:
  using SourceObject::SourceObject;
  /// The next item; false at the end.
  static bool op(Item& item) { return take(detail::common_feed(), item); }
  static bool take(detail::feed& by, Item& item);
};

/// Makes the event that the source has given the number of. Any number of threads may call it.
class Generate : public Operator<Generate, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// The query as plain code, which needs the events in their order. Of queries that give bids there is none:
/// they have operators.
class Query {
 public:
  /// What comes of an event.
  std::vector<Result> op(const Item& item);
  /// What is left when there are no more.
  std::vector<Result> end();

 private:
  std::shared_ptr<detail::nexmark_queries> queries_;
};

/// Writes what a query gives: bids, or results, in any order. Any number of threads may call it.
class Sink : public Operator<Sink, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
  static void op(Result& result);
};

}  // namespace spb
