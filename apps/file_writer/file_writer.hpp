/// Writes many files into a folder, and a list of them: the operator waits for the file system more than it
/// computes.
///
/// ```cpp
/// namespace writer = apps::file_writer;
/// const auto recipe = writer::read_recipe("files.txt");
/// apps::output_folder folder("written", writer::is_output);
/// writer::source source(recipe);
/// writer::sink sink(folder.inside() / writer::list_file, recipe);
/// while (auto file = source()) sink(writer::write(folder.inside(), recipe.sync, std::move(*file)));
/// sink.close();
/// folder.close();
/// ```
///
/// Files are independent of each other, and the sink takes them in any order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/file_writer/file.hpp"
#include "apps/file_writer/recipe.hpp"
#include "apps/support/application.hpp"
#include "apps/support/arrivals.hpp"
#include "apps/support/files.hpp"
#include "apps/support/output_folder.hpp"
#include "apps/support/random.hpp"

namespace apps::file_writer {

/// Gives the files of a recipe: `file0000000.bin` and so on.
class source {
 public:
  explicit source(const recipe& of) : recipe_(of), dice_(of.seed) {}
  /// The next file, not yet written; nothing behind the last.
  std::optional<file> operator()();

 private:
  recipe recipe_;
  random dice_;
  std::uint32_t next_ = 0;
};

/// Writes a file into a folder. Its bytes are the numbers that `random` gives for the seed, 8 bytes each,
/// lowest byte first. By any number of threads. \throws error  naming the file, if it cannot be written or is
/// there
file write(const std::filesystem::path& folder, bool sync, file one);

/// The list: name, size and hash of each file, with commas between them, a line each.
inline constexpr std::string_view list_file = "list.csv";

/// The line of a file there.
std::string line_of(const file& written);

/// Collects files, whatever order they come in, and writes the list at its `close`, in the order of the
/// recipe. \throws error  naming the list, if it cannot be written, or if a file comes twice or is none of
/// the recipe
class sink {
 public:
  sink(std::filesystem::path list, const recipe& of)
      : out_(std::move(list)), files_(out_.path(), "file", 0, of.files), lines_(of.files) {}
  void operator()(const file& written);
  /// \throws error  if a file is missing
  void close();

 private:
  output_file out_;
  arrivals files_;
  std::vector<std::string> lines_;
};

/// Whether a folder is one that this application has written: a list, the files in it, and nothing else. Only
/// such a folder may be replaced.
bool is_output(const std::filesystem::path& folder);

/// What tools need to know.
const application& about();

}  // namespace apps::file_writer
