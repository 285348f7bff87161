#include "apps/support/registered_input.hpp"

#include <utility>

#include "apps/support/csv.hpp"
#include "apps/support/error.hpp"
#include "apps/support/hash.hpp"
#include "apps/support/user_folder.hpp"

namespace apps {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t md5_digits = 32, sha256_digits = 64;

bool is_hash(std::string_view text) {
  return (text.size() == md5_digits || text.size() == sha256_digits) &&
         text.find_first_not_of("0123456789abcdef") == text.npos;
}

}  // namespace

fs::path registered_inputs_file() {
  return user_folder("XDG_DATA_HOME", ".local/share") / "thalweg" / "inputs.tsv";
}

std::vector<registered_input> registered_inputs(std::string_view app) {
  std::vector<registered_input> found;
  const auto list = registered_inputs_file();
  std::error_code ignored;
  if (!fs::exists(list, ignored)) return found;
  csv_reader lines(list, '\t');
  while (lines.next()) {
    if (lines.rest().empty() || lines.rest().front() == '#') continue;
    const auto of = lines.field();
    registered_input one;
    one.name = lines.field();
    one.file = lines.field();
    const auto due = lines.field();
    if (one.name.empty() || !one.file.is_absolute())
      lines.fail("this is not an application, a name and an absolute path, with tabs between them");
    if (is_hash(due))
      one.output_hash = due;
    else if (due != "-")
      lines.fail("'" + std::string(due) +
                 "' is neither a SHA-256 nor an MD5, nor the - that stands for none");
    if (of == app) found.push_back(std::move(one));
  }
  return found;
}

std::optional<registered_input> find_registered_input(std::string_view app, std::string_view name) {
  if (name.find('/') != name.npos) return std::nullopt;
  for (auto& one : registered_inputs(app))
    if (one.name == name) return std::move(one);
  return std::nullopt;
}

verdict verify_registered(const registered_input& input, const fs::path& output) {
  if (input.output_hash.empty())
    throw error("what should come of the input '" + input.name +
                "' is not known: it was registered without a hash (./thalweg new-input --hash)");
  const bool is_md5 = input.output_hash.size() == md5_digits;
  const auto found = hash_of_file(output, is_md5 ? hash::md5 : hash::sha256);
  const std::string kind = is_md5 ? "MD5" : "SHA-256";
  if (found == input.output_hash) return {true, "the " + kind + " that was registered"};
  return {false, "the " + kind + " of '" + output.string() + "' is " + found + ", not " + input.output_hash};
}

}  // namespace apps
