#include "spb/word_count.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/word_count/inputs.hpp"
#include "apps/word_count/operator_names.hpp"
#include "apps/word_count/word_count.hpp"
#include "spb/detail/by_stream.hpp"
#include "spb/detail/elements.hpp"
#include "spb/detail/plain_stream.hpp"

// What travels of an element: what the source fills.
template <>
struct thalweg::codec<apps::word_count::passage>
    : thalweg::codec_of_members<&apps::word_count::passage::number, &apps::word_count::passage::text> {};

namespace spb {

struct detail::word_counts : detail::by_stream<apps::word_count::counts> {};

namespace {

namespace words = apps::word_count;

using enum words::operation;

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

// What the sink takes at the end, as if it were an item.
struct counts_of_stream {
  const words::counts& words;
  std::int16_t sourceId = 0;
  std::int64_t timestamp = 0;  // they came at no time of their own
  [[nodiscard]] std::size_t size() const { return words.size(); }
};

std::size_t place_of(int source) {
  return source < 0 ? 0 : static_cast<std::size_t>(source);
}
const words::counts* words_of(const detail::word_counts* all, int source) {
  return all == nullptr ? nullptr : all->find(place_of(source));
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
    auto& counts = state.words_.use()[current.place_of(item)];
    for (const auto& some : all) counts(some);
  });
  if (!detail::failed()) detail::note_arrival(item, item.size());
}

void Sink::op(Counts& counts) {
  const auto* const all = counts.words_.look();
  for (std::size_t stream = 0; all != nullptr && stream < all->size(); ++stream) {
    counts_of_stream one{*all->find(stream), static_cast<std::int16_t>(stream)};
    current.give(sink_op, one, [](words::sink& sink, const counts_of_stream& of) { sink(of.words); });
  }
}

std::size_t Counts::size(int source) const {
  const auto* const words = words_of(words_.look(), source);
  return words == nullptr ? 0 : words->size();
}
void Counts::for_each(const std::function<void(const std::string& word, std::uint64_t times)>& f,
                      int source) const {
  if (const auto* const words = words_of(words_.look(), source))
    words->for_each([&](std::string_view word, std::uint64_t times) { f(std::string(word), times); });
}
void Counts::add(const std::string& word, std::uint64_t times, int source) {
  words_.use()[place_of(source)].add(word, times);
}

}  // namespace spb
