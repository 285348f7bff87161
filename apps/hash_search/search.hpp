#pragma once

#include "apps/hash_search/number_hasher.hpp"
#include "apps/hash_search/wanted.hpp"
#include "apps/support/range.hpp"

namespace apps::hash_search {

/// Finds the number that the hash is of: hashes the numbers of the range, from the first on, until one has
/// it. It remembers nothing from one search to the next, as its purpose is to cost something: as much as the
/// number lies deep in the range.
wanted search(const range& within, number_hasher& hash, wanted one);

}  // namespace apps::hash_search
