#include "apps/hash_search/search.hpp"

namespace apps::hash_search {

wanted search(const range& within, number_hasher& hash, wanted one) {
  one.number.reset();
  for (std::uint32_t number = within.first; number <= within.last; ++number) {
    if (hash(number) != one.hash) continue;
    one.number = number;
    break;
  }
  return one;
}

}  // namespace apps::hash_search
