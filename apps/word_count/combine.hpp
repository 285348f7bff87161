#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/word_count/passage.hpp"

namespace apps::word_count {

/// Puts words of a passage that are alike together: each is there once behind it, with the times that it
/// came, in the order in which they came first. What follows has less to do then. Keeps its memory from one
/// passage to the next; thread-confined.
class combine {
 public:
  passage operator()(passage of);

 private:
  std::vector<std::uint32_t> places_;  // a hash table: words by their number from 1, 0 where there is none
};

/// Deals the words of a passage out, each to the part that it belongs to (`part_of`): gives as many passages
/// of the same number, whose texts are the letters of their words one behind the other.
std::vector<passage> divide(const passage& of, std::size_t parts);

}  // namespace apps::word_count
