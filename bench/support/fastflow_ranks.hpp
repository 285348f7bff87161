#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <ff/dff.hpp>
#include <mpi.h>
#include <ranks.hpp>
#include <unistd.h>

// A farm of FastFlow's distributed run time: rank 0 has source and sink, each of the others as many workers
// as -nthreads says. Alone, it has these, too. A group of FastFlow is a rank.

/// What cereal writes and reads of an item, as `mpi_letter` has it: a program says what there is in an
/// element.
///
///   template <class Archive> void travel(cereal_letter<Archive>& by, apps::mandelbrot::line& one) {
///     by.value(one.number);
///     by.block(one.pixels);
///   }
template <class Archive> class cereal_letter {
 public:
  explicit cereal_letter(Archive& by) : by_(by) {}
  [[nodiscard]] static constexpr bool reads() { return Archive::is_loading::value; }
  template <class T> void value(T& x) {
    static_assert(std::is_trivially_copyable_v<T>);
    by_(cereal::binary_data(&x, sizeof x));
  }
  /// What has `data` and `size`, of chars, and is resized by who reads.
  template <class Bytes> void block(Bytes& all) {
    auto size = static_cast<std::uint64_t>(all.size());
    value(size);
    if (reads()) all.resize(size);
    by_(cereal::binary_data(all.data(), size));
  }

 private:
  Archive& by_;
};

namespace spb::detail {

template <class Archive, class Element> void serialize(Archive& by, batch<Element>& item) {
  cereal_letter<Archive> letter(by);
  auto elements = static_cast<std::uint64_t>(item.size());
  letter.value(item.timestamp);
  letter.value(item.batch_index);
  letter.value(elements);
  for (std::uint64_t i = 0; letter.reads() && i < elements; ++i) item.append({});
  for (auto& one : item) travel(letter, one);
}

}  // namespace spb::detail

inline std::string fastflow_group(int rank) {
  return "rank" + std::to_string(rank);
}

/// Begins the distributed run time, and a run of all its ranks. It wants a file that names the groups in the
/// order of the ranks before it asks MPI how many there are: those that are left over do no harm.
inline void init_fastflow(int& argc, char**& argv) {
  enum { most_ranks = 1024 };
  const auto config =
      (std::filesystem::temp_directory_path() / ("thalweg-fastflow-" + std::to_string(::getpid()) + ".json"))
          .string();
  {
    std::ofstream file(config);
    file << R"({"protocol": "MPI", "groups": [)";
    for (int rank = 0; rank < most_ranks; ++rank)
      file << (rank == 0 ? "" : ", ") << R"({"name": ")" << fastflow_group(rank) << R"("})";
    file << "]}";
  }
  auto option = "--DFF_Config=" + config;
  std::vector<char*> given(argv, argv + argc);
  given.push_back(option.data());
  int count = argc + 1;
  char** all = given.data();
  const int begun = ff::DFF_Init(count, all);
  std::filesystem::remove(config);
  if (begun != 0) std::exit(1);  // NOLINT(concurrency-mt-unsafe): there are no threads yet
  spb::init_ranks(argc, argv, spb::rank_threads::as_asked);
}

template <class Item, class Source> struct fastflow_source : ff::ff_monode_t<Item> {
  Item* svc(Item*) override {
    for (auto item = std::make_unique<Item>(); Source::op(*item); item = std::make_unique<Item>())
      this->ff_send_out(item.release());
    return this->EOS;
  }
};

template <class Item> struct fastflow_worker : ff::ff_minode_t<Item> {
  explicit fastflow_worker(void (*work)(Item&)) : op(work) {}
  Item* svc(Item* item) override {
    op(*item);
    return item;
  }
  void (*op)(Item&);
};

template <class Item, class Sink> struct fastflow_sink : ff::ff_minode_t<Item> {
  Item* svc(Item* item) override {
    const std::unique_ptr<Item> owner(item);
    Sink::op(*item);
    return this->GO_ON;
  }
};

/// The source and the workers are the two sides of an all-to-all, as a distributed farm is built; the source
/// gives to who has room. Items are to have one size: FastFlow's receiver writes past its memory if a longer
/// one follows a shorter one (d476f66, ff_dreceiverMTCL.hpp: `buffSizes` keeps the size of a buffer that it
/// has given away for a smaller one).
template <class Item, class Source, class Sink> void fastflow_farm(void (*work)(Item&)) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  fastflow_source<Item, Source> first;
  fastflow_sink<Item, Sink> last;
  ff::ff_a2a farm;
  ff::ff_pipeline all;
  auto ends = ff::createGroup(fastflow_group(0));
  ends << first << last;
  std::vector<std::unique_ptr<fastflow_worker<Item>>> owned;
  std::vector<ff::ff_node*> workers;
  for (int rank = std::min(1, ranks - 1); rank < ranks; ++rank) {
    auto group = rank == 0 ? ends : ff::createGroup(fastflow_group(rank));
    for (int i = 0; i < spb::nthreads; ++i) {
      workers.push_back(owned.emplace_back(std::make_unique<fastflow_worker<Item>>(work)).get());
      group << workers.back();
    }
  }
  farm.add_firstset(std::vector<ff::ff_node*>{&first}, 1);
  farm.add_secondset(workers);
  all.add_stage(&farm);
  all.add_stage(&last);
  if (all.run_and_wait_end() < 0) ff::error("running the farm\n");
}
