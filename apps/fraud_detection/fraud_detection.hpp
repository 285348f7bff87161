#pragma once

#include <optional>

#include "apps/fraud_detection/history.hpp"
#include "apps/fraud_detection/model.hpp"
#include "apps/fraud_detection/partition.hpp"
#include "apps/fraud_detection/sink.hpp"
#include "apps/fraud_detection/source.hpp"
#include "apps/fraud_detection/transaction.hpp"
#include "apps/fraud_detection/types.hpp"
#include "apps/support/application.hpp"

namespace apps::fraud_detection {

/// The operator in the middle: adds a transaction to its card's history, and gives an alarm if the last
/// transactions of the card are suspicious together. Allocates nothing.
inline std::optional<alarm> score(const model& model, const transaction& item, history& past) {
  past.add(item.type);
  const auto surprise = model.surprise(past);
  if (surprise < model.threshold()) return std::nullopt;
  return alarm{item.card, item.id, surprise};
}

/// The operator with the state it needs: a model and the histories of the cards. One for each partition of a
/// keyed stream (`partition_of`), as a card's transactions have to meet the same one, in their order.
///
/// ```cpp
/// source next("transactions.csv");
/// predictor predict(model::load("model.csv"));
/// sink write("alarms.csv");
/// while (const auto item = next())
///   if (const auto alarm = predict(*item)) write(*alarm);
/// write.close();
/// ```
class predictor {
 public:
  /// `cards`: about how many will come.
  explicit predictor(const fraud_detection::model& model, std::size_t cards = 1000)
      : model_(model), histories_(cards) {}

  std::optional<alarm> operator()(const transaction& item) {
    return score(model_, item, histories_.of(item.card));
  }

  const fraud_detection::model& model() const { return model_; }
  std::size_t cards() const { return histories_.size(); }

 private:
  fraud_detection::model model_;
  histories histories_;
};

/// What tools need to know.
const application& about();

}  // namespace apps::fraud_detection
