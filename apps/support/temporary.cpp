#include "apps/support/temporary.hpp"

#include <atomic>
#include <mutex>
#include <set>
#include <utility>

#include <unistd.h>

namespace apps {

namespace fs = std::filesystem;

namespace {

struct registry {
  std::mutex lock;
  std::set<fs::path> paths;
};

// Never destroyed: owners may be static objects, and outlive any other one.
registry& all() {
  static auto* const one = new registry;  // NOLINT(cppcoreguidelines-owning-memory)
  return *one;
}

void forget(const fs::path& path) {
  auto& [lock, paths] = all();
  const std::lock_guard alone(lock);
  paths.erase(path);
}

}  // namespace

std::string temporary_beside(const fs::path& path) {
  static std::atomic<unsigned> number{0};
  constexpr std::size_t most_of_name = 200;  // the rest needs room, too
  const auto name = path.filename().string().substr(0, most_of_name);
  const auto unique = std::to_string(::getpid()) + "-" + std::to_string(number.fetch_add(1));
  return (path.parent_path() / ("." + name + "." + unique + ".tmp")).string();
}

temporary::temporary(fs::path path) : path_(std::move(path)) {
  auto& [lock, paths] = all();
  const std::lock_guard alone(lock);
  paths.insert(path_);
}

temporary::temporary(temporary&& other) noexcept : path_(std::exchange(other.path_, {})) {}

temporary& temporary::operator=(temporary&& other) noexcept {
  if (this != &other) {
    remove();
    path_ = std::exchange(other.path_, {});
  }
  return *this;
}

void temporary::rename(const fs::path& to, std::error_code& why) {
  fs::rename(path_, to, why);
  if (!why) forget(std::exchange(path_, {}));
}

void temporary::remove() noexcept {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  forget(std::exchange(path_, {}));
}

void remove_temporaries() noexcept {
  auto& [lock, paths] = all();
  lock.lock();               // for good
  constexpr int tries = 10;  // somebody may still be writing into a folder
  for (const auto& path : paths) {
    std::error_code why;
    for (int i = 0; i < tries; ++i)
      if (fs::remove_all(path, why); !why) break;
  }
}

}  // namespace apps
