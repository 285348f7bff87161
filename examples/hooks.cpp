// Hooks: what an operator does once, around its items.
//
// An operator object may have `validate()`, called before the run: what it throws is in the
// `tw::invalid_job` that tells all that is wrong with the job. `on_start()` comes before its first item and
// `on_end()` behind its last one, both in the run: the place to open and to close things. In a flat_map or a
// map `on_end(tw::emitter<T>&)` may still send. After an error or a cancel there is no `on_end`: half a
// stream gets no last line.
#include <thalweg/thalweg.hpp>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace tw = thalweg;

class text_file {
 public:
  explicit text_file(std::filesystem::path path) : path_(std::move(path)) {}

  void validate() const {
    if (!std::filesystem::is_directory(path_.parent_path()))
      throw std::runtime_error("there is no folder " + path_.parent_path().string());
  }
  void on_start() {
    out_.open(path_);
    out_ << "begin\n";
  }
  void operator()(int x) { out_ << x << '\n'; }
  void on_end() {
    out_ << "end\n";
    out_.close();
  }

 private:
  std::filesystem::path path_;
  std::ofstream out_;
};

int main() {
  const auto folder = std::filesystem::temp_directory_path();
  const auto file = folder / ("hooks-" + std::to_string(::getpid()) + ".txt");
  const auto numbers = tw::source(std::vector{1, 2, 3});

  bool refused = false;
  try {
    tw::run(numbers | tw::sink(text_file(folder / "no such folder" / "hooks.txt"), {.name = "write"}));
  } catch (const tw::invalid_job& problems) {
    std::cout << problems.what() << '\n';
    refused = true;
  }

  tw::run(numbers | tw::sink(text_file(file), {.name = "write"}));
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::cout << text;
  std::filesystem::remove(file);
  return refused && text == "begin\n1\n2\n3\nend\n" ? 0 : 1;
}
