#include "app_name.hpp"

#include <string>
#include <vector>

#include "apps/app_name/app_name.hpp"
#include "apps/app_name/inputs.hpp"
#include "apps/app_name/operator_names.hpp"
#include "spb/detail/plain_stream.hpp"

namespace spb {
namespace {

namespace app = apps::app_name;

using enum app::operation;

detail::plain_stream<Item, app::source, app::sink> current;

std::vector<std::string> open(const detail::options& /*asked*/, const detail::places& where) {
  current.open(app::source(detail::file_of(where, app::intervals_file)), where.output);
  return app::about().operators;
}

}  // namespace

void init_bench(int argc, char** argv) {
  detail::begin(argc, argv,
                {.about = &app::about(),
                 .open = open,
                 .complete = [] { current.complete(); },
                 .discard = [] { current.discard(); }});
}

bool Source::take(detail::feed& by, Item& item) {
  return current.take(by, item);
}
void Longest::op(Item& item) {
  detail::work_on_each(longest_op, item, app::longest);
}
void Sink::op(Item& item) {
  current.write(sink_op, item);
}

}  // namespace spb
