#include "script.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

namespace micro {

namespace {

// A replica that is at work takes the next item sooner.
constexpr nanos rest = 100'000'000;

template <class T> bool read(std::string_view text, T& value) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc{} && end == text.data() + text.size();
}

double milliseconds(nanos length) {
  return static_cast<double>(length) * 1e-6;
}

}  // namespace

std::vector<step> steps_from(const std::string& text) {
  std::vector<step> all;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    const auto one = std::string_view(text).substr(begin, end - begin);
    const auto colon = one.find(':');
    step next;
    if (colon == one.npos || !read(one.substr(0, colon), next.at) ||
        !read(one.substr(colon + 1), next.replicas) || next.replicas < 1 ||
        next.at < (all.empty() ? 0 : all.back().at))
      throw std::invalid_argument("resize: '" + std::string(one) +
                                  "' must be `seconds:replicas`, and seconds must rise");
    all.push_back(next);
    begin = end + 1;
  }
  return all;
}

void script::begins(thalweg::execution& run, std::string stage) {
  if (steps_.empty()) return;
  thread_ = std::jthread([this, &run, stage = std::move(stage)](const std::stop_token& over) {
    std::unique_lock hold(lock_);
    called_.wait(hold, over, [this] { return beginning_ != 0; });
    const std::chrono::steady_clock::time_point start{std::chrono::nanoseconds(beginning_)};
    for (const auto& next : steps_) {
      const std::chrono::duration<double> after(next.at);
      called_.wait_until(hold, over, start + std::chrono::duration_cast<std::chrono::nanoseconds>(after),
                         [] { return false; });
      if (over.stop_requested() || run.done()) return;
      const auto at = now();
      run.set_replicas(stage, next.replicas);
      made_.push_back({at, now(), next.replicas});
    }
  });
}

void script::load_begins(nanos at) {
  {
    const std::scoped_lock hold(lock_);
    beginning_ = at;
  }
  called_.notify_all();
}

void script::comes(const worked_item& x) {
  if (steps_.empty()) return;
  if (x.before == 0 || x.taken - x.before > rest) rested_.push_back(x);
}

nlohmann::json script::first_item_after(std::size_t number) const {
  const auto& made = made_[number];
  // One that was taken away may still take what waits for it.
  const auto since = number == 0 ? nanos{1} : made_[number - 1].at + rest;
  if (number > 0 && made.replicas <= made_[number - 1].replicas) return nullptr;
  std::optional<nanos> first;
  for (const auto& x : rested_)
    if (x.taken >= made.at && x.before < since && (!first || x.taken < *first)) first = x.taken;
  if (!first || (number + 1 < made_.size() && *first >= made_[number + 1].at)) return nullptr;
  return milliseconds(*first - made.at);
}

nlohmann::json script::told() const {
  auto all = nlohmann::json::array();
  for (std::size_t i = 0; i < made_.size(); ++i) {
    const auto& one = made_[i];
    all.push_back({{"at", static_cast<double>(one.at - beginning_) * 1e-9},
                   {"replicas", one.replicas},
                   {"call_ms", milliseconds(one.done - one.at)},
                   {"first_ms", first_item_after(i)}});
  }
  return all;
}

}  // namespace micro
