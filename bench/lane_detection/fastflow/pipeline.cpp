#include <memory>

#include <ff/ff.hpp>
#include <lane_detection.hpp>

struct source : ff::ff_node_t<spb::Item> {
  spb::Item* svc(spb::Item*) override {
    auto item = std::make_unique<spb::Item>();
    return spb::Source::op(*item) ? item.release() : EOS;
  }
};

struct sink : ff::ff_node_t<spb::Item> {
  spb::Item* svc(spb::Item* item) override {
    const std::unique_ptr<spb::Item> owner(item);
    spb::Sink::op(*item);
    return GO_ON;
  }
};

template <class Operator> struct stage : ff::ff_node_t<spb::Item> {
  spb::Item* svc(spb::Item* item) override {
    Operator::op(*item);
    return item;
  }
};

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  ff::ff_Pipe<> pipe(std::make_unique<source>(), std::make_unique<stage<spb::Segment>>(),
                     std::make_unique<stage<spb::Canny1>>(), std::make_unique<stage<spb::HoughT>>(),
                     std::make_unique<stage<spb::HoughP>>(), std::make_unique<stage<spb::Bitwise>>(),
                     std::make_unique<stage<spb::Canny2>>(), std::make_unique<stage<spb::Overlap>>(),
                     std::make_unique<sink>());
  pipe.setXNodeInputQueueLength(1, true);
  pipe.setXNodeOutputQueueLength(1, true);
  pipe.blocking_mode(true);
  pipe.no_mapping();
  if (pipe.run_and_wait_end() < 0) ff::error("running the pipeline\n");
  spb::Metrics::stop();
  spb::end_bench();
}
