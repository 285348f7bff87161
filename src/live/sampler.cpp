#include "sampler.hpp"

#include <thalweg/run/run.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <utility>

#include "quiet_thread.hpp"
#include "saved_page.hpp"
#include "state_json.hpp"

namespace THALWEG_NAMESPACE::live {

namespace {

using clock = std::chrono::steady_clock;

// How soon it is seen that a run is done: nothing tells.
constexpr std::chrono::nanoseconds between_glances = std::chrono::milliseconds(50);
constexpr std::chrono::nanoseconds most_between = std::chrono::hours(24 * 365);  // can be added to any time

// A report says how long a run was paused, and not whether it is: then that grows.
bool is_paused(subject& run, const report& now, const report& window) {
  return !now.final() && window.paused().count() > 0 && run.stats().paused() > now.paused();
}

void save(const std::string& file, const history& past) {
  if (const auto why = save_page(file, past.state()); !why.empty())
    std::fprintf(stderr, "live: cannot save the page to '%s': %s\n", file.c_str(), why.c_str());
}

}  // namespace

sampler::sampler(history& to, const options& how)
    : to_(to), every_(std::min(how.every, most_between)), save_(how.save) {
  facts_.title = how.title.empty() ? program_invocation_short_name : how.title;
  facts_.control = !how.token.empty();
  facts_.every = how.every;
  thread_ = quiet_thread([this] { live(); });
}

sampler::~sampler() {
  {
    const std::lock_guard hold(mutex_);
    over_ = true;
  }
  over_changed_.notify_all();
  thread_.join();
}

void sampler::watch(std::shared_ptr<subject> run) {
  const std::lock_guard hold(mutex_);
  run_ = std::move(run);
  last_ = {};
  take();
}

void sampler::finish(const subject& run) {
  const std::lock_guard hold(mutex_);
  if (run_.get() != &run) return;
  try {
    take();
  } catch (const std::exception&) {  // no memory: what was seen last stays
  }
  run_ = nullptr;
}

sampler::look sampler::last() const {
  const std::lock_guard hold(mutex_);
  return last_;
}

bool sampler::control(const std::function<void(thalweg::execution&)>& f) {
  const std::lock_guard hold(mutex_);
  auto* const run = run_ && !run_->done() ? run_->control() : nullptr;
  if (run == nullptr) return false;
  f(*run);
  return true;
}

std::shared_ptr<subject> sampler::watched() const {
  const std::lock_guard hold(mutex_);
  return run_ && run_->control() != nullptr ? run_ : nullptr;
}

void sampler::take() {
  const auto run = run_;
  auto now = run->stats();
  const auto window = last_.now ? now.since(*last_.now) : now;
  const bool paused = is_paused(*run, now, window);
  if (!last_.now) {
    facts_.began_unix_ms = observe::unix_ms_before(now.elapsed());
    to_.begin(observe::graph_json(now, facts_));
  } else {
    to_.change(observe::graph_json(now, facts_));
  }
  to_.add(now.elapsed(), sample_json(now, window, paused), now.final());
  if (now.final() && !save_.empty()) save(save_, to_);
  if (now.final()) run_ = nullptr;
  last_ = {std::make_shared<const report>(std::move(now)), paused};
  next_ = clock::now() + every_;
}

void sampler::live() {
  std::unique_lock hold(mutex_);
  while (!over_) {
    try {
      if (run_ && (clock::now() >= next_ || run_->done())) take();
    } catch (const std::exception&) {  // no memory: it may be there next time
      next_ = clock::now() + every_;
    }
    over_changed_.wait_for(hold, std::min(every_, between_glances));
  }
}

}  // namespace THALWEG_NAMESPACE::live
