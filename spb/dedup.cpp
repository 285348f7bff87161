#include "spb/dedup.hpp"

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "apps/dedup/dedup.hpp"
#include "apps/dedup/inputs.hpp"
#include "spb/detail/plain_stream.hpp"

namespace spb {
namespace {

namespace dedup = apps::dedup;

enum operation : std::size_t { source_op, refine_op, deduplicate_op, compress_op, sink_op };

detail::plain_stream<Item, dedup::source, dedup::sink> current;
dedup::deduplicate state;
std::mutex state_lock;

std::vector<std::string> open(const detail::options& asked, const detail::places& where) {
  const auto held = asked.in_memory ? apps::input_held::in_memory : apps::input_held::on_disk;
  current.open(dedup::source(detail::file_of(where, dedup::backup_file), held), where.output);
  state = {};
  return dedup::about().operators;
}

}  // namespace

void init_bench(int argc, char** argv) {
  detail::begin(argc, argv,
                {.about = &dedup::about(),
                 .open = open,
                 .complete = [] { current.complete(); },
                 .discard = [] { current.discard(); }});
}

bool Source::take(detail::feed& by, Item& item) {
  return current.take(by, item);
}
void Refine::op(Item& item) {
  detail::work_on_each(refine_op, item, dedup::refine);
}
void Deduplicate::op(Item& item) {
  detail::work_on_each(deduplicate_op, item, [](auto fragment) {
    const std::lock_guard alone(state_lock);
    return state(std::move(fragment));
  });
}
void Compress::op(Item& item) {
  thread_local dedup::compress compress;  // its memory serves for all items of the thread
  detail::work_on_each(compress_op, item, [](auto fragment) { return compress(std::move(fragment)); });
}
void Sink::op(Item& item) {
  current.write(sink_op, item);
}

}  // namespace spb
