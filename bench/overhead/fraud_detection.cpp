#include "apps/fraud_detection/fraud_detection.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

#include <fraud_detection.hpp>

#include "apps/fraud_detection/inputs.hpp"
#include "bench/overhead/overhead.hpp"

namespace fraud = apps::fraud_detection;

int main(int argc, char** argv) {
  const std::filesystem::path folder = overhead::folder(argc, argv);
  const auto plain = [&]() -> std::uint64_t {
    fraud::source next(folder / fraud::transactions_file);
    fraud::predictor predict(fraud::model::load(folder / fraud::model_file));
    fraud::sink write("/dev/null");
    std::uint64_t count = 0;
    for (; const auto item = next(); ++count)
      if (const auto alarm = predict(*item)) write(*alarm);
    write.close();
    return count;
  };
  std::string arguments[] = {argv[0], "-input", folder.string(), "-output", "/dev/null"};
  char* pointers[5];
  for (int i = 0; i < 5; ++i) pointers[i] = arguments[i].data();
  const auto interface = [&]() -> std::uint64_t {
    spb::init_bench(5, pointers);
    Markov_Model_Predictor predictor;
    std::uint64_t count = 0;
    spb::Metrics::init();
    while (true) {
      spb::Item item;
      if (!spb::Source::op(item)) break;
      spb::Predictor::op(item, predictor);
      if (item) spb::Sink::op(item);
      ++count;
    }
    spb::Metrics::stop();
    return count;
  };
  overhead::compare(std::atoi(argv[2]), plain, interface);
}
