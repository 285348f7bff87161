#include "apps/nexmark/application.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/support/files.hpp"
#include "apps/support/named_input.hpp"

namespace apps::nexmark {
namespace {

std::vector<std::string_view> sorted_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    lines.push_back(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(lines.back().size() + 1, text.size()));
  }
  std::ranges::sort(lines);
  return lines;
}

std::string quoted(std::string_view line) {
  return std::string("'").append(line).append("'");
}

}  // namespace

verdict compare(std::string expected, std::string found) {
  if (!found.empty() && found.back() != '\n') return {false, "the last line is cut off"};
  const auto due = sorted_lines(expected);
  const auto came = sorted_lines(found);
  const auto [missing, other] = std::ranges::mismatch(due, came);
  if (missing == due.end() && other == came.end())
    return {true, std::to_string(due.size()) + " lines, those of another program"};
  if (other == came.end() || (missing != due.end() && *missing < *other))
    return {false, "the line " + quoted(*missing) + " is missing"};
  return {false, "the line " + quoted(*other) + " should not be there, or comes too often"};
}

application query_application(std::string name, std::string says, std::string operation,
                              expectation expected) {
  application made;
  made.name = std::move(name);
  made.says = std::move(says);
  made.output = "the list of results";
  for (const auto& input : inputs) made.inputs.emplace_back(input.name);
  made.operators = {"source", "generate", std::move(operation), "sink"};
  made.generate = [app = made.name](std::string_view input, const std::filesystem::path& folder,
                                    const progress& told) {
    write_workload(named_input(inputs, app, input).of, folder / workload_file);
    if (told) told(1, 1);
  };
  made.verify = [expected](std::string_view /*input*/, const std::filesystem::path& folder,
                           const std::filesystem::path& output) {
    const generator house(read_workload(folder / workload_file));
    auto found = compare(expected(house), std::string(view(read_file(output))));
    if (!found.good) found.says = output.string() + ": " + found.says;
    return found;
  };
  return made;
}

}  // namespace apps::nexmark
