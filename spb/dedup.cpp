#include "spb/dedup.hpp"

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "apps/dedup/dedup.hpp"
#include "apps/dedup/fragment.hpp"
#include "apps/dedup/inputs.hpp"
#include "apps/dedup/operator_names.hpp"
#include "spb/detail/elements.hpp"
#include "spb/detail/pointer_stream.hpp"

// What travels of an element: what the source fills.
template <>
struct thalweg::codec<apps::dedup::fragment>
    : thalweg::codec_of_members<&apps::dedup::fragment::number, &apps::dedup::fragment::data> {};

namespace spb {
namespace {

namespace dedup = apps::dedup;

using enum dedup::operation;

detail::pointer_stream<Item, detail::elements<dedup::source>, dedup::sink> current;

// What is known of chunks.
struct known {
  dedup::deduplicate chunks;
  std::mutex lock;
};
detail::per_stream<known> all_known;

dedup::source source_of(const detail::options& asked, const detail::places& where) {
  const auto held = asked.in_memory ? apps::input_held::in_memory : apps::input_held::on_disk;
  return dedup::source(detail::file_of(where, dedup::backup_file), held);
}

std::vector<std::string> open(const detail::options& asked, const detail::places& where) {
  current.open(detail::elements_of(where, [&] { return source_of(asked, where); }),
               dedup::sink(where.output));
  all_known.add();
  return dedup::about().operators;
}

}  // namespace

void init_bench(int argc, char** argv) {
  detail::begin(argc, argv,
                {.about = &dedup::about(),
                 .open = open,
                 .play = detail::play_source<source_of>,
                 .complete = [] { current.complete(); },
                 .discard =
                     [] {
                       current.discard();
                       all_known.clear();
                     },
                 .elements_suffice = true});
}

bool Source::take(detail::feed& by, Item& item) {
  return current.take(by, item);
}
void Refine::op(Item& item) {
  detail::work_behind_pointers(refine_op, item, dedup::refine);
}
void Deduplicate::op(Item& item) {
  detail::work_behind_pointers(deduplicate_op, item, [&](auto fragment) {
    auto& now = all_known.of(item);
    const std::lock_guard alone(now.lock);
    return now.chunks(std::move(fragment));
  });
}
void Compress::op(Item& item) {
  thread_local dedup::compress compress;  // its memory serves for all items of the thread
  detail::work_behind_pointers(compress_op, item,
                               [](auto fragment) { return compress(std::move(fragment)); });
}
void Sink::op(Item& item) {
  current.write(sink_op, item);
}

}  // namespace spb
