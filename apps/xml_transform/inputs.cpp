#include "apps/xml_transform/inputs.hpp"

#include "apps/support/files.hpp"
#include "apps/support/named_input.hpp"
#include "apps/xml_transform/page.hpp"
#include "apps/xml_transform/statement.hpp"

namespace apps::xml_transform {

std::string document_name(std::uint32_t number) {
  return "statement" + std::to_string(100'000 + number).substr(1);
}

void generate(std::string_view name, const std::filesystem::path& folder, const progress& told) {
  const auto& input = named_input(inputs, "xml_transform", name);
  for (std::uint32_t number = 0; number < input.documents; ++number) {
    write_file(folder / (document_name(number) + ".xml"),
               xml_of(invent_statement(input.seed, number, input.lines)));
    if (told && (number + 1) % 64 == 0) told(number + 1, input.documents);
  }
  write_file(folder / style_file, statement_style);
  if (told) told(input.documents, input.documents);
}

}  // namespace apps::xml_transform
