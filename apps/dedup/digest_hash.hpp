#pragma once

#include <cstddef>
#include <cstring>

#include "apps/support/hash.hpp"

namespace apps::dedup {

/// For tables by digests: these are random enough as they are.
struct digest_hash {
  std::size_t operator()(const digest& of) const {
    std::size_t part = 0;
    std::memcpy(&part, of.data(), sizeof part);
    return part;
  }
};

}  // namespace apps::dedup
