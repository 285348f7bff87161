#pragma once

#include "apps/nexmark/event.hpp"

namespace apps::nexmark_q0 {

/// Query 0: gives each bid, as it is. False for what is none.
inline bool is_bid(const nexmark::event& of) {
  return of.what == nexmark::kind::bid;
}

}  // namespace apps::nexmark_q0
