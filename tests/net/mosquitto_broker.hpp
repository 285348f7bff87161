#pragma once

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/raw_peer.hpp"
#include "stages/scratch.hpp"
#include "support/eventually.hpp"

/// A broker of Debian's package mosquitto on a free port of this machine, which can be killed and started
/// again there.
class mosquitto_broker {
 public:
  /// Where the program is; empty if it is not installed.
  static std::string program() {
    for (const auto* path : {"/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto"})
      if (std::filesystem::exists(path)) return path;
    return {};
  }

  /// `settings`: lines of its configuration file besides the port. Those of a listener come first.
  explicit mosquitto_broker(std::string settings = "allow_anonymous true\n")
      : settings_(std::move(settings)) {
    // Another program may take a free port before the broker does.
    for (int tries = 0; tries < 10; ++tries) {
      port_ = raw_peer::listening().port();
      if (start()) return;
    }
    throw std::runtime_error("mosquitto does not start: " + log());
  }
  mosquitto_broker(const mosquitto_broker&) = delete;
  mosquitto_broker& operator=(const mosquitto_broker&) = delete;
  ~mosquitto_broker() { end(SIGKILL); }

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] const scratch& dir() const { return dir_; }

  /// Whether it takes connections at its port.
  bool start() {
    std::ofstream(dir_ / "mosquitto.conf")
        << "listener " << port_ << " 127.0.0.1\n"
        << settings_ << "persistence_location " << dir_.path().string() << "/\n"
        << "max_queued_messages 0\n"
        << (::geteuid() == 0 ? "user root\n" : "");
    const auto conf = (dir_ / "mosquitto.conf").string(), log = (dir_ / "log").string(), path = program();
    process_ = ::fork();
    if (process_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (std::freopen(log.c_str(), "a", stderr) != nullptr) ::dup2(STDERR_FILENO, STDOUT_FILENO);
      ::execl(path.c_str(), path.c_str(), "-v", "-c", conf.c_str(), nullptr);
      ::_exit(127);
    }
    return eventually([&] { return takes_connections() || has_ended(); }) && process_ > 0;
  }
  /// As a machine that fails.
  void kill() { end(SIGKILL); }
  /// It says good-bye, and stores what it is to keep.
  void stop() { end(SIGTERM); }
  /// It does nothing from now on, but keeps its connections.
  void freeze() const { ::kill(process_, SIGSTOP); }

  [[nodiscard]] std::string log() const {
    std::ifstream file(dir_ / "log");
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  bool takes_connections() const {
    try {
      raw_peer::connected_to(port_);
      return true;
    } catch (const std::runtime_error&) {
      return false;
    }
  }
  bool has_ended() {
    if (::waitpid(process_, nullptr, WNOHANG) != process_) return false;
    process_ = 0;
    return true;
  }
  void end(int by) {
    if (process_ <= 0) return;
    ::kill(process_, by);
    ::waitpid(process_, nullptr, 0);
    process_ = 0;
  }

  scratch dir_;
  std::string settings_;
  std::uint16_t port_ = 0;
  pid_t process_ = 0;
};
