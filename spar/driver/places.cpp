#include "places.hpp"

#include <array>
#include <fstream>

namespace thalweg::spar::driver {

namespace {

namespace fs = std::filesystem;

// Those that a compiler searches without being told: naming them anew would change their order.
bool is_standard(const fs::path& headers) {
  return headers == "/usr/include" || headers == "/usr/local/include";
}

// Those that programs find when they start, without being told.
bool is_searched(const fs::path& libraries) {
  const std::string text = libraries.string() + "/";
  return text.starts_with("/usr/lib/") || text.starts_with("/lib/");
}

}  // namespace

places find_places() {
  std::error_code none;
  const fs::path self = fs::read_symlink("/proc/self/exe", none);
  const fs::path here = self.parent_path();
  // A tree in which it is built has this file beside it, of three lines.
  if (std::ifstream in(self.string() + ".places"); in) {
    std::array<std::string, 3> lines;
    for (auto& line : lines) std::getline(in, line);
    return {lines[0], lines[1], lines[2]};
  }
  return {here / "thalweg-spar", (here / THALWEG_SPAR_INCLUDE_DIR).lexically_normal(),
          (here / THALWEG_SPAR_LIBRARY_DIR).lexically_normal()};
}

words include_flags(const places& in) {
  if (is_standard(in.headers)) return {};
  return {"-isystem", in.headers};
}

words library_flags(const places& in, bool mpi) {
  // Programs that use none of it do not need the shared libraries either.
  words result{"-Wl,--push-state,--as-needed", "-L" + in.library.string()};
  const auto add = [&](const std::string& name, const std::string& needs) {
    result.push_back("-l" + name);
    // An archive cannot bring what it needs.
    if (fs::exists(in.library / ("lib" + name + ".so"))) {
      if (!is_searched(in.library)) result.push_back("-Wl,-rpath," + in.library.string());
    } else {
      for (auto& word : at_spaces(needs)) result.push_back(std::move(word));
    }
  };
  if (mpi) add("thalweg_mpi", THALWEG_SPAR_MPI_NEEDS);
  add("thalweg", THALWEG_SPAR_NEEDS);
  result.insert(result.end(), {"-pthread", "-Wl,--pop-state"});
  return result;
}

}  // namespace thalweg::spar::driver
