/// Fraud detection for benchmark programs: transactions go through a predictor, which keeps those that are
/// suspicious together with the card's last ones.
///
/// ```cpp
/// #include <fraud_detection.hpp>
///
/// Markov_Model_Predictor predictor;
///
/// int main(int argc, char* argv[]) {
///   spb::init_bench(argc, argv);
///   spb::Metrics::init();
///   for (spb::Item item; spb::Source::op(item);) {
///     spb::Predictor::op(item, predictor);
///     if (item) spb::Sink::op(item);
///   }
///   spb::Metrics::stop();
///   spb::end_bench();
/// }
/// ```
///
/// A predictor knows the cards it has seen. Where a program has several, all items of a `key` must meet the
/// same one, in their order; that of the alarms does not matter. Throughput counts transactions, not alarms.
/// Items have one transaction each: one of several would have several keys.
#pragma once

#include <cstdint>

#include "apps/fraud_detection/transaction.hpp"
#include "spb/api.hpp"
#include "spb/detail/opaque.hpp"
#include "spb/detail/single.hpp"
#include "spb/operator.hpp"
#include "spb/source_object.hpp"

namespace spb {
class Predictor;

namespace detail {
struct card_histories;  // spb/fraud_detection.cpp
struct transaction {
  apps::fraud_detection::transaction made;
  std::uint32_t surprise = 0;  ///< behind the predictor: how suspicious it is
};
}  // namespace detail
}  // namespace spb

/// The state of a predictor: what it knows of each card, those of each source object for themselves. The
/// model that it compares with is the input's, and read with it: a predictor can be made before that.
class Markov_Model_Predictor {
 private:
  friend class spb::Predictor;
  spb::detail::opaque<spb::detail::card_histories> histories_;
};

namespace spb {

/// A transaction, and behind the predictor an alarm, or nothing.
class Item : public detail::single<detail::transaction> {
 public:
  std::uint64_t key = 0;  ///< of the card: 64 well mixed bits
};

/// Reads options and opens input, model and output. Ends the process if something is wrong with them.
void init_bench(int argc, char** argv);

/// Gives the transactions of the input. Any number of threads may call `op`.
class Source : public SourceObject<Source, Item> {
 public:
  using SourceObject::SourceObject;
  /// The next item; false at the end.
  static bool op(Item& item) { return take(detail::common_feed(), item); }
  static bool take(detail::feed& by, Item& item);
  /// Says that so many threads will call `op`: each gives the transactions of a part of the cards, so that
  /// each card's stay in order, which they do not between threads that share all cards. Before the stream.
  /// Objects have an input each, and no replicas.
  static void setReplicas(int replicas);
};

/// Adds the transaction to its card's history, and empties the item unless that is suspicious.
class Predictor {
 public:
  Predictor() = default;
  Predictor(Item& item, Markov_Model_Predictor& state) { op(item, state); }
  virtual ~Predictor() = default;
  static void op(Item& item, Markov_Model_Predictor& state);
};

/// Writes alarms. Any number of threads may call it.
class Sink : public Operator<Sink, Item> {
 public:
  using Operator::Operator;
  static void op(Item& item);
};

}  // namespace spb
