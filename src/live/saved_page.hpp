#pragma once

#include <thalweg/version.hpp>

#include <string>
#include <string_view>

namespace THALWEG_NAMESPACE::live {

/// The page as one file that needs no other, as `./thalweg view` makes it
/// (cli/thalweg_cli/watch/saved_page.py). `state`: a graph and samples, as `history::state` gives them.
[[nodiscard]] std::string saved_page(std::string_view state);

/// Why a file cannot be written; empty: it seems that it can.
[[nodiscard]] std::string unwritable(const std::string& file);

/// Writes the page into a file, in the place of one that is there. Returns why it cannot; empty: it is
/// written.
[[nodiscard]] std::string save_page(const std::string& file, std::string_view state);

}  // namespace THALWEG_NAMESPACE::live
