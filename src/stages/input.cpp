#include <thalweg/stages/input.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace THALWEG_NAMESPACE::stages {

namespace {

constexpr std::size_t most_buffered = std::size_t{256} << 10U;
constexpr std::size_t least_buffered = std::size_t{4} << 10U;
// For what does not say how long it is: pipes, terminals, the files of /proc.
constexpr std::size_t usually_buffered = std::size_t{64} << 10U;

// Waits until a read would not. False if `stop` is requested first.
bool wait_readable(int fd, const std::stop_token& stop) {
  std::array<pollfd, 2> both{pollfd{fd, POLLIN, 0}, pollfd{-1, POLLIN, 0}};
  if (stop.stop_requested()) return false;
  if (::poll(both.data(), 1, 0) != 0) return true;  // ready; or an error, which the read will tell
  struct event {
    int fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    event() = default;
    event(const event&) = delete;
    event& operator=(const event&) = delete;
    ~event() {
      if (fd >= 0) ::close(fd);
    }
  } const bell;
  const std::stop_callback ring(stop, [&] {
    if (bell.fd >= 0) (void)::eventfd_write(bell.fd, 1);
  });
  both[1].fd = bell.fd;
  constexpr int without_bell_ms = 20;
  for (;;) {
    const int ready = ::poll(both.data(), both.size(), bell.fd >= 0 ? -1 : without_bell_ms);
    if (stop.stop_requested()) return false;
    if (ready > 0 && both[0].revents != 0) return true;
  }
}

}  // namespace

void fail(const char* what, const std::filesystem::path& path, int error) {
  throw std::filesystem::filesystem_error(what, path, std::error_code(error, std::generic_category()));
}

bool is_stdin(const std::filesystem::path& path) {
  return path == "-" || path == "/dev/stdin";
}

input::input(const std::filesystem::path& path, const compression& how)
    : path_(path), fd_(0), own_(!is_stdin(path)) {
  if (how.way()) packed_.emplace(packed{how.way()});
  if (!own_) {
    path_ = "standard input";
    look();
    return;
  }
  fd_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) fail("cannot open the file", path_, errno);
  try {
    look();
  } catch (...) {
    ::close(fd_);
    throw;
  }
}

input::~input() {
  if (own_) ::close(fd_);
}

void input::look() {
  struct stat status {};
  if (::fstat(fd_, &status) != 0) fail("cannot read", path_, errno);
  if (S_ISDIR(status.st_mode)) fail("cannot read", path_, EISDIR);
  regular_ = S_ISREG(status.st_mode);
  if (regular_) {
    size_ = static_cast<std::uint64_t>(status.st_size);
    ::posix_fadvise(fd_, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  // One byte more than the file: the read that finds the end needs room.
  capacity_ =
      size_ == 0
          ? usually_buffered
          : static_cast<std::size_t>(std::clamp<std::uint64_t>(size_ + 1, least_buffered, most_buffered));
  buffer_ = std::make_unique_for_overwrite<char[]>(capacity_);
}

std::uint64_t input::expected() const noexcept {
  return size_ > read_ ? size_ - read_ : 0;
}

std::size_t input::read_some(void* to, std::size_t n, const std::stop_token& stop) {
  for (;;) {
    if (!regular_ && !wait_readable(fd_, stop)) return 0;
    const auto got = ::read(fd_, to, n);
    if (got >= 0) {
      read_ += static_cast<std::uint64_t>(got);
      return static_cast<std::size_t>(got);
    }
    // What waits on another process may be non-blocking: somebody was faster than we.
    if (errno != EINTR && errno != EAGAIN) fail("cannot read", path_, errno);
  }
}

bool input::fill(const std::stop_token& stop) {
  begin_ = end_ = 0;
  if (packed_) {
    if (!packed_->undo && !find_out(stop)) return false;
    if (packed_) return unpack(stop);
    if (end_ != 0) return true;  // what was looked at
  }
  end_ = read_some(buffer_.get(), capacity_, stop);
  return end_ != 0;
}

// Whether the file is compressed, by its first bytes. False if `stop` is requested before they are there.
bool input::find_out(const std::stop_token& stop) {
  auto& its = *packed_;
  if (!its.read) its.read = std::make_unique_for_overwrite<char[]>(capacity_);
  while (its.end < packing::first_bytes) {
    const auto got = read_some(its.read.get() + its.end, capacity_ - its.end, stop);
    if (got == 0 && stop.stop_requested()) return false;
    if (got == 0) break;
    its.end += got;
  }
  its.undo = its.way->unpacks({its.read.get(), its.end});
  if (its.undo) {
    // A small file may be large when it is unpacked.
    buffer_ = std::make_unique_for_overwrite<char[]>(most_buffered);
  } else {
    buffer_ = std::move(its.read);
    end_ = its.end;
    packed_.reset();
  }
  return true;
}

bool input::unpack(const std::stop_token& stop) {
  auto& its = *packed_;
  for (;;) {
    const auto step = its.undo->unpack(its.ahead(), {buffer_.get(), most_buffered});
    its.begin += step.taken;
    its.taken += step.taken;
    if (step.made > 0) {
      end_ = step.made;
      return true;
    }
    if (its.begin < its.end && step.taken > 0) continue;
    if (its.begin < its.end) throw damaged_data("the compressed data cannot be unpacked");
    const auto got = read_some(its.read.get(), capacity_, stop);
    its.begin = 0;
    its.end = got;
    if (got > 0) continue;
    if (stop.stop_requested() || its.undo->complete()) return false;
    throw damaged_data("the compressed data ends too early");
  }
}

std::size_t input::read(std::byte* to, std::size_t n, const std::stop_token& stop) {
  if (ahead().empty()) {
    if (n >= capacity_) return read_some(to, n, stop);
    if (!fill(stop)) return 0;
  }
  n = std::min(n, ahead().size());
  std::memcpy(to, ahead().data(), n);
  take(n);
  return n;
}

}  // namespace THALWEG_NAMESPACE::stages
