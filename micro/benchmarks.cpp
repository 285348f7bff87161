#include <cstdio>
#include <stdexcept>

#include "session.hpp"

namespace micro {

const std::vector<benchmark>& benchmarks() {
  static const std::vector<benchmark> all = {
      {"grain", "source | farm | sink at 4 ns to 9.8 µs of work per item", run_grain},
      {"uneven", "work that differs by 1000 times from item to item, order kept", run_uneven},
      {"phases", "items that become expensive while the stream runs", run_phases},
      {"middle", "a serial stage between two farms against one farm", run_middle},
      {"replicas", "two and four times as many replicas as cores", run_replicas},
      {"fused", "a chain of eight maps against the hand-written loop", run_fused},
      {"nesting", "the same maps in pipelines nested ever deeper", run_nesting},
      {"startup", "1000 stages, or 256 replicas: start and stop", run_startup},
      {"memory", "peak memory over many items, and with a slow sink", run_memory},
      {"latency", "latency under an open-loop load, from due time to sink", run_latency},
      {"idle", "processor time at 100 items per second", run_idle},
      {"rate", "how exactly a paced source keeps its rate", run_rate},
      {"observe", "the same job with its stages counted and timed, and without", run_observe},
      {"stall", "age of items when the source stalls", run_stall},
      {"fan", "eight branches with a map each, merged as they come", run_fan},
      {"ordered", "eight branches with a map each, their order restored", run_ordered},
      {"diamond", "two ways with a map each, joined pair by pair", run_diamond},
      {"keyed", "state for each of 100 000 keys, Zipf", run_keyed},
      {"windows", "sums of sliding windows in event time", run_windows},
      {"graph_start", "a random graph of 1000 stages: first item, and all", run_graph_start},
      {"composite", "the same line with and without composites and optional ports", run_composite},
      {"resize", "farms are resized while 100 000 items per second flow", run_resize},
      {"spar", "a loop with SPar's attributes against the same stream written by hand", run_spar},
      {"pipes", "one producer, one consumer: time per item", run_pipes},
  };
  return all;
}

contender default_of(std::vector<contender> settings) {
  for (auto& setting : settings) {
    if (setting.is_default) return std::move(setting);
  }
  throw std::logic_error("a peer without a default setting");
}

std::string name_of_grain(double nanoseconds) {
  char name[32];
  if (nanoseconds < 1'000) {
    std::snprintf(name, sizeof name, "%.0f ns", nanoseconds);
  } else {
    std::snprintf(name, sizeof name, "%.1f µs", nanoseconds / 1'000);
  }
  return name;
}

}  // namespace micro
