#include "apps/xml_transform/operators.hpp"

#include "apps/support/files.hpp"

namespace apps::xml_transform {

document load::operator()(document item) const {
  if (item.content.empty()) item.content = read_file(item.file);
  item.tree = parse(view(item.content), item.file);
  item.content = bytes();
  return item;
}

document transform::operator()(document item) const {
  item.page = by->apply(*item.tree, item.file);
  item.tree.reset();
  return item;
}

}  // namespace apps::xml_transform
