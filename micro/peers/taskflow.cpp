// Taskflow: Pipeline (its users keep the items) and DataPipeline (it keeps them). The number of lines is the
// user's.
#include <utility>

#include <taskflow/algorithm/data_pipeline.hpp>
#include <taskflow/algorithm/pipeline.hpp>
#include <taskflow/taskflow.hpp>

#include "graph_peer.hpp"
#include "registry.hpp"

namespace micro {
namespace {

struct task_flow {
  static constexpr auto name = "Taskflow";

  struct setting : common_setting {
    std::size_t lines = 4;
    bool keeps_items = false;
  };

  static std::vector<setting> settings() {
    std::vector<setting> result{{{"4 lines", true}, 4, false}};  // four lines is what its examples take
    for (const std::size_t lines : {1, 2, 8}) {
      result.push_back({{std::to_string(lines) + " lines"}, lines, false});
    }
    for (const std::size_t lines : {2, 4, 8}) {
      result.push_back({{"data pipeline, " + std::to_string(lines) + " lines"}, lines, true});
    }
    for (const std::size_t chunk : {16, 256}) {
      result.push_back({{"4 lines, chunk " + std::to_string(chunk), false, chunk}, 4, false});
    }
    return result;
  }

  static tf::Executor& executor() {
    static tf::Executor one(static_cast<std::size_t>(cores()));
    return one;
  }

  template <class Pipeline> static void run(Pipeline& pipeline) {
    tf::Taskflow flow;
    flow.composed_of(pipeline);
    executor().run(flow).wait();
  }

  template <class Source, class Work, class Sink>
  static void farm(const setting& s, Source& source, const Work& work, Sink& sink) {
    using item = item_of<Source>;
    if (s.keeps_items) {
      tf::DataPipeline pipeline(
          s.lines, data_source(source),
          tf::make_data_pipe<item, item>(tf::PipeType::PARALLEL, [&](item& x) { return work(std::move(x)); }),
          tf::make_data_pipe<item, void>(tf::PipeType::SERIAL, [&](item& x) { sink(std::move(x)); }));
      run(pipeline);
    } else {
      std::vector<item> kept(s.lines);
      tf::Pipeline pipeline(
          s.lines, source_pipe(source, kept), tf::Pipe{tf::PipeType::PARALLEL, apply(work, kept)},
          tf::Pipe{tf::PipeType::SERIAL, [&](tf::Pipeflow& flow) { sink(std::move(kept[flow.line()])); }});
      run(pipeline);
    }
  }

  template <class Source, class First, class Middle, class Second, class Sink>
  static void sandwich(const setting& s, Source& source, const First& first, Middle& middle,
                       const Second& second, Sink& sink) {
    using item = item_of<Source>;
    if (s.keeps_items) {
      tf::DataPipeline pipeline(
          s.lines, data_source(source),
          tf::make_data_pipe<item, item>(tf::PipeType::PARALLEL,
                                         [&](item& x) { return first(std::move(x)); }),
          tf::make_data_pipe<item, item>(tf::PipeType::SERIAL, [&](item& x) { return middle(std::move(x)); }),
          tf::make_data_pipe<item, item>(tf::PipeType::PARALLEL,
                                         [&](item& x) { return second(std::move(x)); }),
          tf::make_data_pipe<item, void>(tf::PipeType::SERIAL, [&](item& x) { sink(std::move(x)); }));
      run(pipeline);
    } else {
      std::vector<item> kept(s.lines);
      tf::Pipeline pipeline(
          s.lines, source_pipe(source, kept), tf::Pipe{tf::PipeType::PARALLEL, apply(first, kept)},
          tf::Pipe{tf::PipeType::SERIAL, apply(middle, kept)},
          tf::Pipe{tf::PipeType::PARALLEL, apply(second, kept)},
          tf::Pipe{tf::PipeType::SERIAL, [&](tf::Pipeflow& flow) { sink(std::move(kept[flow.line()])); }});
      run(pipeline);
    }
  }

 private:
  template <class Source> static auto data_source(Source& source) {
    using item = item_of<Source>;
    return tf::make_data_pipe<void, item>(tf::PipeType::SERIAL, [&](tf::Pipeflow& flow) -> item {
      auto next = source();
      if (next) return *std::move(next);
      flow.stop();
      return item{};
    });
  }

  template <class Source, class Item> static auto source_pipe(Source& source, std::vector<Item>& kept) {
    return tf::Pipe{tf::PipeType::SERIAL, [&](tf::Pipeflow& flow) {
                      auto next = source();
                      if (next) {
                        kept[flow.line()] = *std::move(next);
                      } else {
                        flow.stop();
                      }
                    }};
  }

  template <class Work, class Item> static auto apply(Work& work, std::vector<Item>& kept) {
    return [&](tf::Pipeflow& flow) { kept[flow.line()] = work(std::move(kept[flow.line()])); };
  }
};

/// A parallel pipe is as good as branches whose order is restored; other shapes its pipelines do not have.
struct task_flow_shapes {
  static constexpr auto name = task_flow::name;

  static auto settings(const ordered_fan_program&) { return task_flow::settings(); }

  template <bool, class Source, class Work, class Sink>
  static void fan(const task_flow::setting& s, Source& source, const Work& work, Sink& sink) {
    task_flow::farm(s, source, work, sink);
  }
};

}  // namespace

std::unique_ptr<peer> make_taskflow() {
  return std::make_unique<peer_of<task_flow>>();
}
std::unique_ptr<graph_peer> make_taskflow_graphs() {
  return std::make_unique<graph_peer_of<task_flow_shapes>>();
}

}  // namespace micro
