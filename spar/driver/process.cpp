#include "process.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace thalweg::spar::driver {

namespace {

constexpr int cannot_run = 127;  // as a shell says it

volatile std::sig_atomic_t received = 0;
volatile std::sig_atomic_t child = 0;

// What a terminal sends reaches the other program, too; what another program sends, only this one.
void remember(int signal) {
  received = signal;
  if (child > 0) kill(static_cast<pid_t>(child), signal);
}

std::vector<char*> pointers(const words& command) {
  std::vector<char*> result;
  for (const auto& word : command) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

int complain(const std::string& program, int error) {
  std::fprintf(stderr, "thalweg-spar++: error: cannot run '%s': %s\n", program.c_str(), std::strerror(error));
  return cannot_run;
}

}  // namespace

int become(const words& command) {
  auto arguments = pointers(command);
  execvp(arguments[0], arguments.data());
  return complain(command[0], errno);
}

void keep_signals() {
  struct sigaction act = {};
  act.sa_handler = remember;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &act, nullptr);
  }
}

int run(const words& command) {
  if (received != 0) throw ended_by{received};
  auto arguments = pointers(command);
  pid_t id = 0;
  if (const int error = posix_spawnp(&id, arguments[0], nullptr, nullptr, arguments.data(), environ);
      error != 0) {
    return complain(command[0], error);
  }
  child = id;
  if (received != 0) kill(id, received);  // came in between
  int status = 0;
  while (waitpid(id, &status, 0) < 0 && errno == EINTR) {
  }
  child = 0;
  if (received != 0) throw ended_by{received};
  if (WIFSIGNALED(status)) throw ended_by{WTERMSIG(status)};
  return WEXITSTATUS(status);
}

temporary_folder::temporary_folder() {
  std::string name = std::filesystem::temp_directory_path() / "thalweg-spar-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error("cannot make a folder in " + std::filesystem::path(name).parent_path().string() +
                             ": " + std::strerror(errno));
  }
  path_ = name;
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace thalweg::spar::driver
