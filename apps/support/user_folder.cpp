#include "apps/support/user_folder.hpp"

#include <cstdlib>
#include <string>

#include <pwd.h>
#include <unistd.h>

#include "apps/support/error.hpp"

namespace apps {

std::filesystem::path user_folder(const char* variable, std::string_view otherwise) {
  // NOLINTBEGIN(concurrency-mt-unsafe): nobody changes the environment meanwhile
  // A relative path is invalid there, says the specification.
  if (const char* named = std::getenv(variable);
      named != nullptr && std::filesystem::path(named).is_absolute())
    return named;
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') {
    const passwd* user = ::getpwuid(::getuid());
    if (user == nullptr)
      throw error("there is no place for files of the user's: neither " + std::string(variable) +
                  " nor HOME is set");
    home = user->pw_dir;
  }
  // NOLINTEND(concurrency-mt-unsafe)
  return std::filesystem::path(home) / otherwise;
}

}  // namespace apps
