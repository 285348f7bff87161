#include "apps/support/stream_file.hpp"

#include <mutex>
#include <utility>

namespace apps {

namespace {

template <class Stream> struct said {
  std::filesystem::path path;
  std::unique_ptr<Stream> stream;
  bool keep = true;
};

std::mutex lock;
said<onward_bytes> onward;
said<coming_bytes> coming;

}  // namespace

void send_on(const std::filesystem::path& path, std::unique_ptr<onward_bytes> to, bool keep) {
  const std::lock_guard alone(lock);
  onward = {path, std::move(to), keep};
}

void read_from(const std::filesystem::path& path, std::unique_ptr<coming_bytes> from) {
  const std::lock_guard alone(lock);
  coming = {path, std::move(from), true};
}

bool is_stream_left() {
  const std::lock_guard alone(lock);
  return onward.stream || coming.stream;
}

taken_onward take_onward(const std::filesystem::path& path) {
  const std::lock_guard alone(lock);
  if (!onward.stream || path != onward.path) return {};
  return {std::move(onward.stream), onward.keep};
}

std::unique_ptr<coming_bytes> take_coming(const std::filesystem::path& path) {
  const std::lock_guard alone(lock);
  if (!coming.stream || path != coming.path) return nullptr;
  return std::move(coming.stream);
}

}  // namespace apps
