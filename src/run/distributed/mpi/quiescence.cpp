#include "quiescence.hpp"

#include <tuple>
#include <utility>

#include "../../engine/graph_engine.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

using dataflow::remedy;

namespace {

auto harm(const quiescence::wave_message& w) {
  return std::tuple(w.by, w.items, w.rank);
}

}  // namespace

quiescence::quiescence(dataflow::graph_engine& here, int rank, int above,
                       std::function<std::vector<int>()> below,
                       std::function<void(int to, const wave_message&)> tell)
    : net_(here), rank_(rank), above_(above), those_below_(std::move(below)), tell_(std::move(tell)) {}

void quiescence::look(const std::function<message_count()>& counted) {
  const auto now = net_.moved();
  const auto at = clock::now();
  if (now != seen_) {
    seen_ = now;
    seen_at_ = at;
  }
  early_ = at - seen_at_ < settled && !net_.over();
  const bool answers = asked_ && below_ == 0;
  if (early_ || (!answers && (asked_ || wanted_))) return;
  const auto stands = net_.stands_still();
  if (!stands || stands->since != seen_) return;
  if (relieved_ && relieved_->since == seen_ && relieved_->by == stands->by) return;
  if (answers) return answer(*stands, counted());
  if (stands->by == remedy::nothing || stands->by == remedy::later) return;
  // Another rank may wait for something that comes later, for long.
  if (stands->by == remedy::failure && at < next_failure_) return;
  next_failure_ = at + between_failures;
  wanted_ = true;
  wave_message w;
  rank_ == 0 ? heard(w) : tell_(0, w);
}

void quiescence::heard(const wave_message& w) {
  switch (w.what) {
    case wave_message::kind::wanted:
      if (asked_) {
        again_ = true;  // that rank may have answered already
      } else {
        ask({.what = wave_message::kind::question});
      }
      break;
    case wave_message::kind::question:
      ask(w);
      break;
    case wave_message::kind::answer:
      add(w);
      --below_;
      break;
  }
}

// The next wave; it tells the rank on which something is to happen.
void quiescence::ask(const wave_message& question) {
  again_ = false;
  asked_ = true;
  sum_ = {.what = wave_message::kind::answer};
  below_ = 0;
  for (const int to : those_below_()) {
    tell_(to, question);
    ++below_;
  }
  if (question.by == remedy::nothing || question.rank != rank_ || !last_) return;
  // Unless something has moved in between: then it is not needed.
  if (net_.moved() == last_->since && net_.relieve(question.by)) relieved_ = last_;
}

void quiescence::add(const wave_message& w) {
  sum_.unchanged = sum_.unchanged && w.unchanged;
  sum_.surplus += w.surplus;
  if (harm(w) >= harm(sum_)) return;
  sum_.by = w.by;
  sum_.items = w.items;
  sum_.rank = w.rank;
}

void quiescence::answer(const dataflow::deadlock_report& now, const message_count& messages) {
  add({.what = wave_message::kind::answer,
       .unchanged = last_ && last_->since == now.since && last_messages_ == messages,
       .surplus = messages.sent - messages.received,
       .by = now.by,
       .items = now.items,
       .rank = rank_});
  last_ = now;
  last_messages_ = messages;
  asked_ = wanted_ = false;
  rank_ == 0 ? decide() : tell_(above_, sum_);
}

// Rank 0 has all answers.
void quiescence::decide() {
  if ((sum_.by == remedy::nothing || sum_.by == remedy::later) && !again_) return;
  wave_message next{.what = wave_message::kind::question};
  if (sum_.unchanged && sum_.surplus == 0) {
    next.by = sum_.by;
    next.rank = sum_.rank;
  }
  ask(next);
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
