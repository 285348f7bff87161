#include "spb/classic_tbb/run.hpp"

#include <atomic>
#include <optional>
#include <utility>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

namespace spb::classic_tbb {
namespace {

std::atomic<int> threads_of_pipelines{0};  // 0: as many as there are processors

tbb::filter_mode mode_of(turn when) {
  if (when == turn::any) return tbb::filter_mode::parallel;
  return when == turn::in_order ? tbb::filter_mode::serial_in_order : tbb::filter_mode::serial_out_of_order;
}

}  // namespace

void run(const std::vector<stage>& stages, std::size_t most_items) {
  if (stages.empty()) return;
  const auto& first = stages.front();
  if (stages.size() == 1) {
    while (first.work(first.of, nullptr) != nullptr) {
    }
    return;
  }
  auto chain = tbb::make_filter<void, void*>(mode_of(first.when), [&](tbb::flow_control& control) {
    auto* const item = first.work(first.of, nullptr);
    if (item == nullptr) control.stop();
    return item;
  });
  for (std::size_t i = 1; i + 1 < stages.size(); ++i)
    chain = chain & tbb::make_filter<void*, void*>(mode_of(stages[i].when), [one = stages[i]](void* item) {
              return one.work(one.of, item);
            });
  const auto last = stages.back();
  const auto end =
      tbb::make_filter<void*, void>(mode_of(last.when), [last](void* item) { last.work(last.of, item); });
  const int threads = threads_of_pipelines;
  tbb::task_arena arena(threads > 0 ? threads : tbb::info::default_concurrency());
  arena.execute([&] { tbb::parallel_pipeline(most_items, chain & end); });
}

struct thread_limit::state {
  explicit state(int threads)
      : limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)),
        before(threads_of_pipelines.exchange(threads)) {}
  tbb::global_control limit;
  int before;
};

thread_limit::thread_limit(int threads)
    : state_(std::make_unique<state>(threads > 0 ? threads : tbb::info::default_concurrency())) {}

thread_limit::~thread_limit() {
  threads_of_pipelines = state_->before;
}

}  // namespace spb::classic_tbb
