#include "apps/xml_transform/sink.hpp"

#include <utility>

#include "apps/support/folder.hpp"
#include "apps/support/order.hpp"

namespace apps::xml_transform {

sink::sink(std::filesystem::path file, const collection& from, const style_sheet& by)
    : out_(output_other_than({from.style}, output_other_than(from.documents, std::move(file)))),
      documents_(from.documents.size()),
      ending_(by.ending()) {}

void sink::operator()(const document& one) {
  check_order(out_.path(), "document", one.number, due_++);
  out_.add(one.file.stem().string() + ending_, one.page);
}

void sink::close() {
  check_complete(out_.path(), "document", due_, documents_);
  out_.close();
}

}  // namespace apps::xml_transform
