#include <memory>
#include <variant>

#include <bzip2.hpp>
#include <ranks.hpp>

#include "bench/support/mpi_farm.hpp"
#include "spb/detail/bzip2_block.hpp"

using apps::bzip2::block;
using apps::bzip2::packed_block;

void travel(mpi_letter& by, std::shared_ptr<spb::detail::bzip2_block>& pointer) {
  if (!pointer)
    pointer = std::make_shared<spb::detail::bzip2_block>();  // to be read, or an operator has failed
  auto& one = pointer->one;
  auto is_packed = one.index() != 0;
  by.value(is_packed);
  if (by.reads() && is_packed) one.emplace<packed_block>();
  if (auto* const text = std::get_if<block>(&one)) {
    by.value(text->number);
    by.block(text->data);
    return;
  }
  auto& packed = std::get<packed_block>(one);
  by.value(packed.number);
  by.value(packed.bit);
  by.value(packed.bits);
  by.value(packed.opens_stream);
  by.value(packed.stream_sum);
  by.value(packed.damaged);
  by.value(packed.follows);
  by.block(packed.packed);
  by.block(packed.text);
}

template <class Source, class Work, class Sink> void run() {
  spb::Metrics::init();
  mpi_farm<spb::Item, Source, Sink>(farm_order::of_source, Work::op);
  spb::Metrics::stop();
}

void compress() {
  run<spb::Source, spb::Compress, spb::Sink>();
}
void decompress() {
  run<spb::Source_d, spb::Decompress, spb::Sink_d>();
}

int main(int argc, char* argv[]) {
  spb::init_ranks(argc, argv, spb::rank_threads::one);
  spb::bzip2_main(argc, argv);
}
