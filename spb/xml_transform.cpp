#include "spb/xml_transform.hpp"

#include <memory>
#include <string>
#include <vector>

#include "apps/xml_transform/operator_names.hpp"
#include "apps/xml_transform/xml_transform.hpp"
#include "spb/detail/elements.hpp"
#include "spb/detail/file_codec.hpp"
#include "spb/detail/pointer_stream.hpp"

template <>
struct thalweg::codec<apps::xml_transform::document>
    : spb::detail::codec_of_file<apps::xml_transform::document> {};

namespace spb {
namespace {

namespace xml = apps::xml_transform;

using enum xml::operation;

detail::pointer_stream<Item, detail::elements<xml::source>, xml::sink> current;
detail::per_stream<std::shared_ptr<const xml::style_sheet>> styles;

xml::source source_of(const detail::options& asked, const detail::places& where) {
  const auto held = asked.in_memory ? xml::input_held::in_memory : xml::input_held::on_disk;
  return xml::source(xml::read_collection(where.input).documents, held);
}

std::vector<std::string> open(const detail::options& asked, const detail::places& where) {
  const auto collection = xml::read_collection(where.input);
  detail::forbid_overwriting(collection.documents, where);
  detail::forbid_overwriting(collection.style, where);
  const auto& style = styles.add(std::make_shared<const xml::style_sheet>(collection.style));
  current.open(detail::elements_of(where, [&] { return source_of(asked, where); }),
               xml::sink(where.output, collection, *style));
  return xml::about().operators;
}

}  // namespace

void init_bench(int argc, char** argv) {
  detail::begin(argc, argv,
                {.about = &xml::about(),
                 .open = open,
                 .play = detail::play_source<source_of>,
                 .complete = [] { current.complete(); },
                 .discard =
                     [] {
                       current.discard();
                       styles.clear();
                     }});
}

bool Source::take(detail::feed& by, Item& item) {
  return current.take(by, item);
}
void Load::op(Item& item) {
  detail::work_behind_pointers(load_op, item, xml::load{});
}
void Transform::op(Item& item) {
  detail::guarded(false, [&] {
    detail::work_behind_pointers(transform_op, item, xml::transform{styles.of(item)});
    return true;
  });
}
void Sink::op(Item& item) {
  current.write(sink_op, item);
}

}  // namespace spb
