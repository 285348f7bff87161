#include "spb/hash_search.hpp"

#include <string>
#include <utility>
#include <vector>

#include "apps/hash_search/hash_search.hpp"
#include "apps/hash_search/inputs.hpp"
#include "apps/support/range.hpp"
#include "spb/detail/plain_stream.hpp"

namespace spb {
namespace {

namespace hashes = apps::hash_search;

enum operation : std::size_t { source_op, search_op, sink_op };

detail::plain_stream<Item, hashes::source, hashes::sink> current;
apps::range range;

std::vector<std::string> open(const detail::options& /*asked*/, const detail::places& where) {
  const auto list = detail::file_of(where, hashes::hashes_file);
  const auto beside = list.parent_path() / apps::range_file;
  detail::forbid_overwriting(beside, where);
  hashes::source source(list);
  range = apps::read_range(beside);
  const auto all = source.size();
  current.open(std::move(source), where.output, all);
  return hashes::about().operators;
}

}  // namespace

void init_bench(int argc, char** argv) {
  detail::begin(argc, argv,
                {.about = &hashes::about(),
                 .open = open,
                 .complete = [] { current.complete(); },
                 .discard = [] { current.discard(); }});
}

bool Source::take(detail::feed& by, Item& item) {
  return current.take(by, item);
}
void Search::op(Item& item) {
  detail::work_on_each(search_op, item, [](const auto& one) {
    thread_local hashes::number_hasher hash;  // keeps its memory
    return hashes::search(range, hash, one);
  });
}
void Sink::op(Item& item) {
  current.write(sink_op, item);
}

}  // namespace spb
