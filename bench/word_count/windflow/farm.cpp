#include <cstddef>
#include <optional>
#include <utility>

#include <windflow.hpp>
#include <word_count.hpp>

#include "bench/support/words_by_part.hpp"

struct passages {
  void operator()(wf::Source_Shipper<spb::Item>& shipper) {
    for (spb::Item item; spb::Source::op(item);) shipper.push(std::move(item));
  }
};

struct split {
  void operator()(const spb::Item& item, wf::Shipper<spb::Item>& shipper) {
    auto own = item;
    for (auto& part : words_by_part(own, static_cast<std::size_t>(spb::nthreads)))
      shipper.push(std::move(part));
  }
};

struct count {
  spb::Counts counts;
  void operator()(std::optional<spb::Item>& item) {
    if (item)
      spb::Count::op(*item, counts);
    else
      spb::Sink::op(counts);
  }
};

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto replicas = static_cast<std::size_t>(spb::nthreads);
  wf::PipeGraph topology("WordCount", wf::Execution_Mode_t::DEFAULT, wf::Time_Policy_t::INGRESS_TIME);
  auto source = wf::Source_Builder(passages{}).withName("source").build();
  auto splitter = wf::FlatMap_Builder(split{}).withParallelism(replicas).withName("split").build();
  auto counter = wf::Sink_Builder(count{})
                     .withParallelism(replicas)
                     .withName("count")
                     .withKeyBy([](const spb::Item& item) { return item.key; })
                     .build();
  topology.add_source(source).add(splitter).add_sink(counter);
  topology.run();
  spb::Metrics::stop();
  spb::end_bench();
}
