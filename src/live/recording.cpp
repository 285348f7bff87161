#include "recording.hpp"

#include <thalweg/model/errors.hpp>
#include <thalweg/run/run.hpp>

#include <algorithm>
#include <exception>
#include <utility>

#include <nlohmann/json.hpp>

#include "quiet_thread.hpp"

namespace THALWEG_NAMESPACE::live {

namespace {

using namespace std::chrono_literals;

constexpr double most_seconds = 60;
// Of each thread: 3 MB in the program, some 10 MB as text.
constexpr std::size_t most_events = std::size_t{1} << 16U;
// What is seen of one that goes on, and how many events of each thread at most.
constexpr auto last_moments = 1s;
constexpr std::size_t last_events = 1000;
// How soon it is seen that a run is done: nothing tells.
constexpr auto between_looks = 50ms;

// 0: it says none that are allowed.
double seconds_in(std::string_view body) {
  const auto said = nlohmann::json::parse(body, nullptr, false);
  const auto seconds = said.is_object() ? said.value("seconds", nlohmann::json()) : nlohmann::json();
  const double n = seconds.is_number() ? seconds.get<double>() : 0;
  return n > 0 && n <= most_seconds ? n : 0;
}

}  // namespace

recording::~recording() {
  {
    const std::lock_guard hold(mutex_);
    closed_ = true;
  }
  closing_.notify_all();
  if (thread_.joinable()) thread_.join();
}

outcome recording::begin(std::string_view body) {
  const double seconds = seconds_in(body);
  if (seconds == 0) return {400, R"(write {"seconds": 5}, with a number above 0, and 60 at most)"};
  const std::lock_guard one(beginning_);
  {
    const std::lock_guard hold(mutex_);
    if (goes_on_) return {409, "a recording goes on already"};
  }
  const auto run = runs_.watched();
  if (!run || run->done()) return {409, "no run goes on"};
  if (thread_.joinable()) thread_.join();  // that of the last one, which is over
  try {
    run->control()->start_trace(most_events);
  } catch (const error& e) {
    return {409, e.what()};
  }
  const std::lock_guard hold(mutex_);
  run_ = run;
  trace_ = nullptr;
  error_.clear();
  until_ = clock::now() + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(seconds));
  goes_on_ = true;
  thread_ = quiet_thread([this, run] { end_in_time(run); });
  return {202};
}

void recording::end_in_time(const std::shared_ptr<subject>& run) {
  std::unique_lock hold(mutex_);
  while (!closed_ && clock::now() < until_ && !run->done())
    closing_.wait_until(hold, std::min(until_, clock::now() + between_looks));
  hold.unlock();
  std::shared_ptr<const std::string> trace;
  std::string wrong;
  try {
    trace = std::make_shared<const std::string>(run->control()->stop_trace());
  } catch (const std::exception& e) {  // the program itself has ended it, or there is no memory
    wrong = std::string("the recording has failed: ") + e.what();
  }
  hold.lock();
  trace_ = std::move(trace);
  error_ = std::move(wrong);
  goes_on_ = false;
}

recording::answer recording::now() const {
  std::shared_ptr<subject> run;
  std::chrono::nanoseconds left{0};
  {
    const std::lock_guard hold(mutex_);
    if (!error_.empty()) return {409, nullptr, error_};
    if (trace_) return {200, trace_};
    if (!goes_on_) return {404, nullptr, "nothing was recorded yet"};
    run = run_;
    left = std::max<std::chrono::nanoseconds>(0ns, until_ - clock::now());
  }
  std::shared_ptr<const std::string> seen;
  try {
    seen = std::make_shared<const std::string>(run->control()->last_of_trace(last_moments, last_events));
  } catch (const error&) {  // it ends now, and is not there yet
    seen = std::make_shared<const std::string>(R"({"otherData":{},"traceEvents":[]})");
  }
  return {202, std::move(seen), {}, left};
}

}  // namespace THALWEG_NAMESPACE::live
