#include "spb/ferret.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/ferret/ferret.hpp"
#include "apps/ferret/inputs.hpp"
#include "apps/ferret/operator_names.hpp"
#include "apps/ferret/query.hpp"
#include "apps/support/folder.hpp"
#include "spb/detail/elements.hpp"
#include "spb/detail/per_stream.hpp"
#include "spb/detail/picture_codec.hpp"
#include "spb/detail/pointer_stream.hpp"
#include "spb/detail/session.hpp"

// What travels of an element: what the source fills.
template <>
struct thalweg::codec<apps::ferret::query>
    : thalweg::codec_of_members<&apps::ferret::query::number, &apps::ferret::query::name,
                                &apps::ferret::query::shown> {};

namespace spb {
namespace {

namespace ferret = apps::ferret;
namespace fs = std::filesystem;

using enum ferret::operation;

// What is asked for may be anything that the application reads; the collection lies beside it, or in it.
fs::path queries_of(const detail::places& where) {
  const bool whole = fs::is_directory(where.input) && fs::exists(where.input / ferret::queries_file);
  return whole ? where.input / ferret::queries_file : where.input;
}

ferret::source source_of(const detail::options& asked, const detail::places& where) {
  using ferret::input_held;
  return ferret::source(queries_of(where), asked.in_memory ? input_held::in_memory : input_held::on_disk);
}

struct stream {
  using pull = detail::appending<detail::pointer_source<detail::elements<ferret::source>>>;
  stream(detail::elements<ferret::source> from, const fs::path& features, const fs::path& output)
      : intake(pull{{std::move(from)}}),
        collection(ferret::database::load(features)),
        through(collection),
        sink(output, collection) {}
  detail::intake<Item, pull> intake;
  ferret::database collection;
  ferret::index through;
  ferret::sink sink;
  std::mutex sink_lock;
  const std::uint64_t number = ++made;  // none has had it before in this process

 private:
  inline static std::atomic<std::uint64_t> made{0};
};

detail::per_stream<stream> streams;

std::vector<std::string> open(const detail::options& asked, const detail::places& where) {
  const auto queries = queries_of(where);
  const auto features =
      (fs::is_directory(where.input) ? where.input : where.input.parent_path()) / ferret::database_file;
  if (fs::is_directory(queries))
    detail::forbid_overwriting(apps::files_in(queries, {".ppm"}), where);
  else
    detail::forbid_overwriting(queries, where);
  detail::forbid_overwriting(features, where);
  streams.add(detail::elements_of(where, [&] { return source_of(asked, where); }), features, where.output);
  return {"source", "segmentation", "extract", "vectorization", "rank", "sink"};
}

}  // namespace

void init_bench(int argc, char** argv) {
  detail::begin(argc, argv,
                {.about = &ferret::about(),
                 .open = open,
                 .play = detail::play_source<source_of>,
                 .complete = [] { streams.for_each([](stream& one) { one.sink.close(); }); },
                 .discard = [] { streams.clear(); }});
}

bool Source::take(detail::feed& by, Item& item) {
  return detail::guarded(false, [&] { return streams.of(by).intake.take(by, item); });
}

// Segmentation and vectorization keep their memory from one item to the next on the same thread.
void Segmentation::op(Item& item) {
  thread_local ferret::segmentation segmentation;
  detail::work_behind_pointers(segmentation_op, item, segmentation);
}

void Extract::op(Item& item) {
  detail::work_behind_pointers(extract_op, item, ferret::extract{});
}

void Vectorization::op(Item& item) {
  thread_local std::uint64_t of = 0;
  thread_local std::optional<ferret::vectorization> vectorization;
  detail::guarded(false, [&] {
    auto& now = streams.of(item);
    if (of != now.number) {
      vectorization.emplace(now.through);
      of = now.number;
    }
    detail::work_behind_pointers(vectorization_op, item, *vectorization);
    return true;
  });
}

void Rank::op(Item& item) {
  detail::guarded(false, [&] {
    detail::work_behind_pointers(rank_op, item, ferret::rank(streams.of(item).collection));
    return true;
  });
}

void Sink::op(Item& item) {
  detail::guarded(false, [&] {
    auto& to = streams.of(item);
    detail::deliver(sink_op, item, to.sink_lock, [&](Item& all) {
      for (const auto& ranked : all) to.sink(*ranked);
    });
    return true;
  });
}

}  // namespace spb
