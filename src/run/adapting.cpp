// The loop of a run that adapts itself: window, planner, changes.
//
// State: which loop a run has (`run_state::adapts`), and whether that is to end (`over_`).
// Writer: `engine::steer`, and the thread that has waited for the run, both under `run_state::steering`.
// Invariant: at most one loop changes the run, none does once `wait` has returned, and each change is
//   noted once, after it has been made.
// Model: docs/protocols/adapting.pml.
#include "adapting.hpp"

#include <thalweg/adapt/text.hpp>
#include <thalweg/observe/text.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "../adapt/limits.hpp"
#include "../adapt/numbers.hpp"
#include "parts.hpp"

namespace THALWEG_NAMESPACE::run_detail {

namespace {

constexpr std::chrono::milliseconds shortest_window{1};
constexpr std::chrono::hours longest_window{1};
constexpr const char* variable = "THALWEG_ADAPT";

// The run whose planner this thread asks; null: none.
thread_local const run_state* planning = nullptr;

// Of what the run chooses by itself if it is 0.
std::string as_fit(std::int64_t number, std::string text) {
  return number == 0 ? "as fit" : std::move(text);
}

}  // namespace

adapting::adapting(engine& run, std::optional<thalweg::adapt> how)
    : run_(run),
      state_(run.state()),
      how_(how.value_or(thalweg::adapt{})),
      windows_(run, how_.bounds, how.has_value()),
      planner_(how_.planner.begin()) {
  if (how && windows_.stages_to_change()) run.leave_numbers();
}

adapting::~adapting() {
  end();
}

std::optional<thalweg::adapt> adapting::asked_for(const run_options& options) {
  if (options.adapt || !options.observe) return options.adapt;
  const char* const text =
      std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nothing changes it meanwhile
  if (text == nullptr || *text == 0) return std::nullopt;
  try {
    return adapt_from(text);
  } catch (const std::invalid_argument& e) {
    throw error(std::string(variable) + "=" + text + ": " + e.what());
  }
}

std::vector<std::string> adapting::problems(const std::optional<thalweg::adapt>& how, bool observes) {
  std::vector<std::string> all;
  if (!how) return all;
  if (how->every < shortest_window || how->every > longest_window)
    all.push_back("run_options.adapt: .every must be at least 1 ms and at most an hour, not " +
                  std::to_string(how->every.count()) + " ns");
  if (how->bounds.least_replicas < 1 || how->bounds.most_replicas < how->bounds.least_replicas)
    all.push_back("run_options.adapt: the bounds from " + std::to_string(how->bounds.least_replicas) +
                  " to " + std::to_string(how->bounds.most_replicas) + " replicas hold no number above 0");
  if (how->bounds.least_ranks < 1 || how->bounds.most_ranks < how->bounds.least_ranks)
    all.push_back("run_options.adapt: the bounds from " + std::to_string(how->bounds.least_ranks) + " to " +
                  std::to_string(how->bounds.most_ranks) + " ranks hold no number above 0");
  if (!(how->bounds.most_processors >= 0))
    all.emplace_back("run_options.adapt: .most_processors must be 0 or more");
  if (!observes)
    all.emplace_back("run_options: without .observe nothing is counted by which .adapt could decide");
  return all;
}

bool adapting::asked_of(const run_state& run) {
  const auto has_range = [](const auto& s) { return s.info->most_replicas != 0; };
  return run.observes() && run.decides() &&
         (run.options.adapt || std::any_of(run.stages.begin(), run.stages.end(), has_range));
}

void adapting::begin() {
  if (!windows_.anything_to_change())
    return state_.statistics.note(".adapt: under the policy '" + state_.policy +
                                  "' this job has nothing that could be changed while it runs");
  try {
    thread_ = std::thread([this] { live(); });
  } catch (const std::system_error&) {
    state_.statistics.note("the system has no thread left for .adapt: the run goes on without");
  }
}

void adapting::end() {
  {
    const std::lock_guard hold(ending_);
    over_ = true;
  }
  called_.notify_all();
  const std::lock_guard hold(joining_);
  if (thread_.joinable()) thread_.join();
  planner_ = nullptr;  // it may hold on to something, such as an address that the next run may have
}

void adapting::live() {
  using clock = std::chrono::steady_clock;
  auto& run = state_;
  planning = &run;
  const executing here(run);  // a planner that waits for its run would wait for itself
  const auto done = [&] { return over_ || run.flags.done.load(std::memory_order_acquire); };
  try {
    before_ = run.make_report(false);
    // A run that begins with far too few replicas is not to be late for all of its first window.
    auto length = std::max<std::chrono::nanoseconds>(shortest_window, how_.every / 10);
    auto next = clock::now() + length;
    std::unique_lock hold(ending_);
    while (!called_.wait_until(hold, next, done)) {
      hold.unlock();
      look();
      length = std::min(2 * length, how_.every);
      next = std::max(next + length, clock::now());
      hold.lock();
      if (done()) return;
    }
  } catch (...) {
    run.statistics.note(".adapt has ended, and the run goes on without it: the planner '" +
                        how_.planner.name() + "' has failed: " + model::message_of(std::current_exception()));
  }
}

void adapting::look() {
  auto& run = state_;
  run.look_around();
  auto now = run.make_report(false);
  if (run.flags.done.load(std::memory_order_acquire)) return;
  const auto before = std::exchange(before_, std::move(now));
  if (!before) return;
  auto seen = windows_.between(*before, *before_);
  seen.number = ++number_;
  seen.goal = how_.goal;
  if (seen.length <= std::chrono::nanoseconds(0)) return;  // the run is paused
  note_changes(seen);
  if (awaits_ranks(seen)) seen.changed = true;
  if (const auto rate = seen.throughput(); rate > 0 && !seen.changed && unseen_ > 0)
    run.statistics.reached(std::exchange(unseen_, 0), rate);
  decide(seen);
}

void adapting::decide(const adaptation::window& seen) {
  const auto wanted = planner_(seen);
  std::string what;
  try {
    for (const auto& r : wanted.replicas) adaptation::add_part(what, resize(seen, r));
    for (const auto& b : wanted.batches) adaptation::add_part(what, rebatch(seen, b));
    for (const auto& c : wanted.credits) adaptation::add_part(what, recredit(seen, c));
    if (wanted.ranks) adaptation::add_part(what, spread(seen, *wanted.ranks));
    if (wanted.run_length) adaptation::add_part(what, bound_runs(seen, *wanted.run_length));
    if (wanted.message_bytes) adaptation::add_part(what, bound_messages(seen, *wanted.message_bytes));
  } catch (...) {  // what comes after something that has been done
    note_decision(seen, wanted, std::move(what));
    throw;
  }
  note_decision(seen, wanted, std::move(what));
}

void adapting::note_decision(const adaptation::window& seen, const adaptation::changes& wanted,
                             std::string what) {
  if (what.empty()) return;
  ++unseen_;
  state_.statistics.decided({.at = seen.at,
                             .planner = how_.planner.name(),
                             .what = std::move(what),
                             .reason = wanted.reason,
                             .measured = seen.throughput(),
                             .predicted = wanted.predicted});
}

// Such as a batch that was made without an interval, or a system that has no more threads.
void adapting::note_refusal(const std::string& why) {
  if (refused_.insert(why).second) state_.statistics.note(".adapt: " + why);
}

// Does a change, and says whether that was possible.
template <class Change> bool adapting::done(Change&& change) {
  try {
    change();
    return true;
  } catch (const error& e) {
    note_refusal(e.what());
    return false;
  }
}

// Also what a caller of `execution` has asked for.
void adapting::note_changes(adaptation::window& seen) {
  settings now{
      .run_length = seen.run_length, .message_bytes = seen.message_bytes, .ranks = seen.working_ranks()};
  for (const auto& s : seen.stages) now.credits.push_back(s.credits);
  if (last_ && last_->ranks != now.ranks && now.ranks != ranks_asked_) ranks_asked_ = 0;  // by others
  if (last_ && *last_ != now) seen.changed = true;
  last_ = std::move(now);
}

// Several ranks are told of a change, and have it a while later: until then a window shows the old number. If
// somebody else has asked for another one meanwhile, it never comes.
bool adapting::awaits_ranks(const adaptation::window& seen) {
  constexpr std::uint64_t long_ago = 20;
  std::erase_if(on_order_, [&](const auto& one) {
    const auto* const s = seen.find(one.first);
    return s == nullptr || s->replicas == one.second.replicas || seen.number - one.second.window > long_ago;
  });
  return !on_order_.empty();
}

// What it has done, in words; nothing if all stays as it is.
std::string adapting::resize(const adaptation::window& seen, const adaptation::replicas_wanted& wanted) {
  const auto* const s = windows_.farm_named(seen, wanted.stage);
  if (s == nullptr) {
    const auto number = stage_named(state_, "", wanted.stage);
    throw error("stage '" + state_.stages[number].info->name +
                "' is serial, so it has no replicas to change");
  }
  const int n = std::clamp(wanted.replicas, s->least, s->most);
  if (n == s->replicas) return {};
  if (!done([&] { run_.set_replicas(s->name, n); })) return {};
  if (state_.others) on_order_[s->name] = {n, seen.number};
  return s->name + ": " + std::to_string(s->replicas) + " to " + std::to_string(n) + " replicas";
}

const adaptation::stage_window* adapting::stage_in(const adaptation::window& seen,
                                                   const std::string& name) const {
  const auto* const s = seen.find(name);
  if (s == nullptr) throw error("there is no stage '" + name + "'" + meant_stage(state_, name));
  return s;
}

std::string adapting::rebatch(const adaptation::window& seen, const adaptation::batch_wanted& wanted) {
  const auto* const s = stage_in(seen, wanted.stage);
  if (!s->batch) throw error("the batches of '" + wanted.stage + "' cannot be changed");
  if (*s->batch == wanted.limits) return {};
  if (!done([&] { run_.set_batch(s->name, wanted.limits); })) return {};
  return s->name + ": batches of " + to_string(*s->batch) + " to " + to_string(wanted.limits);
}

// Where one of these cannot be changed, the run says why.
std::string adapting::recredit(const adaptation::window& seen, const adaptation::credits_wanted& wanted) {
  const auto* const s = stage_in(seen, wanted.stage);
  if (!windows_.all()) return {};
  const int runs = std::clamp(wanted.runs, 0, adaptation::most_credits);
  if (runs == s->credits || !done([&] { run_.set_credits(s->name, runs); })) return {};
  const int before = s->credits.value_or(0);
  return s->name + ": " + as_fit(before, std::to_string(before)) + " to " +
         as_fit(runs, std::to_string(runs)) + " runs in advance";
}

std::string adapting::spread(const adaptation::window& seen, int ranks) {
  if (!windows_.all()) return {};
  // That many may be at work by chance, and then more would be soon.
  const int before = seen.working_ranks();
  if (run_.most_ranks() > 0) ranks = std::clamp(ranks, seen.bounds.least_ranks, seen.bounds.most_ranks);
  if (ranks == ranks_asked_ || !done([&] { run_.set_ranks(ranks); })) return {};
  ranks_asked_ = ranks;
  return "ranks: " + (before == ranks ? "at most " : std::to_string(before) + " to ") + std::to_string(ranks);
}

std::string adapting::bound_runs(const adaptation::window& seen, std::chrono::nanoseconds work) {
  if (!windows_.all()) return {};
  if (work.count() != 0)
    work = std::clamp(work, adaptation::shortest_run_length, adaptation::longest_run_length);
  if (work == seen.run_length || !done([&] { run_.set_run_length(work); })) return {};
  const auto words = [](std::chrono::nanoseconds of) {
    return as_fit(of.count(), observe::duration_text(static_cast<double>(of.count())));
  };
  return "runs of items: " + words(seen.run_length.value_or(std::chrono::nanoseconds(0))) + " to " +
         words(work);
}

std::string adapting::bound_messages(const adaptation::window& seen, std::size_t bytes) {
  if (!windows_.all()) return {};
  bytes = std::max<std::size_t>(bytes, 1);
  if (bytes == seen.message_bytes || !done([&] { run_.set_message_bytes(bytes); })) return {};
  return "messages: " + (seen.message_bytes ? observe::size_text(*seen.message_bytes) + " to " : "") +
         observe::size_text(bytes);
}

void engine::steer(std::optional<adapt> how) {
  if (planning == state_.get())
    throw error("adapt: the planner of the same run has called it, and would wait for itself");
  if (auto problems = adapting::problems(how, state_->observes()); !problems.empty())
    throw invalid_job(std::move(problems));
  const std::lock_guard hold(state_->steering);
  state_->adapts.reset();
  if (!how || !state_->decides() || state_->flags.done.load(std::memory_order_acquire)) return;
  state_->adapts = std::make_unique<adapting>(*this, std::move(how));
  state_->adapts->begin();
}

}  // namespace THALWEG_NAMESPACE::run_detail
