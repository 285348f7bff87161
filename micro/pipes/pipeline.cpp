// What users get of the pipe: a source and a sink, run by the library on a thread each, with its rings and
// all that it does around them (counting, stopping, pausing) in between.
#include <thalweg/thalweg.hpp>

#include <optional>

#include "transfer.hpp"

namespace micro {
namespace {

namespace tw = thalweg;

template <class Item> struct sender {
  std::uint64_t items;
  nanos* start;
  std::uint64_t sent = 0;

  void on_start() {
    stay_on_core(0);
    *start = now();
  }
  std::optional<Item> operator()() {
    if (sent == items) return std::nullopt;
    return make_item<Item>(++sent);
  }
};

template <class Item> struct receiver {
  inspector* inspect;
  nanos* end;

  void on_start() { stay_on_core(1); }
  void operator()(const Item& item) { (*inspect)(item); }
  void on_end() { *end = now(); }
};

template <class Item> double run_pipeline(std::uint64_t items) {
  inspector inspect;
  nanos start = 0;
  nanos end = 0;
  tw::run(tw::source(sender<Item>{items, &start}) | tw::sink(receiver<Item>{&inspect, &end}), tw::threads{});
  if (!inspect.content_with(items)) throw std::runtime_error("the items did not arrive whole and in order");
  return static_cast<double>(end - start) / static_cast<double>(items);
}

}  // namespace

template <class Item> std::vector<pipe_setting> pipeline_pipes() {
  return {{"thalweg pipeline", "source | sink, threads", true, run_pipeline<Item>}};
}

template std::vector<pipe_setting> pipeline_pipes<word>();
template std::vector<pipe_setting> pipeline_pipes<line>();

}  // namespace micro
