// OpenMP tasks. OpenMP has no pipeline; one thread reads the source and makes, for each item, a task that
// works and a task that hands the result to the sink, ordered by dependences through a window of slots.
#include <utility>

#include <omp.h>

#include "peer_of.hpp"
#include "registry.hpp"

namespace micro {
namespace {

struct openmp {
  static constexpr auto name = "OpenMP tasks";

  struct setting : common_setting {
    std::size_t window = 64;
  };

  static std::vector<setting> settings() {
    return {
        {{"window 64", true}, 64},
        {{"window 16"}, 16},
        {{"window 256"}, 256},
        {{"window 64, chunk 16", false, 16}, 64},
        {{"window 64, chunk 256", false, 256}, 64},
    };
  }

  template <class Source, class Work, class Sink>
  static void farm(const setting& s, Source& source, const Work& work, Sink& sink) {
    std::vector<item_of<Source>> slots(s.window);
    auto* const slot = slots.data();
    [[maybe_unused]] char sink_turn = 0;  // a name for the order of the sink's tasks
#pragma omp parallel num_threads(cores())
#pragma omp single
    {
      std::size_t i = 0;
      while (auto next = source()) {
        item_of<Source> item = *std::move(next);
#pragma omp task firstprivate(item, i) depend(out : slot[i]) shared(work)
        slot[i] = work(std::move(item));
#pragma omp task firstprivate(i) depend(inout : slot[i]) depend(inout : sink_turn) shared(sink)
        sink(std::move(slot[i]));
        i = (i + 1) % s.window;
      }
    }
  }

  template <class Source, class First, class Middle, class Second, class Sink>
  static void sandwich(const setting& s, Source& source, const First& first, Middle& middle,
                       const Second& second, Sink& sink) {
    std::vector<item_of<Source>> slots(s.window);
    auto* const slot = slots.data();
    [[maybe_unused]] char middle_turn = 0;
    [[maybe_unused]] char sink_turn = 0;
#pragma omp parallel num_threads(cores())
#pragma omp single
    {
      std::size_t i = 0;
      while (auto next = source()) {
        item_of<Source> item = *std::move(next);
#pragma omp task firstprivate(item, i) depend(out : slot[i]) shared(first)
        slot[i] = first(std::move(item));
#pragma omp task firstprivate(i) depend(inout : slot[i]) depend(inout : middle_turn) shared(middle)
        slot[i] = middle(std::move(slot[i]));
#pragma omp task firstprivate(i) depend(inout : slot[i]) shared(second)
        slot[i] = second(std::move(slot[i]));
#pragma omp task firstprivate(i) depend(inout : slot[i]) depend(inout : sink_turn) shared(sink)
        sink(std::move(slot[i]));
        i = (i + 1) % s.window;
      }
    }
  }
};

}  // namespace

std::unique_ptr<peer> make_openmp() {
  return std::make_unique<peer_of<openmp>>();
}

}  // namespace micro
