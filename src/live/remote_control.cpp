#include "remote_control.hpp"

#include <thalweg/adapt/adapt.hpp>
#include <thalweg/model/errors.hpp>
#include <thalweg/run/run.hpp>

#include <optional>
#include <utility>

namespace THALWEG_NAMESPACE::live {

std::variant<remote_control::reader, outcome> remote_control::begin(std::chrono::nanoseconds every) {
  const std::lock_guard hold(mutex_);
  const auto run = runs_.watched();
  if (!run) return outcome{409, "no run goes on"};
  if (auto readers = readers_.lock(); readers && run_.lock() == run)
    return reader{feed_.lock(), run, std::move(readers)};
  auto feed = std::make_shared<window_feed>();
  // Lives as long as the run has this planner.
  auto used = std::make_shared<bool>();
  const std::weak_ptr<void> planner = used;
  try {
    const auto adapt_run = [&](thalweg::execution& it) {
      it.adapt(thalweg::adapt{.every = every, .planner = {"external", [feed, used = std::move(used)] {
                                                            return [feed](const adaptation::window& w) {
                                                              return feed->show(w);
                                                            };
                                                          }}});
    };
    if (!runs_.control(adapt_run)) return outcome{409, "no run goes on"};
  } catch (const error& e) {
    return outcome{400, e.what()};
  }
  std::shared_ptr<void> readers(nullptr, [this, planner](void*) { end(planner); });
  run_ = run;
  feed_ = feed;
  readers_ = readers;
  return reader{std::move(feed), run, std::move(readers)};
}

std::string remote_control::take(std::string_view document) {
  std::shared_ptr<window_feed> feed;
  {
    const std::lock_guard hold(mutex_);
    if (run_.lock() == runs_.watched() && !readers_.expired()) feed = feed_.lock();
  }
  return feed ? feed->take(document) : "";
}

// The last reader has left. The run may have got another planner since, or be over.
void remote_control::end(const std::weak_ptr<void>& planner) {
  const std::lock_guard hold(mutex_);
  if (planner.expired() || !readers_.expired()) return;
  try {
    runs_.control([](thalweg::execution& run) { run.adapt(std::nullopt); });
  } catch (const std::exception&) {  // no memory: it goes on without being told anything
  }
}

}  // namespace THALWEG_NAMESPACE::live
