#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "apps/support/application.hpp"

namespace apps {

/// The folder where inputs are kept: `$XDG_CACHE_HOME/thalweg/inputs`, or under `~/.cache`. Throws
/// `apps::error` if there is neither.
std::filesystem::path input_cache();

/// The folder of an input there, whether it has been made or not.
std::filesystem::path input_folder(const application& app, std::string_view input);

/// A file among those of an input there: their SHA-256, as `sha256sum --check` reads them. Inputs of earlier
/// versions have none.
inline constexpr std::string_view hashes_file = ".sha256";

/// Whether it has been made, by this edition of the generator, and has as many files and bytes as then.
bool input_is_there(const application& app, std::string_view input);

/// The folder of an input, which is made if it is not there, or if `again`: under another name, renamed when
/// it is complete. Processes that want the same input at the same time wait for the one that makes it;
/// `waiting` is called before. What a process left behind that was killed is removed.
///
/// Throws what the generator throws, and `apps::error`s that name the file.
std::filesystem::path provide_input(const application& app, std::string_view input, const progress& told = {},
                                    bool again = false, const std::function<void()>& waiting = {});

/// Makes the files of an input in a folder of the user's, created if need be. Each gets its name when all are
/// complete. A folder in which there is something is an error, unless `overwrite`: then files of the same
/// names are replaced, and no others touched.
void make_input_in(const std::filesystem::path& folder, const application& app, std::string_view input,
                   const progress& told = {}, bool overwrite = false);

}  // namespace apps
