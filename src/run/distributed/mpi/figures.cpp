#include "figures.hpp"

#include <thalweg/observe/clock.hpp>
#include <thalweg/run/engine.hpp>

#include <algorithm>
#include <exception>
#include <utility>

#include "../../run_sampler.hpp"
#include "differences.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds usual_period = 100ms, least_period = 10ms, longest_period = 1s;
constexpr auto first_answer = 100ms;  // to wait for it

}  // namespace

void figures::start(run_state& run) {
  run_ = &run;
}

void figures::ask() {
  if (members_.tree().rank != 0) return;
  std::unique_lock hold(waiting_);
  if (answered_) return;
  if (!asked_.exchange(true)) messages_.wake();
  changed_.wait_for(hold, first_answer, [this] { return answered_; });
  answered_ = true;
}

void figures::begin(std::int64_t period_ns) {
  period_ns_ = period_ns;
}

void figures::look() {
  const int rank = members_.tree().rank;
  if (period_ns_ == 0 && asked_.load(std::memory_order_acquire)) {
    const auto& how = run_->options;
    const auto period =
        run_sampler::asked_for(how) ? std::clamp(how.every, least_period, longest_period) : usual_period;
    begin(period.count());
    header head;
    head.what = header::kind::watch;
    head.number = rank;
    head.position = period_ns_;
    messages_.broadcast(head);
  }
  if (period_ns_ == 0) return;
  const auto now = observe::now_ns();
  if (now < next_ns_) return;
  next_ns_ = std::max(next_ns_ + period_ns_, now);
  if (rank == 0) return learn();
  add_row();
  header head;
  head.what = header::kind::figures;
  head.number = rank;
  ++sent_;
  messages_.send(members_.tree().above(), head, rows_);
  rows_.clear();
}

void figures::add_row() {
  run_->flags.cut_sources();  // what the run of items in hand has done comes with the next row
  std::vector<std::byte> now;
  encode(statistics_of(*run_, mine_()), now);
  const auto change = difference(before_, now);
  write_row(rows_, {members_.tree().rank, observe::now_ns(), change});
  before_ = std::move(now);
}

void figures::take(int from, std::span<const std::byte> rows) {
  ++received_;
  if (members_.tree().rank != 0) {
    rows_.insert(rows_.end(), rows.begin(), rows.end());
    return;
  }
  make_room();
  while (!rows.empty()) {
    const auto row = take_row(from, rows, messages_.ranks());
    const auto r = static_cast<std::size_t>(row.rank);
    try {
      apply(row.change, bytes_[r]);
    } catch (const codec_error& e) {
      refuse(from, e.what());
    }
    told_[r] = read_statistics(row.rank, bytes_[r], run_->stages.size());
    at_ns_[r] = row.at_ns + messages_.times().shift(row.rank, 0);
  }
  if (!all_have_told_ &&
      std::none_of(bytes_.begin() + 1, bytes_.end(), [](const auto& b) { return b.empty(); })) {
    all_have_told_ = true;
    learn();
    answer();
  }
}

// More ranks may have come.
void figures::make_room() {
  const auto n = static_cast<std::size_t>(messages_.ranks());
  bytes_.resize(n);
  at_ns_.resize(n, run_->statistics.began.ns);
  for (auto r = told_.size(); r < n; ++r) {
    auto& its = told_.emplace_back();
    its.host = members_.host(static_cast<int>(r));
    its.stages.resize(run_->stages.size());
    its.latencies.resize(run_->stages.size());
  }
}

// What the next report says of all ranks.
void figures::learn() {
  const auto mine = mine_();
  make_room();
  told_[0] = statistics_of(*run_, mine);
  at_ns_[0] = observe::now_ns();
  auto together = summed(*run_, mine, told_);
  together.at_ns = at_ns_;
  run_->statistics.learn(std::move(together));
}

void figures::end() {
  period_ns_ = 0;
  asked_ = false;
  answer();
}

void figures::answer() {
  const std::lock_guard hold(waiting_);
  answered_ = true;
  changed_.notify_all();
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
