#include <ferret.hpp>

#include "bench/support/several_sources.hpp"

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  auto sources = several_sources<spb::Source>();
  for (bool some = true; some;) {
    some = false;
    for (auto& source : sources) {  // in turn
      spb::Item item;
      if (!source.getItem(item)) continue;
      some = true;
      spb::Segmentation::op(item);
      spb::Extract::op(item);
      spb::Vectorization::op(item);
      spb::Rank::op(item);
      spb::Sink::op(item);
    }
  }
  spb::Metrics::stop();
  spb::end_bench();
}
