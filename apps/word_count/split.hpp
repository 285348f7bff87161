#pragma once

#include "apps/word_count/passage.hpp"

namespace apps::word_count {

/// Finds the words of a passage. A word is a longest run of letters and digits of ASCII, capitals taken as
/// small letters, and of bytes above 127: what other alphabets have in UTF-8 counts as letters, their
/// punctuation, too, and their capitals are not the same as their small letters. Everything else stands
/// between words. So `It's 20°C` is `it`, `s`, and `20°c`.
passage split(passage of);

}  // namespace apps::word_count
