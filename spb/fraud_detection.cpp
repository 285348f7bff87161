#include "spb/fraud_detection.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/fraud_detection/fraud_detection.hpp"
#include "apps/fraud_detection/inputs.hpp"
#include "apps/fraud_detection/operator_names.hpp"
#include "apps/support/error.hpp"
#include "spb/detail/by_stream.hpp"
#include "spb/detail/elements.hpp"
#include "spb/detail/intake.hpp"
#include "spb/detail/operation.hpp"
#include "spb/detail/per_stream.hpp"
#include "spb/detail/session.hpp"

// What travels: the transaction as the file has it.
template <> struct thalweg::codec<apps::fraud_detection::transaction> {
  static std::string tag() { return "card[10],id[12],type"; }
  static void write(byte_writer& to, const apps::fraud_detection::transaction& made) {
    to(made.card.characters, made.id.characters, made.type);
  }
  static void read(byte_reader& from, apps::fraud_detection::transaction& made) {
    from(made.card.characters, made.id.characters, made.type);
  }
};

namespace spb {

struct detail::card_histories : detail::by_stream<apps::fraud_detection::histories> {};

namespace {

namespace fraud = apps::fraud_detection;
namespace fs = std::filesystem;

using enum fraud::operation;

class pull {
 public:
  explicit pull(fraud::source own) : own_(std::move(own)) {}
  explicit pull(detail::elements<fraud::source> played) : played_(std::move(played)) {}

  bool operator()(Item& item) {
    const auto* const made = own_ ? own_->next() : next_played();
    if (made == nullptr) return false;
    item.renew().made = *made;
    item.key = fraud::hash_of(made->card);
    return true;
  }
  [[nodiscard]] std::int64_t due_ns() const { return played_ ? played_->due_ns() : 0; }

 private:
  const fraud::transaction* next_played() {
    const auto came = (*played_)();
    if (!came) return nullptr;
    in_hand_ = *came;
    return &in_hand_;
  }

  std::optional<fraud::source> own_;
  std::optional<detail::elements<fraud::source>>
      played_;  // where it does not give transactions where they lie
  fraud::transaction in_hand_;
};
using intake = detail::intake<Item, pull>;

fs::path transactions_of(const detail::places& where) {
  return fs::is_directory(where.input) ? where.input / fraud::transactions_file : where.input;
}

fraud::source part_of(const detail::options& asked, const detail::places& where, std::size_t part,
                      std::size_t parts) {
  fraud::extent extent;
  if (!where.input_class.empty()) extent = fraud::input_named(where.input_class).extent;
  return fraud::source(transactions_of(where), extent,
                       {.in_memory = asked.in_memory, .part = part, .parts = parts});
}

fraud::source source_of(const detail::options& asked, const detail::places& where) {
  return part_of(asked, where, 0, 1);
}

struct stream {
  detail::options asked;
  detail::places where;
  fraud::model model;
  fraud::sink sink;
  std::mutex sink_lock;
  std::vector<std::unique_ptr<intake>> parts;
  std::atomic<std::size_t> next_part{0};

  stream(detail::options told, detail::places at, const fraud::model& compared_with)
      : asked(std::move(told)), where(std::move(at)), model(compared_with), sink(where.output) {
    divide(1);
  }
  void divide(std::size_t into) {
    if (where.network && into > 1)
      throw apps::error(
          "transactions that are played come one after the other: there can be one source only");
    parts.clear();
    for (std::size_t part = 0; part < into; ++part)
      parts.push_back(std::make_unique<intake>(where.network
                                                   ? pull(detail::elements<fraud::source>(where.network))
                                                   : pull(part_of(asked, where, part, into))));
    next_part = 0;
  }
};

detail::per_stream<stream> all;

// Which of the replicas of its source the calling thread is.
intake& part_for(const detail::feed& by) {
  auto& from = all.of(by);
  if (from.parts.size() == 1) [[likely]]
    return *from.parts.front();
  if (by.source() != 0)
    throw apps::error(
        "setReplicas divides the cards among threads that call Source::op: a source that is an "
        "object gives all of its input");
  thread_local const auto number = from.next_part.fetch_add(1);
  return *from.parts[number % from.parts.size()];
}

std::vector<std::string> open(const detail::options& asked, const detail::places& where) {
  const auto folder = fs::is_directory(where.input) ? where.input : where.input.parent_path();
  detail::forbid_overwriting(transactions_of(where), where);
  detail::forbid_overwriting(folder / fraud::model_file, where);
  all.add(asked, where, fraud::model::load(folder / fraud::model_file));
  return {"source", "predictor", "sink"};
}

}  // namespace

void init_bench(int argc, char** argv) {
  detail::begin(argc, argv,
                {.about = &fraud::about(),
                 .open = open,
                 .play = detail::play_source<source_of>,
                 .complete = [] { all.for_each([](stream& one) { one.sink.close(); }); },
                 .discard = [] { all.clear(); },
                 .counts_at_source = true});
}

bool Source::take(detail::feed& by, Item& item) {
  return detail::guarded(false, [&] {
    detail::require_items_of_one(by, "fraud_detection", "transaction");
    return part_for(by).take(by, item);
  });
}

void Source::setReplicas(int replicas) {
  detail::or_end([&] {
    if (replicas < 1) throw std::invalid_argument("a stream needs a source or more");
    all.at(0).divide(static_cast<std::size_t>(replicas));
  });
}

void Predictor::op(Item& item, Markov_Model_Predictor& state) {
  detail::operate(predictor_op, item, [&](Item& transactions) {
    const auto place = all.place_of(item);
    const auto& model = all.at(place).model;
    auto& histories = state.histories_.use()[place];
    transactions.drop_if([&](detail::transaction& one) {
      const auto alarm = fraud::score(model, one.made, histories.of(one.made.card));
      if (alarm) one.surprise = alarm->surprise;
      return !alarm;
    });
  });
}

void Sink::op(Item& item) {
  detail::guarded(false, [&] {
    auto& to = all.of(item);
    detail::deliver(sink_op, item, to.sink_lock, [&](Item& alarms) {
      for (const auto& [made, surprise] : alarms) to.sink({made.card, made.id, surprise});
    });
    return true;
  });
}

}  // namespace spb
