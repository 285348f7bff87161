#include "spb/video_filter.hpp"

#include <string>
#include <vector>

#include "apps/video_filter/operator_names.hpp"
#include "apps/video_filter/video_filter.hpp"
#include "spb/detail/elements.hpp"
#include "spb/detail/file_codec.hpp"
#include "spb/detail/frame_stream.hpp"

template <>
struct thalweg::codec<apps::video_filter::frame>
    : spb::detail::codec_of_file<apps::video_filter::frame, &apps::video_filter::frame::size> {};

namespace spb {
namespace {

namespace video = apps::video_filter;

using enum video::operation;

detail::frame_stream<Item, detail::elements<video::source>, video::sink> current;
detail::per_stream<video::filter> filters;

video::source source_of(const detail::options& asked, const detail::places& where) {
  const auto held = asked.in_memory ? video::input_held::in_memory : video::input_held::on_disk;
  return video::source(video::read_album(where.input), held);
}

std::vector<std::string> open(const detail::options& asked, const detail::places& where) {
  const auto album = video::read_album(where.input);
  filters.add(album.filter);
  detail::forbid_overwriting(album.files, where);
  detail::forbid_overwriting(where.input / video::filter_file, where);
  current.open(detail::elements_of(where, [&] { return source_of(asked, where); }),
               video::sink(where.output, album));
  return video::about().operators;
}

}  // namespace

void init_bench(int argc, char** argv) {
  detail::begin(argc, argv,
                {.about = &video::about(),
                 .open = open,
                 .play = detail::play_source<source_of>,
                 .complete = [] { current.complete(); },
                 .discard =
                     [] {
                       current.discard();
                       filters.clear();
                     }});
}

bool Source::take(detail::feed& by, Item& item) {
  return current.take(by, item);
}

// Those who read and pack keep their memory from one item to the next on the same thread.
void Read::op(Item& item) {
  detail::guarded(false, [&] {
    thread_local video::read read;
    detail::work_behind_pointers(read_op, item, read);
    return true;
  });
}
void Blur::op(Item& item) {
  detail::guarded(false, [&] {
    detail::work_behind_pointers(blur_op, item, video::blur{filters.of(item)});
    return true;
  });
}
void Sobel::op(Item& item) {
  detail::guarded(false, [&] {
    detail::work_behind_pointers(sobel_op, item, video::sobel{filters.of(item)});
    return true;
  });
}
void Pack::op(Item& item) {
  detail::guarded(false, [&] {
    thread_local video::pack pack;
    detail::work_behind_pointers(pack_op, item, pack);
    return true;
  });
}
void Sink::op(Item& item) {
  current.write(sink_op, item);
}

}  // namespace spb
