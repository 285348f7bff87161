#include <memory>
#include <utility>
#include <vector>

#include <bzip2.hpp>
#include <ff/ff.hpp>

template <class Source> struct emitter : ff::ff_node_t<spb::Item> {
  spb::Item* svc(spb::Item*) override {
    auto item = std::make_unique<spb::Item>();
    return Source::op(*item) ? item.release() : EOS;
  }
};

template <class Work> struct worker : ff::ff_node_t<spb::Item> {
  spb::Item* svc(spb::Item* item) override {
    Work::op(*item);
    return item;
  }
};

template <class Sink> struct collector : ff::ff_node_t<spb::Item> {
  spb::Item* svc(spb::Item* item) override {
    const std::unique_ptr<spb::Item> owner(item);
    Sink::op(*item);
    return GO_ON;
  }
};

template <class Source, class Work, class Sink> void run() {
  spb::Metrics::init();
  std::vector<std::unique_ptr<ff::ff_node>> workers;
  for (int i = 0; i < spb::nthreads; ++i) workers.push_back(std::make_unique<worker<Work>>());
  ff::ff_OFarm<spb::Item> farm(std::move(workers));
  emitter<Source> first;
  collector<Sink> last;
  farm.add_emitter(first);
  farm.add_collector(last);
  farm.set_scheduling_ondemand();
  if (farm.run_and_wait_end() < 0) ff::error("running the farm\n");
  spb::Metrics::stop();
}

void compress() {
  run<spb::Source, spb::Compress, spb::Sink>();
}
void decompress() {
  run<spb::Source_d, spb::Decompress, spb::Sink_d>();
}

int main(int argc, char* argv[]) {
  spb::bzip2_main(argc, argv);
}
