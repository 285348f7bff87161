/// Word count for benchmark programs: passages of a text are split into words, which are counted.
///
/// ```cpp
/// #include <word_count.hpp>
///
/// int main(int argc, char* argv[]) {
///   spb::init_bench(argc, argv);
///   spb::Metrics::init();
///   spb::Counts counts;
///   for (spb::Item item; spb::Source::op(item);) {
///     spb::Split::op(item);
///     spb::Count::op(item, counts);
///   }
///   spb::Sink::op(counts);
///   spb::Metrics::stop();
///   spb::end_bench();
/// }
/// ```
///
/// What counts has state. Where a program has several `Counts`, each takes the words of one part: `Divide`
/// deals them out. A word that was counted in two of them is an error. The order of the passages does not
/// matter. Throughput counts passages, which have some 64 kB each; latency ends when their words are counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "apps/word_count/passage.hpp"
#include "spb/api.hpp"
#include "spb/detail/batch.hpp"
#include "spb/detail/opaque.hpp"
#include "spb/operator.hpp"
#include "spb/source_object.hpp"

namespace spb {

namespace detail {
struct word_counts;  // spb/word_count.cpp
}

/// Passages of the text, and their words.
class Item : public detail::batch<apps::word_count::passage> {
 public:
  std::uint64_t key = 0;  ///< behind `Divide`: which part's words it has
};

/// How often each word has come: the state of an operator that counts. Words of each source object count for
/// themselves; `source` is the `sourceId` of its items.
class Counts {
 public:
  /// How many different words there are.
  std::size_t size(int source = 0) const;
  /// Calls `f(word, times)` for each, in no order.
  void for_each(const std::function<void(const std::string& word, std::uint64_t times)>& f,
                int source = 0) const;
  /// Adds a word of at least one byte. Where it has been counted by another process, say.
  void add(const std::string& word, std::uint64_t times, int source = 0);

 private:
  friend class Count;
  friend class Sink;
  detail::opaque<detail::word_counts> words_;
};

/// Reads options and opens input and output. Ends the process if something is wrong with them.
void init_bench(int argc, char** argv);

/// Gives the passages of the text. Any number of threads may call `op`.
class Source : public SourceObject<Source, Item> {
 public:
  using SourceObject::SourceObject;
  /// The next item; false at the end.
  static bool op(Item& item) { return take(detail::common_feed(), item); }
  static bool take(detail::feed& by, Item& item);
};

/// Finds the words.
class Split : public Operator<Split, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Puts words that are alike together, within each passage: a third of them is left to be counted. A program
/// can do without.
class Combine : public Operator<Combine, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

/// Deals the words out by part.
class Divide {
 public:
  /// As many items as there are parts, with the keys 0, 1, 2, ... A word is always in the same part.
  static std::vector<Item> op(const Item& item, std::size_t parts);
};

/// Adds words to counts.
class Count {
 public:
  Count() = default;
  Count(Item& item, Counts& state) { op(item, state); }
  virtual ~Count() = default;
  static void op(Item& item, Counts& state);
};

/// Takes the counts of each part when the stream is at its end. Any number of threads may call it.
class Sink : public Operator<Sink, Counts> {
 public:
  using Operator::Operator;
  static void op(Counts& counts);
};

}  // namespace spb
