// Transactions, and models that are learned from them.
#include "apps/fraud_detection/model.hpp"
#include "apps/fraud_detection/source.hpp"
#include "fuzz/fuzz.hpp"

namespace fraud = apps::fraud_detection;

std::vector<std::string> fuzz::seeds() {
  return {"", "CARD567890,TRANSACTION2,LNL\n", "A,1,LNL\r\nB,2,HNS\nA,3,LNL", "A,1,LNL\n\nB"};
}

void fuzz::read(const std::string& input) {
  const auto file = as_file(input);
  std::size_t count = 0;
  for (fraud::source on_disk(file); on_disk();) ++count;
  for (fraud::source in_memory(file, {}, {.in_memory = true}); in_memory();) --count;
  expect(count == 0, "in memory there is another number of transactions");
  constexpr std::uint64_t several = 7;
  for (fraud::source round(file, {.transactions = several, .time = {}}); round();) ++count;
  expect(count == 0 || count == several, "a stream of so many transactions has another number of them");
  fraud::model::train(file).save(output());
  static_cast<void>(fraud::model::load(output()));
}
