#include <string>

#include "apps/support/named_input.hpp"
#include "apps/xml_transform/archive.hpp"
#include "apps/xml_transform/inputs.hpp"
#include "apps/xml_transform/page.hpp"
#include "apps/xml_transform/statement.hpp"

namespace apps::xml_transform {

verdict verify(std::string_view name, const std::filesystem::path& /*folder*/,
               const std::filesystem::path& output) {
  const auto& input = named_input(inputs, "xml_transform", name);
  archive_reader pages(output);
  const auto wrong = [&](const std::string& what) { return verdict{false, output.string() + ": " + what}; };
  for (std::uint32_t number = 0; number < input.documents; ++number) {
    const auto due = document_name(number) + ".html";
    const auto page = pages.next();
    if (!page) return wrong("'" + due + "' is missing");
    if (page->name != due) return wrong("'" + std::string(page->name) + "' comes where '" + due + "' is due");
    if (page->content != page_of(invent_statement(input.seed, number, input.lines)))
      return wrong("'" + due + "' is not the page of its statement");
  }
  if (pages.next()) return wrong("it has more than " + std::to_string(input.documents) + " pages");
  return {true, std::to_string(input.documents) + " pages, as written by hand"};
}

}  // namespace apps::xml_transform
