#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "apps/support/application.hpp"

namespace apps::ferret {

/// An input: how many pictures are searched, by how many queries, and in families of how many.
struct input {
  std::string_view name;
  std::uint64_t seed;
  std::uint32_t pictures;
  std::uint32_t queries;
  std::uint32_t family;
};

inline constexpr std::array inputs = {
    input{"test", 1, 400, 24, 20},       input{"small", 2, 3'000, 100, 20},
    input{"medium", 3, 10'000, 500, 20}, input{"large", 4, 30'000, 1'500, 20},
    input{"huge", 5, 59'695, 3'500, 20},
};

/// \throws error  if there is no such input
const input& input_named(std::string_view name);

/// The files of an input.
inline constexpr std::string_view database_file = "database.features";
inline constexpr std::string_view queries_file = "queries.pack";
inline constexpr std::string_view families_file = "families.csv";  ///< picture,family; queries, too

/// Makes the files of an input in an empty folder; see application.hpp.
void generate(std::string_view input, const std::filesystem::path& folder, const progress& told);

/// Checks a program's rankings: each query has one, in order, of pictures of the collection, none twice,
/// nearest first, and at the right distances. Of about 24 queries (all of the class test), spread over the
/// stream, they are compared with an exhaustive ranking: in the mean three of four of the pictures that it
/// finds must be found. Says which share of the pictures of the queries' families were found,
/// which may not be below one half.
verdict verify(std::string_view input, const std::filesystem::path& folder,
               const std::filesystem::path& output);

}  // namespace apps::ferret
