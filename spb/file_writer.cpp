#include "spb/file_writer.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/file_writer/file_writer.hpp"
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

enum operation : std::size_t { source_op, write_op, sink_op };

std::optional<apps::output_folder> folder;  // outlives what is written into it
detail::plain_stream<Item, detail::elements<writer::source>, writer::sink> current;
bool sync = false;

writer::source source_of(const detail::options& /*asked*/, const detail::places& where) {
  return writer::source(writer::read_recipe(detail::file_of(where, writer::recipe_file)));
}

std::vector<std::string> open(const detail::options& asked, const detail::places& where) {
  const auto recipe = writer::read_recipe(detail::file_of(where, writer::recipe_file));
  sync = recipe.sync;
  folder.emplace(where.output, writer::is_output);
  current.open(detail::elements_of(where, [&] { return source_of(asked, where); }),
               folder->inside() / writer::list_file, recipe);
  return writer::about().operators;
}

void discard() {
  current.discard();
  folder.reset();
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
                       folder->close();
                     },
                 .discard = discard});
}

bool Source::take(detail::feed& by, Item& item) {
  return current.take(by, item);
}
void Write::op(Item& item) {
  detail::work_on_each(write_op, item,
                       [](auto file) { return writer::write(folder->inside(), sync, std::move(file)); });
}
void Sink::op(Item& item) {
  current.write(sink_op, item);
}

}  // namespace spb
