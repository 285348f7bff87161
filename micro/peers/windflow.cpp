// WindFlow: keyed state (Reduce) and sliding windows that are combined in a tree (Ffat_Windows). It is built
// on FastFlow: its threads spin and are bound to cores, which only macros for the whole program could change,
// and its queues grow.
#include <iostream>
#include <optional>
#include <string>

#include <windflow.hpp>

#include "graph_peer.hpp"
#include "registry.hpp"

namespace micro {
namespace {

/// WindFlow tells on standard output that it runs.
class silence {
 public:
  silence() { std::cout.setstate(std::ios::failbit); }
  ~silence() { std::cout.clear(); }
  silence(const silence&) = delete;
  silence& operator=(const silence&) = delete;
};

struct key_of {
  std::uint32_t operator()(const event& e) const { return e.key; }
};
struct key_of_reading {
  std::uint32_t operator()(const reading& r) const { return r.key; }
};

template <class Source> struct send_events {
  Source* source;
  void operator()(wf::Source_Shipper<event>& to) {
    while (auto e = (*source)()) to.push(*std::move(e));
  }
};

struct keep_account {
  void operator()(const event& e, account& kept) { kept(e.value); }
};

template <class Source> struct send_readings {
  Source* source;
  void operator()(wf::Source_Shipper<reading>& to) {
    while (auto r = (*source)()) {
      const auto time = static_cast<std::uint64_t>(r->time);
      to.pushWithTimestamp(*std::move(r), time);
      to.setNextWatermark(time);
    }
  }
};

struct window_sum {
  std::uint64_t window = 0;
  std::uint64_t sum = 0;
  std::uint32_t key = 0;

  window_sum() = default;
  window_sum(std::uint32_t k, std::uint64_t w) : window(w), key(k) {}
};

struct lift {
  void operator()(const reading& r, window_sum& to) { to.sum = r.value; }
};
struct combine {
  void operator()(const window_sum& one, const window_sum& other, window_sum& to) {
    to.sum = one.sum + other.sum;
  }
};

template <class Sink> struct take_accounts {
  Sink* sink;
  void operator()(std::optional<account>& a) {
    if (a) (*sink)(a->state);
  }
};
template <class Sink> struct take_sums {
  Sink* sink;
  void operator()(std::optional<window_sum>& w) {
    if (w) (*sink)(w->key, static_cast<std::int64_t>(w->window) * window_slide, w->sum);
  }
};

struct wind_flow {
  static constexpr auto name = "WindFlow";

  struct setting : common_setting {
    std::size_t replicas = 1;
    std::size_t batch = 0;  // items per message; 0: one, without the cost of a batch
  };

  static std::vector<setting> all() {
    return {
        {{"1 replica", true}},
        {{"1 replica, batch 32"}, 1, 32},
        {{"1 replica, batch 256"}, 1, 256},
        {{"2 replicas"}, 2},
        {{"2 replicas, batch 32"}, 2, 32},
        {{"2 replicas, batch 256"}, 2, 256},
        {{"4 replicas, batch 256"}, 4, 256},
    };
  }
  static std::vector<setting> settings(const keyed_program&) { return all(); }
  static std::vector<setting> settings(const windows_program& program) {
    auto result = all();
    std::erase_if(result, [&](const setting& s) { return s.replicas > program.keys; });
    return result;
  }

  template <class Source, class Sink> static void keyed(const setting& s, Source& source, Sink& sink) {
    const silence quiet;
    wf::PipeGraph graph("keyed", wf::Execution_Mode_t::DEFAULT, wf::Time_Policy_t::INGRESS_TIME);
    auto begin = wf::Source_Builder(send_events<Source>{&source}).withOutputBatchSize(s.batch).build();
    auto accounts = wf::Reduce_Builder(keep_account{})
                        .withKeyBy(key_of{})
                        .withParallelism(s.replicas)
                        .withOutputBatchSize(s.batch)
                        .build();
    auto end = wf::Sink_Builder(take_accounts<Sink>{&sink}).build();
    auto& line = graph.add_source(begin);
    line.add(accounts);
    put_end(s, line, end);
    graph.run();
  }

  template <class Source, class Sink>
  static void windows(const setting& s, std::uint32_t, Source& source, Sink& sink) {
    using std::chrono::microseconds;
    const silence quiet;
    wf::PipeGraph graph("windows", wf::Execution_Mode_t::DEFAULT, wf::Time_Policy_t::EVENT_TIME);
    auto begin = wf::Source_Builder(send_readings<Source>{&source}).withOutputBatchSize(s.batch).build();
    auto sums = wf::Ffat_Windows_Builder(lift{}, combine{})
                    .withKeyBy(key_of_reading{})
                    .withTBWindows(microseconds(window_size), microseconds(window_slide))
                    .withParallelism(s.replicas)
                    .withOutputBatchSize(s.batch)
                    .build();
    auto end = wf::Sink_Builder(take_sums<Sink>{&sink}).build();
    auto& line = graph.add_source(begin);
    line.add(sums);
    put_end(s, line, end);
    graph.run();
  }

 private:
  /// A sink needs no thread of its own behind one replica.
  template <class Line, class End> static void put_end(const setting& s, Line& line, End& end) {
    if (s.replicas == 1) {
      line.chain_sink(end);
    } else {
      line.add_sink(end);
    }
  }
};

}  // namespace

std::unique_ptr<graph_peer> make_windflow() {
  return std::make_unique<graph_peer_of<wind_flow>>();
}

}  // namespace micro
