/// What SPBench's programs call options.
#pragma once

#include <string>
#include <string_view>

namespace spb::detail {

/// The name of an option that has a letter, or another name, there; empty: there is none.
std::string_view name_of_letter(char letter);
std::string_view name_of_other(std::string_view other);

/// What to do in place of an option of theirs that there is not, by its letter or its name; empty: it is
/// none.
std::string_view instead_of(std::string_view option);

/// All letters, with their names.
std::string letters_text();

}  // namespace spb::detail
