#include "spb/hash_search.hpp"

#include <string>
#include <utility>
#include <vector>

#include "apps/hash_search/hash_search.hpp"
#include "apps/hash_search/inputs.hpp"
#include "apps/hash_search/operator_names.hpp"
#include "apps/hash_search/wanted.hpp"
#include "apps/support/range.hpp"
#include "spb/detail/elements.hpp"
#include "spb/detail/pointer_stream.hpp"

// What travels of an element: what the source fills.
template <>
struct thalweg::codec<apps::hash_search::wanted>
    : thalweg::codec_of_members<&apps::hash_search::wanted::place, &apps::hash_search::wanted::hash> {};

namespace spb {
namespace {

namespace hashes = apps::hash_search;

using enum hashes::operation;

detail::pointer_stream<Item, detail::elements<hashes::source>, hashes::sink> current;
detail::per_stream<apps::range> ranges;

hashes::source source_of(const detail::options& /*asked*/, const detail::places& where) {
  return hashes::source(detail::file_of(where, hashes::hashes_file));
}

std::vector<std::string> open(const detail::options& asked, const detail::places& where) {
  const auto list = detail::file_of(where, hashes::hashes_file);
  const auto beside = list.parent_path() / apps::range_file;
  detail::forbid_overwriting(beside, where);
  const auto all = hashes::source(list).size();
  ranges.add(apps::read_range(beside));
  current.open(detail::elements_of(where, [&] { return source_of(asked, where); }),
               hashes::sink(where.output, all));
  return hashes::about().operators;
}

}  // namespace

void init_bench(int argc, char** argv) {
  detail::begin(argc, argv,
                {.about = &hashes::about(),
                 .open = open,
                 .play = detail::play_source<source_of>,
                 .complete = [] { current.complete(); },
                 .discard =
                     [] {
                       current.discard();
                       ranges.clear();
                     }});
}

bool Source::take(detail::feed& by, Item& item) {
  return current.take(by, item);
}
void Search::op(Item& item) {
  detail::work_behind_pointers(search_op, item, [&](const auto& one) {
    thread_local hashes::number_hasher hash;  // keeps its memory
    return hashes::search(ranges.of(item), hash, one);
  });
}
void Sink::op(Item& item) {
  current.write(sink_op, item);
}

}  // namespace spb
