/// The attributes as they stand in the text. Compilers drop attributes that they do not know, so a marker that
/// every Clang keeps takes the place of each.
#pragma once

#include "stream.hpp"

#include <string>
#include <vector>

namespace thalweg::spar {

/// Something wrong at a place of the text, and what to do about it.
struct problem {
  extent where;
  std::string text;
  std::string advice = {};
};

/// A text in which markers stand for the attributes: as long as the original, with the same line ends.
struct marked_text {
  std::string text;
  std::vector<attribute> attributes;
  std::vector<problem> problems;
};

[[nodiscard]] marked_text mark_attributes(const std::string& text);

/// Whether a text that is not translated, such as a header's, has attributes of SPar: the place of the first.
[[nodiscard]] std::optional<extent> first_attribute(const std::string& text);

}  // namespace thalweg::spar
