#include <thalweg/stages/atomic_file.hpp>
#include <thalweg/stages/input.hpp>

#include <atomic>
#include <cerrno>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace THALWEG_NAMESPACE::stages {

namespace fs = std::filesystem;

namespace {

fs::path temporary_beside(const fs::path& target) {
  static std::atomic<unsigned> number{0};
  constexpr std::size_t most_of_name = 200;  // the rest needs room, too
  return target.parent_path() /
         ("." + target.filename().string().substr(0, most_of_name) + "." + std::to_string(::getpid()) + "-" +
          std::to_string(number.fetch_add(1)) + ".tmp");
}

}  // namespace

fs::path place_of(const fs::path& target) {
  std::error_code no_such_file;
  auto resolved = fs::canonical(target, no_such_file);
  return no_such_file ? fs::absolute(target) : resolved;
}

atomic_file::atomic_file(const fs::path& target, bool sync, const compression& how)
    : target_(place_of(target)), sync_(sync), packs_(how.way() ? how.way()->packs(target) : nullptr) {
  constexpr const char* cannot_open = "cannot write the file";
  struct stat before {};
  const bool exists = ::lstat(target_.c_str(), &before) == 0;
  if (!exists && errno != ENOENT) fail(cannot_open, errno);
  if (exists && S_ISDIR(before.st_mode)) fail(cannot_open, EISDIR);
  // A link is still here only if it leads to nothing, or to what has no path, as /dev/stdout does in a pipe:
  // the file would replace that link.
  struct stat behind {};
  const bool no_path = exists && S_ISLNK(before.st_mode) && ::stat(target_.c_str(), &behind) == 0;
  if (no_path || (exists && !S_ISREG(before.st_mode) && !S_ISLNK(before.st_mode)))
    fail("cannot write the file, which is not a regular file", ENOTSUP);
  buffer_ = std::make_unique_for_overwrite<char[]>(capacity);
  constexpr mode_t as_the_user_wants = 0666;
  do {
    temporary_ = temporary_beside(target_);
    fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, as_the_user_wants);
  } while (fd_ < 0 && errno == EEXIST);
  if (fd_ < 0) fail(cannot_open, errno);
  constexpr mode_t permissions = 07777;
  if (exists && S_ISREG(before.st_mode) && ::fchmod(fd_, before.st_mode & permissions) != 0)
    fail(cannot_open, errno);
}

atomic_file::~atomic_file() {
  discards_.reset();
  close_file();
  discard();
}

void atomic_file::write_through(std::string_view bytes) {
  if (failed_ != 0) fail("cannot write the file", failed_);
  put({buffer_.get(), used_});
  used_ = 0;
  if (bytes.size() < capacity) {
    write(bytes);
  } else {
    put(bytes);
  }
}

void atomic_file::put(std::string_view bytes) {
  if (!packs_) {
    put_as_they_are(bytes);
    return;
  }
  packs_->pack(bytes, packed_);
  if (packed_.size() >= capacity) put_packed();
}

void atomic_file::put_packed() {
  put_as_they_are(packed_);
  packed_.clear();
}

void atomic_file::put_as_they_are(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(fd_, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      fail("cannot write the file", errno);
    }
  }
}

void atomic_file::commit() {
  if (failed_ != 0) fail("cannot write the file", failed_);
  put({buffer_.get(), used_});
  used_ = 0;
  if (packs_) packs_->finish(packed_);
  put_packed();
  if (sync_ && ::fsync(fd_) != 0) fail("cannot write the file to the disk", errno);
  // Some file systems write when a file is closed, and only then find out that they cannot.
  if (::close(std::exchange(fd_, -1)) != 0) fail("cannot write the file", errno);
  {
    const std::lock_guard hold(ending_);
    if (ended_) return;
    ended_ = ::rename(temporary_.c_str(), target_.c_str()) == 0;
  }
  if (!ended_) fail("cannot replace the file", errno);
  if (!sync_) return;
  const auto directory = target_.parent_path();
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool kept = fd >= 0 && ::fsync(fd) == 0;
  const int why = errno;
  if (fd >= 0) ::close(fd);
  if (!kept) thalweg::stages::fail("cannot write the directory to the disk", directory, why);
}

void atomic_file::discard() noexcept {
  const std::lock_guard hold(ending_);
  if (!ended_) ::unlink(temporary_.c_str());
  ended_ = true;
}

void atomic_file::fail(const char* what, int error) {
  failed_ = error;
  used_ = capacity;  // whoever writes more comes here again
  close_file();
  discard();
  thalweg::stages::fail(what, target_, error);
}

void atomic_file::close_file() noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

}  // namespace THALWEG_NAMESPACE::stages
