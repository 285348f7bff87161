#include "spb/file_writer.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/file_writer/file_writer.hpp"
#include "apps/file_writer/operator_names.hpp"
#include "spb/detail/elements.hpp"
#include "spb/detail/plain_stream.hpp"

// What travels of an element: what the source fills.
template <>
struct thalweg::codec<apps::file_writer::file>
    : thalweg::codec_of_members<&apps::file_writer::file::number, &apps::file_writer::file::name,
                                &apps::file_writer::file::size, &apps::file_writer::file::seed> {};

namespace spb {
namespace {

namespace writer = apps::file_writer;

using enum writer::operation;

// The folder, which outlives what is written into it, and whether each file is to be on the disk at once.
struct place {
  apps::output_folder folder;
  bool sync;
};
detail::per_stream<place> all_places;
detail::plain_stream<Item, detail::elements<writer::source>, writer::sink> current;

writer::source source_of(const detail::options& /*asked*/, const detail::places& where) {
  return writer::source(writer::read_recipe(detail::file_of(where, writer::recipe_file)));
}

std::vector<std::string> open(const detail::options& asked, const detail::places& where) {
  const auto recipe = writer::read_recipe(detail::file_of(where, writer::recipe_file));
  const auto& to = all_places.add(apps::output_folder(where.output, writer::is_output), recipe.sync);
  current.open(detail::elements_of(where, [&] { return source_of(asked, where); }),
               to.folder.inside() / writer::list_file, recipe);
  return writer::about().operators;
}

void discard() {
  current.discard();
  all_places.clear();
}

}  // namespace

void init_bench(int argc, char** argv) {
  detail::begin(argc, argv,
                {.about = &writer::about(),
                 .open = open,
                 .play = detail::play_source<source_of>,
                 .complete =
                     [] {
                       current.complete();
                       all_places.for_each([](place& one) { one.folder.close(); });
                     },
                 .discard = discard});
}

bool Source::take(detail::feed& by, Item& item) {
  return current.take(by, item);
}
void Write::op(Item& item) {
  detail::work_on_each(write_op, item, [&](auto file) {
    const auto& to = all_places.of(item);
    return writer::write(to.folder.inside(), to.sync, std::move(file));
  });
}
void Sink::op(Item& item) {
  current.write(sink_op, item);
}

}  // namespace spb
