#include "spb/file_writer.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/file_writer/file_writer.hpp"
#include "spb/detail/plain_stream.hpp"

namespace spb {
namespace {

namespace writer = apps::file_writer;

enum operation : std::size_t { source_op, write_op, sink_op };

std::optional<apps::output_folder> folder;  // outlives what is written into it
detail::plain_stream<Item, writer::source, writer::sink> current;
bool sync = false;

std::vector<std::string> open(const detail::options& /*asked*/, const detail::places& where) {
  const auto recipe = writer::read_recipe(detail::file_of(where, writer::recipe_file));
  sync = recipe.sync;
  folder.emplace(where.output, writer::is_output);
  current.open(writer::source(recipe), folder->inside() / writer::list_file, recipe);
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
