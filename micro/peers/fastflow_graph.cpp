// FastFlow: branches are a farm's workers, other shapes are two sets of nodes with all connections between
// them (ff_a2a). Its threads spin and are bound to cores unless told otherwise.
#include <deque>
#include <stdexcept>
#include <string>

#include "fastflow_nodes.hpp"
#include "graph_peer.hpp"
#include "registry.hpp"

namespace micro {
namespace {

/// A source that sends each item to both nodes behind it.
template <class Passing, class Source> class tee_node final : public ff::ff_monode {
 public:
  explicit tee_node(Source& source) : source_(source) {}
  void* svc(void*) override {
    auto item = source_();
    if (!item) return EOS;
    ff_send_out_to(Passing::wrap(*item), 0);
    ff_send_out_to(Passing::wrap(*std::move(item)), 1);
    return GO_ON;
  }

 private:
  Source& source_;
};

template <class Passing, class Item, class Join> class join_node final : public ff::ff_minode {
 public:
  explicit join_node(Join join) : join_(join) {}
  void* svc(void* item) override {
    const auto from = static_cast<std::size_t>(get_channel_id());
    waiting_[from].push_back(Passing::unwrap(static_cast<typename Passing::node*>(item)));
    if (waiting_[0].empty() || waiting_[1].empty()) return GO_ON;
    auto both = join_(std::move(waiting_[0].front()), std::move(waiting_[1].front()));
    waiting_[0].pop_front();
    waiting_[1].pop_front();
    return Passing::wrap(std::move(both));
  }

 private:
  Join join_;
  std::deque<Item> waiting_[2];
};

/// A source that sends events by their keys, `chunk` at once.
template <class Source> class router_node final : public ff::ff_monode {
 public:
  router_node(Source& source, std::size_t ways, std::size_t chunk)
      : source_(source), chunk_(chunk), waiting_(ways) {}
  void* svc(void*) override {
    const auto e = source_();
    if (!e) {
      for (std::size_t way = 0; way < waiting_.size(); ++way) send(way);
      return EOS;
    }
    const auto way = scattered(e->key) % waiting_.size();
    if (chunk_ == 1) {
      ff_send_out_to(new event(*e), static_cast<int>(way));
      return GO_ON;
    }
    auto& chunk = waiting_[way];
    if (!chunk) {
      chunk = std::make_unique<std::vector<event>>();
      chunk->reserve(chunk_);
    }
    chunk->push_back(*e);
    if (chunk->size() == chunk_) send(way);
    return GO_ON;
  }

 private:
  void send(std::size_t way) {
    if (waiting_[way]) ff_send_out_to(waiting_[way].release(), static_cast<int>(way));
  }

  Source& source_;
  std::size_t chunk_;
  std::vector<std::unique_ptr<std::vector<event>>> waiting_;
};

/// Keeps the accounts of its share of the keys; what is kept of a key travels in the pointer.
class keeper_node final : public ff::ff_node {
 public:
  explicit keeper_node(bool chunks) : chunks_(chunks) {}
  void* svc(void* item) override {
    if (!chunks_) {
      const std::unique_ptr<event> e(static_cast<event*>(item));
      return in_pointer::wrap(accounts_[e->key](e->value));
    }
    auto* const chunk = static_cast<std::vector<event>*>(item);
    for (auto& e : *chunk) e.value = accounts_[e.key](e.value);
    return chunk;
  }

 private:
  bool chunks_;
  open_table<account> accounts_;
};

template <class Sink> class gather_node final : public ff::ff_minode {
 public:
  gather_node(Sink& sink, bool chunks) : sink_(sink), chunks_(chunks) {}
  void* svc(void* item) override {
    if (chunks_) {
      const std::unique_ptr<std::vector<event>> chunk(static_cast<std::vector<event>*>(item));
      for (const auto& e : *chunk) sink_(e.value);
    } else {
      sink_(in_pointer::unwrap(item));
    }
    return GO_ON;
  }

 private:
  Sink& sink_;
  bool chunks_;
};

struct fast_flow_shapes {
  static constexpr auto name = "FastFlow";

  struct setting : common_setting {
    bool heap = true;
    bool blocking = false;
    bool bound_to_cores = true;
    int workers = 0;  // that share the keys; 0: as many as cores
    int queue = 0;    // how many items a queue holds; 0: it grows
  };

  static std::vector<setting> shapes() {
    return {
        {{"on the heap", true}},
        {{"unbound"}, false, false, false},
        {{"unbound, blocking"}, false, true, false},
        {{"unbound, blocking, queues of 512"}, false, true, false, 0, 512},
        {{"unbound, chunk 256", false, 256}, true, false, false},
        {{"unbound, blocking, chunk 256", false, 256}, true, true, false},
        {{"unbound, blocking, chunk 256, queues of 64", false, 256}, true, true, false, 0, 64},
    };
  }
  static std::vector<setting> settings(const fan_program&) { return shapes(); }
  static std::vector<setting> settings(const ordered_fan_program&) { return shapes(); }
  static std::vector<setting> settings(const diamond_program&) { return shapes(); }
  static std::vector<setting> settings(const keyed_program&) {
    std::vector<setting> result{{{"workers = cores", true}}};
    for (const int workers : {1, 2, 4}) {
      const auto n = std::to_string(workers) + (workers == 1 ? " worker" : " workers");
      result.push_back({{n + ", unbound, blocking"}, true, true, false, workers});
      result.push_back({{n + ", unbound, chunk 256", false, 256}, true, false, false, workers});
      result.push_back({{n + ", unbound, blocking, chunk 256", false, 256}, true, true, false, workers});
    }
    return result;
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

  template <bool Ordered, class Source, class Work, class Sink>
  static void fan(const setting& s, Source& source, const Work& work, Sink& sink) {
    passing<item_of<Source>>(s.heap, [&](auto how) {
      using way = decltype(how);
      source_node<way, Source> first(source);
      std::vector<ff::ff_node*> workers;
      for (int i = 0; i < branches; ++i) {
        workers.push_back(new work_node<way, const Work>(work));  // the farm owns them: cleanup_workers
      }
      ff::ff_farm farm(workers);
      farm.cleanup_workers();
      farm.add_collector(nullptr);
      if constexpr (Ordered) farm.set_ordered(1 << 18);  // must hold what a run has in flight
      if (s.queue != 0) {
        farm.setInputQueueLength(s.queue, true);
        farm.setOutputQueueLength(s.queue, true);
      }
      sink_node<way, Sink> last(sink);
      ff::ff_pipeline pipeline;
      pipeline.add_stage(&first);
      pipeline.add_stage(&farm);
      pipeline.add_stage(&last);
      run(s, pipeline);
    });
  }

  template <class Source, class Left, class Right, class Join, class Sink>
  static void diamond(const setting& s, Source& source, const Left& left, const Right& right, Join join,
                      Sink& sink) {
    passing<item_of<Source>>(s.heap, [&](auto how) {
      using way = decltype(how);
      tee_node<way, Source> first(source);
      work_node<way, const Left> left_node(left);
      work_node<way, const Right> right_node(right);
      ff::ff_a2a ways;
      ways.add_firstset<ff::ff_node>({&first});
      ways.add_secondset<ff::ff_node>({&left_node, &right_node});
      join_node<way, item_of<Source>, Join> both(join);
      sink_node<way, Sink> last(sink);
      ff::ff_pipeline pipeline;
      pipeline.add_stage(&ways);
      pipeline.add_stage(&both);
      pipeline.add_stage(&last);
      run(s, pipeline);
    });
  }

  template <class Source, class Sink> static void keyed(const setting& s, Source& source, Sink& sink) {
    const bool chunks = s.chunk != 1;
    const auto count = static_cast<std::size_t>(s.workers == 0 ? cores() : s.workers);
    router_node<Source> first(source, count, s.chunk);
    std::vector<std::unique_ptr<keeper_node>> keepers;
    std::vector<ff::ff_node*> second;
    for (std::size_t i = 0; i < count; ++i) {
      keepers.push_back(std::make_unique<keeper_node>(chunks));
      second.push_back(keepers.back().get());
    }
    ff::ff_a2a ways;
    ways.add_firstset<ff::ff_node>({&first});
    ways.add_secondset<ff::ff_node>(second);
    gather_node<Sink> last(sink, chunks);
    ff::ff_pipeline pipeline;
    pipeline.add_stage(&ways);
    pipeline.add_stage(&last);
    run(s, pipeline);
  }
};

}  // namespace

std::unique_ptr<graph_peer> make_fastflow_graphs() {
  return std::make_unique<graph_peer_of<fast_flow_shapes>>();
}

}  // namespace micro
