#pragma once

#include <cstdint>
#include <memory>

#include <ferret.hpp>

#include "apps/ferret/query.hpp"
#include "bench/support/mpi_letter.hpp"

/// Numbers or records, by `lying`.
template <class All> void travel_all(mpi_letter& by, All& all) {
  auto count = static_cast<std::uint64_t>(all.size());
  by.value(count);
  if (by.reads()) all.resize(count);
  by.lying(all.data(), count * sizeof(typename All::value_type));
}

/// What travels of a query between any two operators: what one has freed is empty.
inline void travel(mpi_letter& by, std::shared_ptr<apps::ferret::query>& one) {
  if (!one) one = std::make_shared<apps::ferret::query>();
  by.value(one->number);
  by.value(one->shown.width);
  by.value(one->shown.height);
  by.value(one->divided.count);
  by.text(one->name);
  by.block(one->shown.rgb);
  by.block(one->divided.region);
  travel_all(by, one->description.regions);
  travel_all(by, one->description.weights);
  travel_all(by, one->candidates);
  travel_all(by, one->ranking);
}
