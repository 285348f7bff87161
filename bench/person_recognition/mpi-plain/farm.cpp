#include <memory>

#include <person_recognition.hpp>
#include <ranks.hpp>

#include "apps/person_recognition/frame.hpp"
#include "bench/support/mpi_farm.hpp"

using apps::person_recognition::frame;

// The rows of the film's pictures follow each other.
void travel(mpi_letter& by, std::shared_ptr<frame>& one) {
  if (!one) one = std::make_shared<frame>();  // to be read, or none, as an operator has failed
  auto& picture = one->picture;
  int rows = picture.rows, columns = picture.cols;
  by.value(one->number);
  by.value(rows);
  by.value(columns);
  if (by.reads()) picture.create(rows, columns, CV_8UC3);
  by.lying(picture.data, picture.total() * picture.elemSize());
}

void search(spb::Item& item) {
  spb::Detect::op(item);
  spb::Recognize::op(item);
}

int main(int argc, char* argv[]) {
  spb::init_ranks(argc, argv, spb::rank_threads::one);
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  mpi_farm<spb::Item, spb::Source, spb::Sink>(farm_order::of_source, search);
  spb::Metrics::stop();
  spb::end_bench();
}
