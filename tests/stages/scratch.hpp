#pragma once

#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

/// An empty directory for a test, which is removed with all that is in it.
class scratch {
 public:
  scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "thalweg-stages-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "no scratch directory";
    path_ = name;
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

  /// Writes a file, and the directories that it lies in.
  std::filesystem::path write(std::string_view name, std::string_view text) const {
    const auto path = path_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  static std::string read(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// The names of what lies in it.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& e : std::filesystem::directory_iterator(path_)) found.push_back(e.path().filename());
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  std::filesystem::path path_;
};

/// Whether this process may be told that it may not: whoever is root becomes nobody meanwhile.
class without_privileges {
 public:
  without_privileges() : root_(::geteuid() == 0) {
    constexpr uid_t nobody = 65534;
    ok_ = !root_ || ::seteuid(nobody) == 0;
  }
  without_privileges(const without_privileges&) = delete;
  without_privileges& operator=(const without_privileges&) = delete;
  ~without_privileges() {
    if (root_) ok_ = ::seteuid(0) == 0;
  }
  [[nodiscard]] bool ok() const { return ok_; }

 private:
  bool root_;
  bool ok_ = false;
};
