#include <cstdint>
#include <memory>

#include <ferret.hpp>
#include <ranks.hpp>

#include "apps/ferret/query.hpp"
#include "bench/support/mpi_farm.hpp"

// There: the picture. Back: the ranking.
void travel(mpi_letter& by, std::shared_ptr<apps::ferret::query>& pointer) {
  if (!pointer) pointer = std::make_shared<apps::ferret::query>();  // to be read, or an operator has failed
  auto& one = *pointer;
  auto ranked = static_cast<std::uint64_t>(one.ranking.size());
  by.value(one.number);
  by.value(one.shown.width);
  by.value(one.shown.height);
  by.value(ranked);
  by.block(one.name);
  by.block(one.shown.rgb);
  if (by.reads()) one.ranking.resize(ranked);
  by.lying(one.ranking.data(), ranked * sizeof one.ranking.front());
}

void search(spb::Item& item) {
  spb::Segmentation::op(item);
  spb::Extract::op(item);
  spb::Vectorization::op(item);
  spb::Rank::op(item);
}

int main(int argc, char* argv[]) {
  spb::init_ranks(argc, argv, spb::rank_threads::one);
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  mpi_farm<spb::Item, spb::Source, spb::Sink>(farm_order::any, search);
  spb::Metrics::stop();
  spb::end_bench();
}
