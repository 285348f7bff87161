#include "run_sampler.hpp"

#include <thalweg/run/engine.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <exception>
#include <system_error>
#include <utility>

namespace THALWEG_NAMESPACE::run_detail {

namespace {

constexpr std::chrono::milliseconds least_between{1};
constexpr std::chrono::nanoseconds most_between = std::chrono::hours(24 * 365);  // can be added to any time

// A reader of ours that goes away is no reason to end the program: the call fails instead.
void ignore_broken_pipes() {
  sigset_t pipes;
  sigemptyset(&pipes);
  sigaddset(&pipes, SIGPIPE);
  (void)pthread_sigmask(SIG_BLOCK, &pipes, nullptr);
}

}  // namespace

run_sampler::run_sampler(run_state& run) : run_(run) {
  if (!run.options.monitor.empty()) file_.emplace(run.options.monitor);
  if (run.options.progress) line_.emplace();
  facts_.title = program_invocation_short_name;
  facts_.every = run.options.every;
}

run_sampler::~run_sampler() {
  end();
}

bool run_sampler::asked_for(const run_options& options) {
  return options.progress || !options.monitor.empty();
}

std::vector<std::string> run_sampler::problems(const run_options& options) {
  std::vector<std::string> all;
  if (!asked_for(options)) return all;
  if (options.every < least_between)
    all.push_back("run_options.every must be at least 1 ms, not " + std::to_string(options.every.count()) +
                  " ns");
  if (!options.observe)
    all.emplace_back(
        "run_options: without .observe nothing is counted that .progress or .monitor could show");
  if (!options.monitor.empty() && options.monitor == options.trace)
    all.push_back("run_options: .trace and .monitor both name '" + options.monitor + "'");
  return all;
}

void run_sampler::begin() {
  try {
    thread_ = std::thread([this] { live(); });
  } catch (const std::system_error&) {
    run_.statistics.note("the system has no thread left for .progress and .monitor: the run goes on without");
  }
}

void run_sampler::end() {
  const std::lock_guard hold(ending_);
  if (thread_.joinable()) thread_.join();
}

void run_sampler::live() {
  ignore_broken_pipes();
  try {
    using clock = std::chrono::steady_clock;
    const auto every = std::min(run_.options.every, most_between);
    auto next = clock::now() + every;
    while (!run_.flags.wait_done(next - clock::now())) {
      run_.look_around();
      auto now = run_.make_report(false);
      if (run_.flags.done.load(std::memory_order_acquire)) break;  // it may be of the end
      take(std::move(now));
      next = std::max(next + every, clock::now());
    }
    take(run_.make_report(true));
    // The next run may have the same one.
    file_.reset();
  } catch (const std::exception& e) {  // no memory
    run_.statistics.note(std::string(".progress and .monitor have ended: ") + e.what());
  }
}

void run_sampler::take(report now) {
  const auto window = before_ ? now.since(*before_) : now;
  if (line_) now.final() ? line_->end(now) : line_->show(now, window);
  if (file_) {
    if (!before_) facts_.began_unix_ms = observe::unix_ms_before(now.elapsed());
    auto graph = observe::graph_json(now, facts_);
    const bool same = graph == graph_;
    if (auto why = file_->add(sample_line(now, window, same ? std::string() : graph)); !why.empty())
      run_.statistics.note(".monitor: " + std::move(why));
    graph_ = std::move(graph);
  }
  before_ = std::move(now);
}

}  // namespace THALWEG_NAMESPACE::run_detail
