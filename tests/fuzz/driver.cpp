// What is common to all targets: where inputs are, how long to look, and which errors are none.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <ios>
#include <iterator>
#include <stdexcept>
#include <system_error>

#include <unistd.h>

#include "fuzz/fuzz.hpp"

namespace {

namespace fs = std::filesystem;

constexpr double whole_seconds = 15;  // of scale 1; the sanitizers' usual one is 0.2

// A folder of this process, removed at its end.
class folder {
 public:
  folder() : path_(fs::temp_directory_path() / ("thalweg-fuzz-" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  ~folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  fs::path operator/(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

const folder& files() {
  static const folder one;
  return one;
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

}  // namespace

std::filesystem::path fuzz::as_file(const std::string& input) {
  auto file = files() / "input";
  write(file, input);
  return file;
}

std::filesystem::path fuzz::output() {
  return files() / "output";
}

void fuzz::expect(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

// The first argument is the folder of the corpus, to which the seeds come. Each target looks for some
// seconds, or as many times longer as THALWEG_TEST_SCALE says.
extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  if (*count != 2 || (*arguments)[1][0] == '-') return 0;  // by hand
  const fs::path corpus((*arguments)[1]);
  if (fs::is_regular_file(corpus)) return 0;  // an input that was found
  fs::create_directories(corpus);
  int number = 0;
  for (const auto& seed : fuzz::seeds()) write(corpus / ("seed" + std::to_string(number++)), seed);
  const char* const scale = std::getenv("THALWEG_TEST_SCALE");  // NOLINT(concurrency-mt-unsafe): one thread
  const double seconds = whole_seconds * (scale == nullptr ? 1 : std::atof(scale));
  static std::string limit = "-max_total_time=" + std::to_string(seconds < 1 ? 1 : static_cast<int>(seconds));
  static std::string found = "-artifact_prefix=" + corpus.string() + "-found-";
  static std::vector<char*> all(*arguments, *arguments + *count);
  all.insert(all.end(), {limit.data(), found.data(), nullptr});
  *count = static_cast<int>(all.size()) - 1;
  *arguments = all.data();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    fuzz::read({reinterpret_cast<const char*>(data), size});
  } catch (const std::runtime_error&) {  // it is refused
  }
  return 0;
}
