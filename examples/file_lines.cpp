// Ready-made stages: the lines of all files of a directory, some of them, and a file written as a whole.
//
// Several files are read at once, and their lines come in the order of the files all the same. The file that
// is written takes its place when the stream has ended: a run that fails leaves the old one.
#include <thalweg/stages.hpp>
#include <thalweg/thalweg.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>

#include <unistd.h>

namespace tw = thalweg;
namespace fs = std::filesystem;

std::string content_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

int main() {
  const auto folder = fs::temp_directory_path() / ("file-lines-" + std::to_string(::getpid()));
  fs::create_directories(folder / "logs" / "old");
  std::ofstream(folder / "logs" / "b.log") << "started\nerror: no route\n";
  std::ofstream(folder / "logs" / "old" / "c.log") << "error: no space\nstopped";
  std::ofstream(folder / "logs" / "a.log") << "error: no name\n";
  std::ofstream(folder / "logs" / "notes.txt") << "error: none of ours\n";
  const auto target = folder / "errors.txt";

  std::uint64_t lines = 0;
  const auto errors = tw::files(folder / "logs", {.recursive = true, .pattern = "*.log"}) |
                      tw::farm(tw::file_to_lines({.crlf = true}), {.name = "read"}) |
                      tw::tee_to([&](const std::string&) { ++lines; }) |
                      tw::filter([](const std::string& line) { return line.starts_with("error"); });
  tw::run(errors | tw::file_sink(target));
  const std::string expected = "error: no name\nerror: no route\nerror: no space\n";
  std::cout << content_of(target) << "in " << lines << " lines\n";
  bool right = content_of(target) == expected && lines == 5;

  // A run that fails writes nothing.
  const auto fail = [](std::string line) -> std::string {
    if (line.ends_with("space")) throw std::runtime_error("cannot go on");
    return line;
  };
  try {
    tw::run(errors | tw::map(fail) | tw::file_sink(target));
    right = false;
  } catch (const tw::stage_error& e) {
    std::cout << e.what() << '\n';
  }
  right = right && content_of(target) == expected;

  fs::remove_all(folder);
  return right ? 0 : 1;
}
