#include <cstddef>
#include <cstdint>
#include <optional>

#include <fraud_detection.hpp>
#include <windflow.hpp>

#include "bench/support/user_number.hpp"

struct transactions {
  void operator()(wf::Source_Shipper<spb::Item>& shipper) {
    std::uint64_t count = 0;
    while (true) {
      spb::Item item;
      if (!spb::Source::op(item)) break;
      shipper.push(std::move(item));
      ++count;
    }
    spb::Metrics::my_items_counter.fetch_add(count);
  }
};

struct predict_fraud {
  Markov_Model_Predictor predictor;
  bool operator()(spb::Item& item) {
    spb::Predictor::op(item, predictor);
    return static_cast<bool>(item);
  }
};

struct report {
  void operator()(std::optional<spb::Item>& alarm) {
    if (alarm) spb::Sink::op(*alarm);
  }
};

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  const int sources = user_number(0, 1, "how many replicas the source has");
  const int sinks = user_number(1, 1, "how many replicas the sink has");
  spb::Source::setReplicas(sources);
  spb::Metrics::init();
  constexpr std::size_t batch = 256;
  wf::PipeGraph topology("FraudDetection", wf::Execution_Mode_t::DEFAULT, wf::Time_Policy_t::INGRESS_TIME);
  auto source = wf::Source_Builder(transactions{})
                    .withParallelism(static_cast<std::size_t>(sources))
                    .withName("source")
                    .withOutputBatchSize(batch)
                    .build();
  auto predictor = wf::Filter_Builder(predict_fraud{})
                       .withParallelism(static_cast<std::size_t>(spb::nthreads))
                       .withName("predictor")
                       .withKeyBy([](const spb::Item& item) { return item.key; })
                       .build();
  auto sink =
      wf::Sink_Builder(report{}).withParallelism(static_cast<std::size_t>(sinks)).withName("sink").build();
  topology.add_source(source).add(predictor).add_sink(sink);
  topology.run();
  spb::Metrics::stop();
  spb::end_bench();
}
