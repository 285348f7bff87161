#include "stillness.hpp"

#include <tuple>
#include <utility>

#include "../../network/net.hpp"

namespace thalweg::run_detail::across {

using network::remedy;

namespace {

auto harm(const stillness::word& w) {
  return std::tuple(w.by, w.items, w.rank);
}

}  // namespace

stillness::stillness(network::net& here, int rank, int above, std::function<std::vector<int>()> below,
                     std::function<void(int to, const word&)> tell)
    : net_(here), rank_(rank), above_(above), those_below_(std::move(below)), tell_(std::move(tell)) {}

void stillness::look(const std::function<letter_count()>& counted) {
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
  if (stands->by == remedy::nothing) return;
  wanted_ = true;
  word w;
  rank_ == 0 ? heard(w) : tell_(0, w);
}

void stillness::heard(const word& w) {
  switch (w.what) {
    case word::kind::wanted:
      if (asked_) {
        again_ = true;  // that rank may have answered already
      } else {
        ask({.what = word::kind::question});
      }
      break;
    case word::kind::question:
      ask(w);
      break;
    case word::kind::answer:
      add(w);
      --below_;
      break;
  }
}

// The next wave; it tells the rank on which something is to happen.
void stillness::ask(const word& question) {
  again_ = false;
  asked_ = true;
  sum_ = {.what = word::kind::answer};
  below_ = 0;
  for (const int to : those_below_()) {
    tell_(to, question);
    ++below_;
  }
  if (question.by == remedy::nothing || question.rank != rank_ || !last_) return;
  // Unless something has moved in between: then it is not needed.
  if (net_.moved() == last_->since && net_.relieve(question.by)) relieved_ = last_;
}

void stillness::add(const word& w) {
  sum_.unchanged = sum_.unchanged && w.unchanged;
  sum_.surplus += w.surplus;
  if (harm(w) >= harm(sum_)) return;
  sum_.by = w.by;
  sum_.items = w.items;
  sum_.rank = w.rank;
}

void stillness::answer(const network::standstill& now, const letter_count& letters) {
  add({.what = word::kind::answer,
       .unchanged = last_ && last_->since == now.since && last_letters_ == letters,
       .surplus = letters.sent - letters.received,
       .by = now.by,
       .items = now.items,
       .rank = rank_});
  last_ = now;
  last_letters_ = letters;
  asked_ = wanted_ = false;
  rank_ == 0 ? decide() : tell_(above_, sum_);
}

// Rank 0 has all answers.
void stillness::decide() {
  if (sum_.by == remedy::nothing && !again_) return;
  word next{.what = word::kind::question};
  if (sum_.unchanged && sum_.surplus == 0) {
    next.by = sum_.by;
    next.rank = sum_.rank;
  }
  ask(next);
}

}  // namespace thalweg::run_detail::across
