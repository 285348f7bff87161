// oneTBB: parallel_pipeline. Its users must choose the number of tokens; twice the threads is what its guides
// start from.
#include <utility>

#include <oneapi/tbb/parallel_pipeline.h>

#include "peer_of.hpp"
#include "registry.hpp"

namespace micro {
namespace {

namespace tbb = oneapi::tbb;

struct one_tbb {
  static constexpr auto name = "oneTBB";

  struct setting : common_setting {
    int tokens_per_core = 2;
  };

  static std::vector<setting> settings() {
    return {
        {{"2 tokens per core", true}, 2},
        {{"1 token per core"}, 1},
        {{"4 tokens per core"}, 4},
        {{"8 tokens per core"}, 8},
        {{"16 tokens per core"}, 16},
        {{"4 tokens per core, chunk 16", false, 16}, 4},
        {{"4 tokens per core, chunk 256", false, 256}, 4},
    };
  }

  static std::size_t tokens(const setting& s) {
    return static_cast<std::size_t>(s.tokens_per_core * cores());
  }

  template <class Source> static auto source_filter(Source& source) {
    using item = item_of<Source>;
    return tbb::make_filter<void, item>(tbb::filter_mode::serial_in_order,
                                        [&](tbb::flow_control& control) -> item {
                                          auto next = source();
                                          if (next) return *std::move(next);
                                          control.stop();
                                          return item{};
                                        });
  }

  template <class Item, class Work> static auto stage(tbb::filter_mode mode, Work& work) {
    return tbb::make_filter<Item, Item>(mode, [&](Item item) { return work(std::move(item)); });
  }

  template <class Item, class Sink> static auto sink_filter(Sink& sink) {
    return tbb::make_filter<Item, void>(tbb::filter_mode::serial_in_order,
                                        [&](Item item) { sink(std::move(item)); });
  }

  template <class Source, class Work, class Sink>
  static void farm(const setting& s, Source& source, const Work& work, Sink& sink) {
    using item = item_of<Source>;
    tbb::parallel_pipeline(tokens(s), source_filter(source) & stage<item>(tbb::filter_mode::parallel, work) &
                                          sink_filter<item>(sink));
  }

  template <class Source, class First, class Middle, class Second, class Sink>
  static void sandwich(const setting& s, Source& source, const First& first, Middle& middle,
                       const Second& second, Sink& sink) {
    using item = item_of<Source>;
    tbb::parallel_pipeline(tokens(s), source_filter(source) & stage<item>(tbb::filter_mode::parallel, first) &
                                          stage<item>(tbb::filter_mode::serial_in_order, middle) &
                                          stage<item>(tbb::filter_mode::parallel, second) &
                                          sink_filter<item>(sink));
  }
};

}  // namespace

std::unique_ptr<peer> make_tbb() {
  return std::make_unique<peer_of<one_tbb>>();
}

}  // namespace micro
