// FastFlow: a pipeline of nodes and ordered farms. Its threads spin and are bound to cores unless told
// otherwise.
#include <type_traits>
#include <utility>

#include "fastflow_nodes.hpp"
#include "peer_of.hpp"
#include "registry.hpp"

namespace micro {
namespace {

struct fast_flow {
  static constexpr auto name = "FastFlow";

  struct setting : common_setting {
    int workers = 0;  // 0: as many as cores
    bool heap = true;
    bool blocking = false;
    bool bound_to_cores = true;
    int on_demand = 0;  // items that may wait in front of a worker; 0: the workers take turns
    int queue = 0;      // how many items a queue holds; 0: it grows
  };

  static std::vector<setting> settings() {
    std::vector<setting> result{{{"workers = cores", true}}};
    for (const int workers : {1, 2, 4}) {
      const auto n = std::to_string(workers) + (workers == 1 ? " worker" : " workers");
      result.push_back({{n + ", unbound"}, workers, false, false, false});
      result.push_back({{n + ", unbound, blocking"}, workers, false, true, false});
    }
    for (const int workers : {2, 4}) {
      const auto n = std::to_string(workers) + " workers, unbound, on demand";
      result.push_back({{n}, workers, false, false, false, 1});
      result.push_back({{n + ", 16 ahead"}, workers, false, false, false, 16});
    }
    // Where threads that spin outnumber the cores, a short queue costs a time slice each time it is full.
    result.push_back({{"2 workers, unbound, queues of 512"}, 2, false, false, false, 0, 512});
    for (const int length : {64, 512}) {
      const auto queues = "queues of " + std::to_string(length);
      result.push_back({{"2 workers, unbound, blocking, " + queues}, 2, false, true, false, 0, length});
    }
    const std::string chunks = "2 workers, unbound, chunk 256";
    result.push_back({{chunks, false, 256}, 2, true, false, false});
    result.push_back({{chunks + ", queues of 64", false, 256}, 2, true, false, false, 0, 64});
    result.push_back({{"2 workers, unbound, blocking, chunk 256", false, 256}, 2, true, true, false});
    return result;
  }

  template <class Passing, class Work>
  static std::unique_ptr<ff::ff_farm> ordered_farm(const setting& s, Work& work) {
    std::vector<ff::ff_node*> workers;
    for (int i = 0; i < (s.workers == 0 ? cores() : s.workers); ++i) {
      workers.push_back(new work_node<Passing, Work>(work));  // the farm owns them: cleanup_workers
    }
    auto farm = std::make_unique<ff::ff_farm>(workers);
    farm->cleanup_workers();
    farm->add_collector(nullptr);
    // On demand, FastFlow numbers items in a ring and trusts it never to overflow: this holds what a run has
    // in flight.
    farm->set_ordered(1 << 18);
    if (s.on_demand != 0) farm->set_scheduling_ondemand(s.on_demand);
    if (s.queue != 0) {
      farm->setInputQueueLength(s.queue, true);
      farm->setOutputQueueLength(s.queue, true);
    }
    return farm;
  }

  static void run(const setting& s, ff::ff_pipeline& pipeline) {
    if (s.queue != 0) {
      pipeline.setXNodeInputQueueLength(s.queue, true);
      pipeline.setXNodeOutputQueueLength(s.queue, true);
    }
    pipeline.blocking_mode(s.blocking);
    if (!s.bound_to_cores) pipeline.no_mapping();
    if (pipeline.run_and_wait_end() < 0) throw std::runtime_error("FastFlow could not run its pipeline");
  }

  template <class Source, class Work, class Sink>
  static void farm(const setting& s, Source& source, const Work& work, Sink& sink) {
    passing<item_of<Source>>(s.heap, [&](auto how) {
      using way = decltype(how);
      source_node<way, Source> first(source);
      const auto farm = ordered_farm<way>(s, work);
      sink_node<way, Sink> last(sink);
      ff::ff_pipeline pipeline;
      pipeline.add_stage(&first);
      pipeline.add_stage(farm.get());
      pipeline.add_stage(&last);
      run(s, pipeline);
    });
  }

  template <class Source, class First, class Middle, class Second, class Sink>
  static void sandwich(const setting& s, Source& source, const First& first, Middle& middle,
                       const Second& second, Sink& sink) {
    passing<item_of<Source>>(s.heap, [&](auto how) {
      using way = decltype(how);
      source_node<way, Source> reader(source);
      const auto first_farm = ordered_farm<way>(s, first);
      work_node<way, Middle> serial(middle);
      const auto second_farm = ordered_farm<way>(s, second);
      sink_node<way, Sink> last(sink);
      ff::ff_pipeline pipeline;
      pipeline.add_stage(&reader);
      pipeline.add_stage(first_farm.get());
      pipeline.add_stage(&serial);
      pipeline.add_stage(second_farm.get());
      pipeline.add_stage(&last);
      run(s, pipeline);
    });
  }
};

}  // namespace

std::unique_ptr<peer> make_fastflow() {
  return std::make_unique<peer_of<fast_flow>>();
}

}  // namespace micro
