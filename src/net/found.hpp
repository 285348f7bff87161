// What a source of messages finds when it looks for the next one.
#pragma once

#include <thalweg/net/address.hpp>

#include <chrono>
#include <cstdint>

#include "socket.hpp"

namespace THALWEG_NAMESPACE::net {

enum class found : std::uint8_t { item, end, late, given_up };

/// Whether `next` of a source need not wait, after `until_ns`: `advance` looks until a moment.
template <class Advance> bool is_ready_by(std::int64_t until_ns, Advance&& advance) {
  try {
    return advance(moment{std::chrono::nanoseconds(until_ns)}) != found::late;
  } catch (const network_error&) {
    return true;  // `next` says it again
  }
}

}  // namespace THALWEG_NAMESPACE::net
