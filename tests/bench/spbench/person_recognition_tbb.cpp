// The pipeline of the TBB before oneTBB: filters are objects that hand over pointers.
#include <person_recognition.hpp>
#include <tbb/pipeline.h>
#include <tbb/task_scheduler_init.h>

class reader : public tbb::filter {
 public:
  reader() : tbb::filter(tbb::filter::serial_in_order) {}
  void* operator()(void*) {
    spb::Item* item = new spb::Item();
    if (spb::Source::op(*item)) return item;
    delete item;
    return NULL;
  }
};

class recogniser : public tbb::filter {
 public:
  recogniser() : tbb::filter(tbb::filter::parallel) {}
  void* operator()(void* given) {
    spb::Item* item = static_cast<spb::Item*>(given);
    spb::Detect::op(*item);
    spb::Recognize::op(*item);
    return item;
  }
};

class writer : public tbb::filter {
 public:
  writer() : tbb::filter(tbb::filter::serial_in_order) {}
  void* operator()(void* given) {
    spb::Item* item = static_cast<spb::Item*>(given);
    spb::Sink::op(*item);
    delete item;
    return NULL;
  }
};

int main(int argc, char* argv[]) {
  cv::setNumThreads(0);
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  tbb::task_scheduler_init threads(spb::nthreads);
  reader first;
  recogniser second;
  writer third;
  tbb::pipeline stages;
  stages.add_filter(first);
  stages.add_filter(second);
  stages.add_filter(third);
  stages.run(spb::nthreads * 10);
  spb::Metrics::stop();
  spb::end_bench();
  return 0;
}
