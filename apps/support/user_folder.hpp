#pragma once

#include <filesystem>
#include <string_view>

namespace apps {

/// A folder of the user's, as the XDG Base Directory Specification has them: the one that a variable of the
/// environment names, such as `XDG_CACHE_HOME`, or else `otherwise` in the user's home, such as `.cache`.
/// \throws error  if there is neither
std::filesystem::path user_folder(const char* variable, std::string_view otherwise);

}  // namespace apps
