#include "apps/file_writer/inputs.hpp"

#include "apps/support/files.hpp"
#include "apps/support/named_input.hpp"

namespace apps::file_writer {

void generate(std::string_view name, const std::filesystem::path& folder, const progress& told) {
  write_file(folder / recipe_file, text_of(named_input(inputs, "file_writer", name).files));
  if (told) told(1, 1);
}

}  // namespace apps::file_writer
