/// Runs of the interface within a test: files in a folder that goes with the test, and a command line.
#pragma once

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "apps/text_files.hpp"
#include "spb/api.hpp"
#include "stages/scratch.hpp"

namespace spb {
void init_bench(int argc, char** argv);  // that of the application whose header the test includes
}

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
    argv.reserve(words.size());
    for (auto& word : words) argv.push_back(word.data());
    main(static_cast<int>(argv.size()), argv.data());
  }

  /// What stands before a stream, and behind it.
  void begin_with(const std::filesystem::path& input, std::initializer_list<std::string> more = {}) {
    with_arguments(spb::init_bench, input, more);
    spb::Metrics::init();
  }
  static void end() {
    spb::Metrics::stop();
    spb::end_bench();
  }

  /// None of the files, which belong to the input, may be written, and none is changed.
  void are_never_the_output(const std::filesystem::path& input,
                            std::initializer_list<std::filesystem::path> files) {
    for (const auto& file : files) {
      const auto before = read(file);
      for (const auto* option : {"-output", "-json"})
        EXPECT_EXIT(begin_with(input, {option, file}), testing::ExitedWithCode(1),
                    "is the input|in the folder of the input");
      EXPECT_EQ(read(file), before);
    }
  }

 private:
  scratch folder_;
};

/// A stream of `Source` through operators and a sink, in one thread.
template <class Item, class Source, class... Operators> void run_in_order() {
  for (Item item; Source::op(item);) (Operators::op(item), ...);
}

/// The same from the last item to the first, which is what some sinks do not mind.
template <class Item, class Source, class... Operators> void run_in_reverse() {
  std::vector<Item> all;
  for (Item item; Source::op(item);) all.push_back(std::move(item));
  std::reverse(all.begin(), all.end());
  for (auto& item : all) (Operators::op(item), ...);
}

/// The same in two threads that share all of it.
template <class Item, class Source, class... Operators> void run_in_two_threads() {
  const std::jthread first(run_in_order<Item, Source, Operators...>);
  const std::jthread second(run_in_order<Item, Source, Operators...>);
}

/// Gives the second item to the sink, and none before.
template <class Item, class Source, class Sink> void leave_out_the_first() {
  Item first, second;
  ASSERT_TRUE(Source::op(first));
  ASSERT_TRUE(Source::op(second));
  Sink::op(second);
}
