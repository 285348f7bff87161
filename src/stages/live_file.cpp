#include <thalweg/pipe/moment.hpp>
#include <thalweg/stages/atomic_file.hpp>
#include <thalweg/stages/clock.hpp>
#include <thalweg/stages/input.hpp>
#include <thalweg/stages/live_file.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace THALWEG_NAMESPACE::stages {

namespace fs = std::filesystem;

namespace {

// Collected before it is written.
constexpr std::size_t most_taken = std::size_t{256} << 10U;
constexpr const char* cannot_open = "cannot open the file";
constexpr const char* cannot_write = "cannot write the file";
constexpr const char* cannot_put_aside = "cannot put the file aside";

// Longer ones are not ours: a date, say.
constexpr std::size_t most_digits = 7;

std::optional<std::int64_t> number_of(std::string_view text) {
  if (text.size() > most_digits) return {};
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size() || n < 1) return {};
  return n;
}

// What is behind "NAME." in the name of a file that was put aside: a number; or a time and a number.
struct aside_name {
  std::string time;
  std::int64_t number = 0;
  friend auto operator<=>(const aside_name&, const aside_name&) = default;
};

constexpr std::string_view time_form = "00000000T000000Z";

std::optional<aside_name> parsed(std::string_view text, bool by_time) {
  if (!by_time) {
    if (const auto n = number_of(text)) return aside_name{"", *n};
    return {};
  }
  if (text.size() < time_form.size()) return {};
  for (std::size_t i = 0; i < time_form.size(); ++i) {
    const bool digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    if (time_form[i] == '0' ? !digit : text[i] != time_form[i]) return {};
  }
  const auto rest = text.substr(time_form.size());
  if (rest.empty()) return aside_name{std::string(text), 1};
  const auto n = rest[0] == '-' ? number_of(rest.substr(1)) : std::nullopt;
  if (!n) return {};
  return aside_name{std::string(text.substr(0, time_form.size())), *n};
}

// The files that `target` was put aside to, the oldest first.
std::vector<std::pair<aside_name, fs::path>> put_aside(const fs::path& target, bool by_time) {
  std::vector<std::pair<aside_name, fs::path>> found;
  const auto begin = target.filename().string() + ".";
  for (const auto& entry : fs::directory_iterator(target.parent_path())) {
    const auto name = entry.path().filename().string();
    if (!name.starts_with(begin)) continue;
    if (auto aside = parsed(std::string_view(name).substr(begin.size()), by_time))
      found.emplace_back(*std::move(aside), entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string time_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &utc)};
}

}  // namespace

live_file::live_file(const fs::path& target, options how) : target_(place_of(target)), how_(how) {
  const bool rotates = how.rotate.bytes > 0 || how.rotate.every.count() > 0;
  fd_ = open_file(how.append || rotates);
  if (rotates && !regular_) {
    ::close(std::exchange(fd_, -1));
    fail("cannot put aside the file, which is not a regular file", ENOTSUP);
  }
  begin_period();
  // Nothing that was there is lost.
  if (rotates && !how.append && size_ > 0) rotate();
}

live_file::~live_file() {
  if (fd_ < 0) return;
  try {
    flush();
  } catch (const fs::filesystem_error&) {  // nobody is there to be told
  }
  ::close(fd_);
}

int live_file::open_file(bool append) {
  constexpr mode_t as_the_user_wants = 0666;
  const int fd = ::open(target_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC),
                        as_the_user_wants);
  if (fd < 0) fail(cannot_open, errno);
  struct stat status {};
  if (::fstat(fd, &status) != 0) {
    const int why = errno;
    ::close(fd);
    fail(cannot_open, why);
  }
  regular_ = S_ISREG(status.st_mode);
  size_ = regular_ ? static_cast<std::int64_t>(status.st_size) : 0;
  return fd;
}

void live_file::begin_period() {
  if (how_.rotate.every.count() > 0) rotate_at_ = pipe::later(now_ns(), how_.rotate.every.count());
}

void live_file::write(std::string_view bytes, std::string_view line_end) {
  const auto n = bytes.size() + line_end.size();
  const auto most = how_.rotate.bytes;
  if (put_aside_ || (most > 0 && has_content() && size_ + used() + static_cast<std::int64_t>(n) > most))
    rotate();
  if (taken_.size() + n > most_taken) spill();
  if (n <= most_taken) {
    if (taken_.empty() && how_.flush_every.count() > 0)
      flush_at_ = pipe::later(now_ns(), how_.flush_every.count());
    taken_.append(bytes).append(line_end);
    return;
  }
  // It goes to the file at once, as a whole or not at all.
  const auto before = size_;
  try {
    put(bytes);
    put(line_end);
  } catch (...) {
    if (regular_ && ::ftruncate(fd_, before) == 0) size_ = before;
    throw;
  }
}

void live_file::put(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(fd_, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
      size_ += written;
    } else if (errno != EINTR) {
      fail(cannot_write, errno);
    }
  }
}

void live_file::spill() {
  if (taken_.empty()) return;
  const auto before = size_;
  try {
    put(taken_);
  } catch (...) {
    taken_.erase(0, static_cast<std::size_t>(size_ - before));
    // The next try is a period from now.
    if (how_.flush_every.count() > 0) flush_at_ = pipe::later(now_ns(), how_.flush_every.count());
    throw;
  }
  taken_.clear();
  flush_at_ = never;
  failing_ = false;
}

void live_file::flush() {
  spill();
  if (how_.sync && regular_ && ::fsync(fd_) != 0) fail("cannot write the file to the disk", errno);
}

void live_file::close() {
  flush();
  // Some file systems find out only now that they cannot write.
  if (::close(std::exchange(fd_, -1)) != 0) fail(cannot_write, errno);
}

std::int64_t live_file::deadline() const noexcept {
  return std::min(flush_at_, rotate_at_);
}

void live_file::on_time(std::int64_t now) {
  if (rotate_at_ <= now) {
    begin_period();  // an error is not met again at once
    if (has_content()) rotate();
  }
  if (flush_at_ <= now) flush();
}

void live_file::rotate() {
  flush();
  if (!put_aside_) {
    const auto name = next_name();
    if (::rename(target_.c_str(), name.c_str()) != 0) fail(cannot_put_aside, errno);
    put_aside_ = true;
  }
  const auto size = size_;
  int fd = -1;
  try {
    fd = open_file(true);
  } catch (...) {
    size_ = size;  // the file that is open still
    throw;
  }
  put_aside_ = false;
  ::close(std::exchange(fd_, fd));
  begin_period();
  remove_oldest();
}

fs::path live_file::next_name() {
  const auto aside = put_aside(target_, how_.rotate.named_by_time);
  std::int64_t number = 1;
  std::string text;
  if (!how_.rotate.named_by_time) {
    if (!aside.empty()) number = aside.back().first.number + 1;
    text = std::to_string(number);
  } else {
    text = time_now();
    for (const auto& [name, path] : aside) {
      if (name.time == text) number = name.number + 1;
    }
    if (number > 1) text += "-" + std::to_string(number);
  }
  auto path = target_;
  path += "." + text;
  return path;
}

void live_file::remove_oldest() const {
  if (how_.rotate.keep <= 0) return;
  const auto aside = put_aside(target_, how_.rotate.named_by_time);
  for (std::size_t i = 0; i + static_cast<std::size_t>(how_.rotate.keep) < aside.size(); ++i) {
    std::error_code ignored;  // somebody else may have removed it
    fs::remove(aside[i].second, ignored);
  }
}

void live_file::fail(const char* what, int error) {
  failing_ = true;
  thalweg::stages::fail(what, target_, error);
}

}  // namespace THALWEG_NAMESPACE::stages
