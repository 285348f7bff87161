#include "remote_control.hpp"

#include <thalweg/adapt/adapt.hpp>
#include <thalweg/model/errors.hpp>
#include <thalweg/run/run.hpp>

#include <optional>
#include <utility>

namespace THALWEG_NAMESPACE::live {

std::variant<remote_control::reader, outcome> remote_control::begin(std::chrono::nanoseconds every) {
  std::shared_ptr<void> others;  // if these are the last ones, they leave when the lock is given back
  const std::lock_guard hold(mutex_);
  const auto run = runs_.watched();
  if (!run || run->done()) return outcome{409, "no run goes on"};
  others = readers_.lock();
  auto feed = feed_.lock();
  if (others && feed && !planner_.expired() && run_.lock() == run)
    return reader{std::move(feed), run, planner_, std::move(others)};
  feed = std::make_shared<window_feed>();
  auto used = std::make_shared<bool>();
  const std::weak_ptr<void> planner = used;
  auto begin_planner = [feed, used = std::move(used)] {
    return [feed](const adaptation::window& w) { return feed->show(w); };
  };
  try {
    // Waits for the planner that the run has, so nobody else may wait for this.
    run->control()->adapt(thalweg::adapt{.every = every, .planner = {"external", std::move(begin_planner)}});
  } catch (const error& e) {
    return outcome{400, e.what()};
  }
  std::shared_ptr<void> readers(nullptr, [this, planner](void*) { end(planner); });
  run_ = run;
  feed_ = feed;
  planner_ = planner;
  readers_ = readers;
  return reader{std::move(feed), run, planner, std::move(readers)};
}

std::string remote_control::take(std::string_view document) {
  std::shared_ptr<window_feed> feed;
  {
    const std::lock_guard hold(mutex_);
    if (run_.lock() == runs_.watched() && !planner_.expired() && !readers_.expired()) feed = feed_.lock();
  }
  return feed ? feed->take(document) : "";
}

// The last reader has left. The run may have got another planner since, or be over.
void remote_control::end(const std::weak_ptr<void>& planner) {
  const std::lock_guard hold(mutex_);
  const auto run = runs_.watched();
  if (planner.expired() || !readers_.expired() || !run || run_.lock() != run) return;
  try {
    run->control()->adapt(std::nullopt);
  } catch (const std::exception&) {  // no memory: it goes on without being told anything
  }
}

}  // namespace THALWEG_NAMESPACE::live
