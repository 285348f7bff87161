#include "apps/video_filter/sink.hpp"

#include <utility>

#include "apps/support/bytes.hpp"
#include "apps/support/folder.hpp"
#include "apps/support/order.hpp"

namespace apps::video_filter {

sink::sink(std::filesystem::path file, const album& from)
    : film_(output_other_than(from.files, std::move(file)), {.size = from.size, .rate = from.filter.rate}),
      frames_(from.files.size()) {}

void sink::operator()(const frame& one) {
  check_order(film_.path(), "frame", one.number, film_.frames());
  film_.add_packed(view(one.packed));
}

void sink::close() {
  check_complete(film_.path(), "frame", film_.frames(), frames_);
  film_.close();
}

}  // namespace apps::video_filter
