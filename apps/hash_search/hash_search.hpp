/// Hash search: finds the numbers that hashes are of, by brute force.
///
/// ```cpp
/// namespace hs = apps::hash_search;
/// const auto range = apps::read_range("range.txt");
/// hs::source source("hashes.txt");
/// hs::sink sink("numbers.txt", source.size());
/// hs::number_hasher hash;
/// while (const auto one = source()) sink(hs::search(range, hash, *one));
/// sink.close();
/// ```
///
/// Hashes are independent of each other, and the sink takes them in any order. Each thread that searches has
/// a hasher of its own.
#pragma once

#include "apps/hash_search/search.hpp"
#include "apps/hash_search/sink.hpp"
#include "apps/hash_search/source.hpp"
#include "apps/hash_search/wanted.hpp"
#include "apps/support/application.hpp"

namespace apps::hash_search {

/// What tools need to know.
const application& about();

}  // namespace apps::hash_search
