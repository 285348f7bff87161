// One source that starts at once, and all that programs ask sources, items and the run.
#include <ferret.hpp>

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::enable_latency();
  spb::Source source(2, 0.1, 1, 0);
  long elements = 0, times = 0;
  int changes = 0;
  bool good = true;
  while (!source.depleted()) {
    spb::Item item = source.getItem();
    source.setQueueMaxSize(1 + changes++ % 3);
    spb::Segmentation::op(item);
    spb::Extract::op(item);
    spb::Vectorization::op(item);
    spb::Rank::op(item);
    spb::Sink::op(item);
    elements += item.batch_size;
    good = good && item.sourceId == source.getSourceId() && item.item_batch.size() == item.size();
    times += item.latency_op.size();
  }
  good = good && source.getBatchSize() == 2 && source.getBatchInterval() == 0.1 && source.getFrequency() == 0;
  good = good && spb::SPBench::getBatchSize() >= 0 && spb::SPBench::getExecPath() == argv[0];
  std::cerr << source.getSourceName() << ": " << elements << " elements, "
            << source.getAverageThroughput() + source.getInstantThroughput(1) << " a second, "
            << source.getAverageLatency() + source.getInstantLatency(1) << " ms, "
            << spb::Metrics::getCPUUsage() + spb::Metrics::getMemoryUsage() << std::endl;
  spb::end_bench();
  // Each operator told its time for each item of two elements, the last of which may be shorter.
  return good && times == 6 * ((elements + 1) / 2) ? 0 : 2;
}
