#include <memory>

#include <ff/ff.hpp>
#include <xml_transform.hpp>

#include "bench/support/fastflow_all_to_all.hpp"
#include "bench/support/fastflow_nodes.hpp"

using sink = ordering_sink_node<spb::Sink, spb::Item>;

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  run_all_to_all<spb::Source, spb::Item>(all_to_all_of<spb::Load, spb::Transform, spb::Item>(spb::nthreads),
                                         std::make_unique<sink>());
  spb::Metrics::stop();
  spb::end_bench();
}
