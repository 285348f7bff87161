#include "spb/nexmark.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/nexmark/generator.hpp"
#include "apps/nexmark/sink.hpp"
#include "apps/nexmark/source.hpp"
#include "apps/nexmark/workload.hpp"
#include "spb/detail/elements.hpp"
#include "spb/detail/nexmark.hpp"
#include "spb/detail/per_stream.hpp"
#include "spb/detail/plain_stream.hpp"

// What travels of an element: what the source fills.
template <>
struct thalweg::codec<apps::nexmark::event> : thalweg::codec_of_members<&apps::nexmark::event::number> {};

namespace spb {
namespace {

namespace nexmark = apps::nexmark;

using house = std::shared_ptr<const nexmark::generator>;

detail::plain_stream<Item, detail::elements<nexmark::source>, nexmark::sink> current;
detail::per_stream<house> houses;  // of the same places
detail::nexmark_query make_query = nullptr;

house house_of(const detail::places& where) {
  return std::make_shared<const nexmark::generator>(
      nexmark::read_workload(detail::file_of(where, nexmark::workload_file)));
}

nexmark::source source_of(const detail::options& asked, const house& events) {
  return {events, asked.in_memory ? apps::input_held::in_memory : apps::input_held::on_disk};
}
nexmark::source played_source(const detail::options& asked, const detail::places& where) {
  return source_of(asked, house_of(where));
}

void open(const detail::options& asked, const detail::places& where) {
  const auto& events = houses.add(house_of(where));
  current.open(detail::elements_of(where, [&] { return source_of(asked, events); }), where.output);
}

const nexmark::generator& first_house() {
  return *houses.at(0);
}

}  // namespace

// A query for each stream, and when it was last told something.
struct detail::nexmark_queries {
  struct one {
    std::unique_ptr<nexmark::query> of;
    std::int64_t timestamp = 0;
    std::int16_t source = -1;
  };
  std::vector<one> all;
  std::vector<std::string> lines;

  std::vector<Result> results(const one& from) {
    std::vector<Result> made(lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      made[i].line = std::move(lines[i]);
      made[i].timestamp = from.timestamp;
      made[i].sourceId = from.source;
    }
    lines.clear();
    return made;
  }
};

void detail::begin_nexmark(int argc, char** argv, const apps::application& about, nexmark_query make) {
  make_query = make;
  const auto open_with_names = [&about](const options& asked, const places& where) {
    open(asked, where);
    return about.operators;
  };
  begin(argc, argv,
        {.about = &about,
         .open = open_with_names,
         .play = play_source<played_source>,
         .complete = [] { current.complete(); },
         .discard =
             [] {
               current.discard();
               houses.clear();
             },
         .counts_at_source = true});
}

std::chrono::milliseconds disorder() {
  return first_house().of().disorder;
}
std::chrono::milliseconds longest_auction() {
  return first_house().longest_auction();
}

bool Source::take(detail::feed& by, Item& item) {
  return detail::guarded(false, [&] {
    detail::require_items_of_one(by, "Nexmark", "event");
    return current.take(by, item);
  });
}

void Generate::op(Item& item) {
  detail::operate(detail::nexmark_generate_op, item, [](Item& events) {
    for (auto& one : events)
      if (one.what == nexmark::kind::none) houses.of(events)->make(one);
  });
}

std::vector<Result> Query::op(const Item& item) {
  std::vector<Result> made;
  detail::operate(detail::nexmark_query_op, item, [&](const Item& events) {
    if (!queries_) queries_ = std::make_shared<detail::nexmark_queries>();
    const auto place = houses.place_of(item);
    if (place >= queries_->all.size()) queries_->all.resize(place + 1);
    auto& mine = queries_->all[place];
    if (!mine.of) mine.of = make_query(houses.at(place)->of());
    mine.timestamp = item.timestamp;
    mine.source = item.sourceId;
    for (const auto& one : events) mine.of->take(one, queries_->lines);
    if (!queries_->lines.empty()) made = queries_->results(mine);
  });
  return made;
}

std::vector<Result> Query::end() {
  std::vector<Result> made;
  detail::guarded(false, [&] {
    if (!queries_) return true;
    for (auto& one : queries_->all) {
      if (one.of) one.of->end(queries_->lines);
      for (auto& result : queries_->results(one)) made.push_back(std::move(result));
    }
    return true;
  });
  return made;
}

void Sink::op(Item& item) {
  current.write(detail::nexmark_sink_op, item);
}
void Sink::op(Result& result) {
  current.give(detail::nexmark_sink_op, result, [](nexmark::sink& sink, const Result& of) { sink(of.line); });
}

}  // namespace spb
