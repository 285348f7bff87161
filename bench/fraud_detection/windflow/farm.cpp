#include <cstdint>
#include <optional>
#include <string>

#include <fraud_detection.hpp>
#include <windflow.hpp>

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

// `-user-arg` twice: replicas of the source, and of the sink.
std::size_t replicas(int argument) {
  return spb::SPBench::getArgs() > argument ? std::stoul(spb::SPBench::getArg(argument)) : 1;
}

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  const auto sources = replicas(0);
  spb::Source::setReplicas(static_cast<int>(sources));
  spb::Metrics::init();
  constexpr std::size_t batch = 256;
  wf::PipeGraph topology("FraudDetection", wf::Execution_Mode_t::DEFAULT, wf::Time_Policy_t::INGRESS_TIME);
  auto source = wf::Source_Builder(transactions{})
                    .withParallelism(sources)
                    .withName("source")
                    .withOutputBatchSize(batch)
                    .build();
  auto predictor = wf::Filter_Builder(predict_fraud{})
                       .withParallelism(static_cast<std::size_t>(spb::nthreads))
                       .withName("predictor")
                       .withKeyBy([](const spb::Item& item) { return item.key; })
                       .build();
  auto sink = wf::Sink_Builder(report{}).withParallelism(replicas(1)).withName("sink").build();
  topology.add_source(source).add(predictor).add_sink(sink);
  topology.run();
  spb::Metrics::stop();
  spb::end_bench();
}
