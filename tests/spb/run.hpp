/// Runs of the interface within a test: files in a folder that goes with the test, and a command line.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "apps/text_files.hpp"
#include "stages/scratch.hpp"

class run_test : public testing::Test {
 protected:
  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  std::filesystem::path output() const { return path("output"); }

  /// Calls `main(argc, argv)` with the input, the output, and further options.
  template <class Main>
  void with_arguments(Main&& main, const std::filesystem::path& input,
                      std::initializer_list<std::string> more = {}) {
    std::vector<std::string> words{"program", "-input", input, "-output", output()};
    words.insert(words.end(), more);
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    main(static_cast<int>(argv.size()), argv.data());
  }

 private:
  scratch folder_;
};
