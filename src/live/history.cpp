#include "history.hpp"

#include <algorithm>
#include <utility>

namespace THALWEG_NAMESPACE::live {

void history::begin(std::string graph) {
  const std::lock_guard hold(mutex_);
  first_ = end();
  kept_samples_.clear();
  bytes_ = 0;
  graph_ = std::make_shared<const std::string>(std::move(graph));
  ++graph_number_;
  changed_.notify_all();
}

void history::change(std::string graph) {
  const std::lock_guard hold(mutex_);
  if (graph == *graph_) return;
  graph_ = std::make_shared<const std::string>(std::move(graph));
  ++graph_number_;
  changed_.notify_all();
}

void history::add(std::chrono::nanoseconds time, std::string sample, bool last) {
  const std::lock_guard hold(mutex_);
  bytes_ += sample.size();
  kept_samples_.push_back({time, std::make_shared<const std::string>(std::move(sample)), last});
  // The newest one stays in any case.
  while (kept_samples_.size() > 1 && (bytes_ > most_bytes || time - kept_samples_.front().time > kept_))
    forget_first();
  changed_.notify_all();
}

void history::forget_first() {
  bytes_ -= kept_samples_.front().sample->size();
  kept_samples_.pop_front();
  ++first_;
}

void history::close() {
  const std::lock_guard hold(mutex_);
  closed_ = true;
  changed_.notify_all();
}

std::string history::state() const {
  const std::lock_guard hold(mutex_);
  std::string all;
  all.reserve(bytes_ + kept_samples_.size() + graph_->size() + 64);
  all.append(R"({"version":1,"graph":)").append(*graph_).append(R"(,"history":[)");
  const char* between = "";
  for (const auto& one : kept_samples_) all.append(std::exchange(between, ",")).append(*one.sample);
  return all.append("]}");
}

history::place history::from(std::optional<std::chrono::nanoseconds> since) const {
  const std::lock_guard hold(mutex_);
  const auto wanted = [&](const kept_sample& one) {
    return since ? one.time > *since || one.last : one.last;
  };
  const auto first = std::find_if(kept_samples_.begin(), kept_samples_.end(), wanted);
  return {0, first_ + static_cast<std::uint64_t>(first - kept_samples_.begin())};
}

std::optional<std::vector<history::event>> history::after(place& from, std::chrono::nanoseconds most) const {
  std::unique_lock hold(mutex_);
  changed_.wait_for(hold, most,
                    [&] { return closed_ || from.graph != graph_number_ || from.sample < end(); });
  std::vector<event> all;
  if (std::exchange(from.graph, graph_number_) != graph_number_) all.push_back({"graph", graph_});
  for (from.sample = std::max(from.sample, first_); from.sample < end(); ++from.sample) {
    const auto& one = kept_samples_[from.sample - first_];
    all.push_back({one.last ? "end" : "sample", one.sample});
  }
  if (closed_ && all.empty()) return std::nullopt;
  return all;
}

}  // namespace THALWEG_NAMESPACE::live
