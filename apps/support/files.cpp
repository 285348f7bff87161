#include "apps/support/files.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/support/error.hpp"
#include "apps/support/interruption.hpp"

namespace apps {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t buffer_size = std::size_t{256} << 10U;

[[noreturn]] void fail(const char* what, const fs::path& path, int why) {
  throw error(std::string(what) + " '" + path.string() + "': " + std::generic_category().message(why));
}

constexpr mode_t as_the_user_wants = 0666;

void write_all(int file, std::string_view bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const auto n = ::write(file, bytes.data(), bytes.size());
    if (n >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno != EINTR) {
      fail("cannot write", path, errno);
    }
  }
}

// Some file systems write when a file is closed, and only then find out that they cannot.
void close_written(descriptor& file, const fs::path& path) {
  if (::close(file.release()) != 0) fail("cannot write", path, errno);
}

}  // namespace

descriptor& descriptor::operator=(descriptor&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}

void descriptor::reset() noexcept {
  if (fd_ >= 0) ::close(release());
}

input_file::input_file(fs::path path) : path_(std::move(path)), coming_(take_coming(path_)) {
  if (coming_) return;
  file_ = descriptor(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (file_.get() < 0) fail("cannot open", path_, errno);
  struct stat about {};
  if (::fstat(file_.get(), &about) != 0) fail("cannot open", path_, errno);
  if (S_ISDIR(about.st_mode)) fail("cannot read", path_, EISDIR);
  if (S_ISREG(about.st_mode)) size_ = static_cast<std::uint64_t>(about.st_size);
}

std::size_t input_file::read(char* to, std::size_t size) {
  check_interruption();
  std::size_t got = 0;
  while (coming_ && got < size) {
    const auto n = coming_->read(to + got, size - got);
    if (n == 0) return got;
    got += n;
  }
  while (got < size) {
    const auto n = ::read(file_.get(), to + got, size - got);
    if (n == 0) {
      const auto at = ::lseek(file_.get(), 0, SEEK_CUR);
      if (at >= 0 && static_cast<std::uint64_t>(at) < size_)
        throw error("'" + path_.string() + "' became shorter while it was read: it ends at byte " +
                    std::to_string(at) + " of " + std::to_string(size_));
      break;
    }
    if (n > 0) {
      got += static_cast<std::size_t>(n);
    } else if (errno != EINTR) {
      fail("cannot read", path_, errno);
    }
  }
  return got;
}

void input_file::seek(std::uint64_t offset) {
  if (::lseek(file_.get(), static_cast<off_t>(offset), SEEK_SET) < 0) fail("cannot read", path_, errno);
}

bytes read_file(const fs::path& path) {
  input_file in(path);
  // One byte more than there should be shows that the file has ended; what has no size, or grows, takes
  // longer.
  bytes all(in.size() + 1);
  std::size_t got = in.read(all.data(), all.size());
  while (got == all.size()) {
    all.resize(2 * got + buffer_size);
    got += in.read(all.data() + got, all.size() - got);
  }
  all.resize(got);
  return all;
}

new_file::new_file(fs::path path)
    : path_(std::move(path)),
      file_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, as_the_user_wants)) {
  if (file_.get() < 0) fail("cannot write", path_, errno);
}

void new_file::write(std::string_view bytes) {
  write_all(file_.get(), bytes, path_);
}

void new_file::sync() {
  if (::fsync(file_.get()) != 0) fail("cannot write", path_, errno);
}

void new_file::close() {
  close_written(file_, path_);
}

namespace {

// A file that nobody else finds, and that is gone with its descriptor.
descriptor unnamed_file() {
  auto name = (fs::temp_directory_path() / "thalweg-output-XXXXXX").string();
  descriptor made(::mkostemp(name.data(), O_CLOEXEC));
  if (made.get() >= 0) ::unlink(name.c_str());
  return made;
}

}  // namespace

output_file::output_file(fs::path path, bool replaces)
    : path_(std::move(path)), onward_(take_onward(path_)), replaces_(replaces) {
  onward_.keep = onward_.keep || replaces_;
  if (onward_.keep) open();
}

void output_file::open() {
  struct stat before {};
  const bool exists = ::stat(path_.c_str(), &before) == 0;
  if (exists && S_ISDIR(before.st_mode)) fail("cannot write", path_, EISDIR);
  if (exists && !S_ISREG(before.st_mode)) {
    file_ = descriptor(::open(path_.c_str(), O_WRONLY | O_CLOEXEC));
    if (replaces_ && S_ISFIFO(before.st_mode) && file_.get() >= 0) {
      pipe_ = std::exchange(file_, unnamed_file());
      if (file_.get() < 0) fail("cannot write", fs::temp_directory_path(), errno);
    }
  } else {
    std::error_code no_link;
    // A link stays, and what it leads to is replaced.
    if (auto target = fs::canonical(path_, no_link); !no_link) path_ = std::move(target);
    std::string beside;
    do {
      beside = temporary_beside(path_);
      file_ = descriptor(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, as_the_user_wants));
    } while (file_.get() < 0 && errno == EEXIST);
    if (file_.get() >= 0) temporary_ = temporary(beside);
  }
  if (file_.get() < 0) fail("cannot write", path_, errno);
  buffer_.reserve(buffer_size);
}

void output_file::write(std::string_view bytes) {
  size_ += bytes.size();
  if (onward_.to && !replaces_) onward_.to->write(bytes);
  if (!onward_.keep) return;
  if (buffer_.size() + bytes.size() > buffer_size) {
    flush();
    if (bytes.size() >= buffer_size) return put(bytes);
  }
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

void output_file::put(std::string_view bytes) {
  write_all(file_.get(), bytes, path_);
}

void output_file::replace(std::uint64_t offset, std::string_view bytes) {
  flush();
  while (!bytes.empty()) {
    const auto n = ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
      offset += static_cast<std::uint64_t>(n);
    } else if (errno != EINTR) {
      fail("cannot write", path_, errno);
    }
  }
}

void output_file::flush() {
  put(view(buffer_));
  buffer_.clear();
}

// What has gone through a pipe cannot be replaced, so it goes at the end.
void output_file::send_through_pipe() {
  bytes some(buffer_size);
  for (off_t at = 0;;) {
    const auto got = ::pread(file_.get(), some.data(), some.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("cannot write", path_, errno);
    if (got == 0) break;
    write_all(pipe_.get(), {some.data(), static_cast<std::size_t>(got)}, path_);
    at += got;
  }
  close_written(pipe_, path_);
}

// What could be replaced is read again.
void output_file::send_all_on() {
  input_file written(temporary_.path().empty() ? path_ : temporary_.path());
  bytes some(buffer_size);
  for (std::size_t got = 0; (got = written.read(some.data(), some.size())) > 0;)
    onward_.to->write({some.data(), got});
}

void output_file::close() {
  if (onward_.keep) {
    flush();
    if (pipe_.get() >= 0) send_through_pipe();
    close_written(file_, path_);
  }
  if (onward_.to) {
    if (replaces_) send_all_on();
    onward_.to->close();
    onward_.to.reset();
  }
  if (temporary_.path().empty()) return;
  std::error_code why;
  temporary_.rename(path_, why);
  if (why) fail("cannot replace", path_, why.value());
}

void write_file(const fs::path& path, std::string_view bytes) {
  output_file out(path);
  out.write(bytes);
  out.close();
}

}  // namespace apps
