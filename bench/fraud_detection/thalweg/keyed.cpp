#include <thalweg/thalweg.hpp>

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <fraud_detection.hpp>

namespace tw = thalweg;

// Transactions of one part of the cards: to hand over a single one costs more than its prediction.
struct chunk {
  std::size_t part;
  std::vector<spb::Item> items;
};
constexpr std::size_t chunk_size = 256;

class chunks {
 public:
  explicit chunks(std::size_t parts) : parts_(parts) {}
  std::optional<chunk> operator()() {
    for (spb::Item item; spb::Source::op(item);) {
      const auto part = item.key % parts_.size();
      if (parts_[part].empty()) parts_[part].reserve(chunk_size);
      parts_[part].push_back(item);
      if (parts_[part].size() == chunk_size) return chunk{part, std::exchange(parts_[part], {})};
    }
    for (std::size_t part = 0; part < parts_.size(); ++part)
      if (!parts_[part].empty()) return chunk{part, std::exchange(parts_[part], {})};
    return std::nullopt;
  }

 private:
  std::vector<std::vector<spb::Item>> parts_;
};

int main(int argc, char* argv[]) {
  spb::init_bench(argc, argv);
  spb::Metrics::init();
  const auto predict = [](Markov_Model_Predictor& state, chunk some, tw::emitter<spb::Item>& alarms) {
    for (auto& item : some.items) {
      spb::Predictor::op(item, state);
      if (item) alarms(item);
    }
  };
  tw::run(tw::source(chunks(static_cast<std::size_t>(spb::nthreads))) |
              tw::farm(tw::key_by(&chunk::part, predict)) |
              tw::sink([](spb::Item alarm) { spb::Sink::op(alarm); }),
          tw::pool{.workers = spb::nthreads});
  spb::Metrics::stop();
  spb::end_bench();
}
