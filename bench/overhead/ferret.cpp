#include "apps/ferret/ferret.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include <ferret.hpp>

#include "apps/ferret/inputs.hpp"
#include "bench/overhead/overhead.hpp"

namespace ferret = apps::ferret;

int main(int argc, char** argv) {
  const std::filesystem::path folder = overhead::folder(argc, argv);
  const auto plain = [&]() -> std::uint64_t {
    const auto collection = ferret::database::load(folder / ferret::database_file);
    const ferret::index through(collection);
    ferret::source source(folder / ferret::queries_file);
    ferret::segmentation segmentation;
    ferret::extract extract;
    ferret::vectorization vectorization(through);
    ferret::rank rank(collection);
    ferret::sink sink("/dev/null", collection);
    while (auto query = source()) sink(rank(vectorization(extract(segmentation(std::move(*query))))));
    sink.close();
    return sink.written();
  };
  std::string arguments[] = {argv[0], "-input", folder.string(), "-output", "/dev/null"};
  char* pointers[5];
  for (int i = 0; i < 5; ++i) pointers[i] = arguments[i].data();
  const auto interface = [&]() -> std::uint64_t {
    spb::init_bench(5, pointers);
    std::uint64_t count = 0;
    spb::Metrics::init();
    while (true) {
      spb::Item item;
      if (!spb::Source::op(item)) break;
      spb::Segmentation::op(item);
      spb::Extract::op(item);
      spb::Vectorization::op(item);
      spb::Rank::op(item);
      spb::Sink::op(item);
      ++count;
    }
    spb::Metrics::stop();
    return count;
  };
  overhead::compare(std::atoi(argv[2]), plain, interface);
}
