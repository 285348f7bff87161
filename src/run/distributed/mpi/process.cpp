#include "process.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>

#include <unistd.h>

#include "collective.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

namespace {

constexpr int looks = 6;  // within the time of patience

struct condition {
  char state = 0;
  std::uint64_t begun = 0;
};

// The second field is a name in brackets, which may hold anything.
std::optional<condition> condition_of(std::int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bracket = text.rfind(')');
  if (bracket == std::string::npos) return std::nullopt;
  std::istringstream rest(text.substr(bracket + 1));
  condition found;
  rest >> found.state;
  std::string skipped;
  for (int field = 4; field < 22; ++field) rest >> skipped;
  rest >> found.begun;
  if (!rest) return std::nullopt;
  return found;
}

// Containers on one machine count processes each by itself.
std::array<char, 80> own_place() {
  std::string text;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> text;
  std::error_code failed;
  text += std::filesystem::read_symlink("/proc/self/ns/pid", failed).string();
  std::array<char, 80> place{};
  text.copy(place.data(), place.size() - 1);
  return place;
}

std::optional<condition> seen_from_here(const process& p) {
  static const auto here = own_place();
  if (p.pid == 0 || p.seen != here) return std::nullopt;
  const auto found = condition_of(p.pid);
  return found && found->begun == p.begun ? found : std::nullopt;
}

}  // namespace

process process::self() {
  const auto found = condition_of(getpid());
  return found ? process{getpid(), found->begun, own_place()} : process{};
}

bool process::is_stopped() const {
  const auto found = seen_from_here(*this);
  return found && found->state == 'T';
}

void process::end() const {
  if (seen_from_here(*this)) kill(static_cast<pid_t>(pid), SIGKILL);
}

stop_watch::stop_watch(int rank, const process& which, std::chrono::milliseconds patience)
    : which_(which), step_(std::max(patience / looks, std::chrono::milliseconds(1))) {
  why_ = "rank " + std::to_string(rank) + " on host " + name_of_host() + " has been stopped for " +
         seconds_of(patience) + ", so the program is ended on all ranks";
  if (patience.count() > 0 && which.pid != 0 && which.pid != getpid())
    thread_ = std::thread([this] { live(); });
}

stop_watch::~stop_watch() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void stop_watch::live() {
  std::unique_lock lock(mutex_);
  for (int stopped = 0; stopped <= looks;) {
    if (changed_.wait_for(lock, step_, [this] { return over_; })) return;
    stopped = which_.is_stopped() ? stopped + 1 : 0;
  }
  end_program_without_mpi(why_, which_);
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
