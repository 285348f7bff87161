#include <thalweg/model/errors.hpp>
#include <thalweg/observe/clock.hpp>
#include <thalweg/run/tracing.hpp>

#include <utility>

namespace THALWEG_NAMESPACE::run_detail {

namespace {

std::unique_ptr<observe::trace_recorder> recorder_for(const std::vector<std::string>& stages) {
  auto made = std::make_unique<observe::trace_recorder>(stages);
  made->name_threads("worker ");
  return made;
}

}  // namespace

tracing::tracing(std::vector<std::string> stages, bool whole_run)
    : whole_run_(whole_run), stages_(std::move(stages)) {
  if (!whole_run) return;
  recorder_ = recorder_for(stages_);
  on_.store(recorder_.get(), std::memory_order_release);
}

tracing::~tracing() = default;

observe::trace_recorder* tracing::of_whole_run() const noexcept {
  return whole_run_ ? on() : nullptr;
}

void tracing::start(std::size_t events_per_thread, const std::string& scope) {
  const std::lock_guard hold(mutex_);
  if (whole_run_) throw error("start_trace: all of this run is traced already, into the file of its .trace");
  if (on() != nullptr) throw error("start_trace: a trace is being recorded already: stop_trace() ends it");
  if (!recorder_) recorder_ = recorder_for(stages_);
  recorder_->note_scope(scope);
  recorder_->restart(observe::now_ns(), events_per_thread);
  on_.store(recorder_.get(), std::memory_order_release);
}

std::string tracing::so_far(const observe::trace_recorder::part& shown) const {
  const std::lock_guard hold(mutex_);
  if (whole_run_ || on() == nullptr) throw error("no trace is being recorded");
  return recorder_->to_json(shown);
}

std::string tracing::stop(std::int64_t now_ns) {
  const std::lock_guard hold(mutex_);
  if (whole_run_) throw error("stop_trace: all of this run is traced, into the file of its .trace");
  if (on() == nullptr) throw error("stop_trace: no trace is being recorded: start_trace() begins one");
  on_.store(nullptr, std::memory_order_release);
  return recorder_->to_json({.now_ns = now_ns});
}

}  // namespace THALWEG_NAMESPACE::run_detail
