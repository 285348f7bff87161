/// The files in which a compiler says what a source depends on, for make and Ninja.
#pragma once

#include <filesystem>
#include <string>

namespace thalweg::spar::driver {

/// Names the source that the user wrote in the place of the translated one.
void name_the_source(const std::filesystem::path& file, const std::filesystem::path& translated,
                     const std::string& source);

}  // namespace thalweg::spar::driver
