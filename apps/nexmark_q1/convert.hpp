#pragma once

#include "apps/nexmark/event.hpp"

namespace apps::nexmark_q1 {

/// Query 1: gives each bid with its price in thousandths of a euro cent, at 0.908 euros a dollar. False for
/// what is none.
inline bool convert(nexmark::event& of) {
  if (of.what != nexmark::kind::bid) return false;
  of.bid.price *= 908;
  return true;
}

}  // namespace apps::nexmark_q1
