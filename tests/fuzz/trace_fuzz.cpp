// Traces of rates and of moments.
#include <thalweg/flow/arrivals.hpp>

#include "fuzz/fuzz.hpp"

std::vector<std::string> fuzz::seeds() {
  return {"0.5\n0.5\n2\n", "# seconds, rate\n0, 10\n3, 0\n4,\t25\n",
          "\xEF\xBB\xBF"
          "1, 1e3\r\n\r\n2, 5\r\n"};
}

void fuzz::read(const std::string& input) {
  const auto rate = thalweg::rate::trace(as_file(input));
  for (const auto late : {thalweg::when_late::catch_up, thalweg::when_late::skip}) {
    thalweg::flow::arrivals due(rate, late);
    for (int i = 0; i < 20 && due.next_ns() != due.never; ++i) {
      const double moment = due.next();
      static_cast<void>(due.pass_over(moment + i));
      due.advance(moment);
      expect(due.next() >= moment, "an item is due before the one before it");
    }
  }
  expect(rate.items(2) >= rate.items(1), "there were more items once than later");
  expect(rate.at(1) >= 0, "a rate is below 0");
}
