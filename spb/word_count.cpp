#include "spb/word_count.hpp"

#include <string>
#include <utility>
#include <vector>

#include "apps/word_count/inputs.hpp"
#include "apps/word_count/word_count.hpp"
#include "spb/detail/elements.hpp"
#include "spb/detail/plain_stream.hpp"

// What travels of an element: what the source fills.
template <>
struct thalweg::codec<apps::word_count::passage>
    : thalweg::codec_of_members<&apps::word_count::passage::number, &apps::word_count::passage::text> {};

namespace spb {
namespace {

namespace words = apps::word_count;

enum operation : std::size_t { source_op, split_op, combine_op, divide_op, count_op, sink_op };

detail::plain_stream<Item, detail::elements<words::source>, words::sink> current;

words::source source_of(const detail::options& asked, const detail::places& where) {
  const auto from = words::read_stream(where.input);
  detail::forbid_overwriting(from.text, where);
  detail::forbid_overwriting(where.input / words::stream_file, where);
  const auto held = asked.in_memory ? apps::input_held::in_memory : apps::input_held::on_disk;
  return words::source(from.text, from.passes, held);
}

std::vector<std::string> open(const detail::options& asked, const detail::places& where) {
  current.open(detail::elements_of(where, [&] { return source_of(asked, where); }), where.output);
  return words::about().operators;
}

}  // namespace

void init_bench(int argc, char** argv) {
  detail::begin(argc, argv,
                {.about = &words::about(),
                 .open = open,
                 .play = detail::play_source<source_of>,
                 .complete = [] { current.complete(); },
                 .discard = [] { current.discard(); },
                 .counts_at_source = true,
                 .sources_share_input = true,
                 .elements_suffice = true});
}

bool Source::take(detail::feed& by, Item& item) {
  return current.take(by, item);
}
void Split::op(Item& item) {
  detail::work_on_each(split_op, item, words::split);
}
void Combine::op(Item& item) {
  thread_local words::combine combine;  // keeps its memory
  detail::work_on_each(combine_op, item, [](auto some) { return combine(std::move(some)); });
}

std::vector<Item> Divide::op(const Item& item, std::size_t parts) {
  std::vector<Item> made(parts);
  for (std::size_t i = 0; i < parts; ++i) {
    made[i].key = i;
    made[i].timestamp = item.timestamp;
    made[i].batch_index = item.batch_index;
    made[i].sourceId = item.sourceId;
  }
  detail::operate(divide_op, item, [&](const Item& all) {
    for (const auto& some : all) {
      auto divided = words::divide(some, parts);
      for (std::size_t i = 0; i < parts; ++i) made[i].append(std::move(divided[i]));
    }
  });
  return made;
}

void Count::op(Item& item, Counts& state) {
  detail::operate(count_op, item, [&](Item& all) {
    for (const auto& some : all) state.words_(some);
  });
  if (!detail::failed()) detail::note_arrival(item, item.size());
}

void Sink::op(Counts& counts) {
  current.give(sink_op, counts, [](words::sink& sink, Counts& all) { sink(all.words_); });
}

}  // namespace spb
