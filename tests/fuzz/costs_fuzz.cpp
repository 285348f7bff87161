// Saved reports, as far as they are read: what stages have cost.
#include <thalweg/run/mpi.hpp>

#include <cmath>

#include "fuzz/fuzz.hpp"

std::vector<std::string> fuzz::seeds() {
  return {R"({"stages":[{"name":"read","kind":"source","items_out":8},)"
          R"({"name":"draw","kind":"map","items_in":8,"service_ns_per_item":2.5e3}]})",
          R"({"stages":[]})", "[1, -2]"};
}

void fuzz::read(const std::string& input) {
  for (const auto& one : thalweg::saved_costs(as_file(input))) {
    expect(one.each.count() >= 0 && std::isfinite(one.each.count()), "a stage costs less than nothing");
    expect(one.items >= 0, "a stage has less than no items");
  }
}
