#include "lost_time.hpp"

#include <thalweg/observe/clock.hpp>

#include <algorithm>

#include <sys/resource.h>

namespace THALWEG_NAMESPACE::run_detail::dataflow {

namespace {

// A shorter time is not worth the system calls, which take some hundred nanoseconds each.
constexpr std::int64_t worth_asking_ns = 10'000;

}  // namespace

void lost_time::begin() noexcept {
  rusage used{};
  (void)getrusage(RUSAGE_THREAD, &used);
  preemptions_ = used.ru_nivcsw;
  waits_ = used.ru_nvcsw;
  cpu_ns_ = observe::thread_cpu_ns();
  since_ns_ = observe::now_ns();
}

std::int64_t lost_time::within(std::int64_t ns) noexcept {
  if (ns < worth_asking_ns) return 0;
  const auto before = *this;
  begin();
  if (preemptions_ == before.preemptions_ || waits_ != before.waits_) return 0;
  const auto lost = since_ns_ - before.since_ns_ - (cpu_ns_ - before.cpu_ns_);
  return std::clamp<std::int64_t>(lost, 0, ns);
}

}  // namespace THALWEG_NAMESPACE::run_detail::dataflow
