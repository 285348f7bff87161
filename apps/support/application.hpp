#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace apps {

/// Told how far a long piece of work is: `done` of `all`.
using progress = std::function<void(std::uint64_t done, std::uint64_t all)>;

/// What a verifier found.
struct verdict {
  bool good = false;
  std::string says;  ///< one line: what was compared, or what is wrong and where
};

/// The input classes that every application has, in ascending size.
inline constexpr std::string_view classes[] = {"test", "small", "medium", "large", "huge"};

/// What tools know of an application: the names of its inputs, and how they are made and checked.
struct application {
  std::string name;                    ///< as in SPBench: `bzip2`, `lane_detection`, ...
  std::string says;                    ///< one line
  std::string output;                  ///< what programs write, as in "where ... goes": `the archive`
  std::vector<std::string> inputs;     ///< `test`, ..., `huge`, and further ones such as `test_d`
  std::vector<std::string> operators;  ///< from source to sink
  int edition = 1;                     ///< of the inputs: raised when `generate` comes to make other bytes
  /// Makes the files of an input in `folder`, which exists and is empty. The same bytes each time.
  std::function<void(std::string_view input, const std::filesystem::path& folder, const progress&)> generate;
  /// Compares what a program has written with what it should have, from the files in `folder`.
  std::function<verdict(std::string_view input, const std::filesystem::path& folder,
                        const std::filesystem::path& output)>
      verify;
};

}  // namespace apps
