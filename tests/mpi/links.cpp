// The network between machines that are namespaces of one. Each packet goes from the device of one to that of
// another as late as their links are long, as fast as they let it, and sometimes not at all.
//
// usage: links HOST:DELAY_MS:LOSS_PERCENT:MBIT...   (0 Mbit a second: as fast as it goes)
//
// HOST is a network namespace in /run/netns with a TUN device eth0, and has the address 10.9.8.1, the next
// one 10.9.8.2, and so on. Its link leads to the middle, so that a packet passes two of them. Says "ready"
// when packets pass. Ends with its standard input, and then prints for each host what its link has done, as
// JSON.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <optional>
#include <random>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace {

using steady = std::chrono::steady_clock;
using packet = std::vector<char>;

constexpr std::size_t longest_packet = 65'536;
constexpr double most_waiting = 1 << 20;  // bytes for which a link has had no time yet
constexpr int at_a_time = 64;             // packets of one device

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

struct qualities {
  double delay_ms = 0, loss = 0, mbit = 0;
};

// A link in one of its directions: what has been put into it comes out in the same order.
class line {
 public:
  explicit line(const qualities& q)
      : delay_(in_ns(q.delay_ms * 1e6)), lost_(q.loss / 100), bytes_per_ns_(q.mbit / 8e3) {}

  void put(packet p, steady::time_point at, std::mt19937_64& random) {
    if (lost_(random)) {
      ++lost_by_chance_;
      return;
    }
    if (bytes_per_ns_ > 0) {
      const auto begins = std::max(at, free_at_);
      if (static_cast<double>((begins - at).count()) * bytes_per_ns_ > most_waiting) {
        ++too_many_;
        return;
      }
      at = free_at_ = begins + in_ns(static_cast<double>(p.size()) / bytes_per_ns_);
    }
    ++packets_;
    bytes_ += static_cast<std::int64_t>(p.size());
    on_its_way_.push_back({at + delay_, std::move(p)});
  }
  // When the next one comes out.
  [[nodiscard]] std::optional<steady::time_point> next() const {
    return on_its_way_.empty() ? std::nullopt : std::optional(on_its_way_.front().first);
  }
  [[nodiscard]] packet take() {
    packet p = std::move(on_its_way_.front().second);
    on_its_way_.pop_front();
    return p;
  }
  void print() const {
    std::printf(R"({"packets": %ld, "bytes": %ld, "lost": %ld, "too_many": %ld})", packets_, bytes_,
                lost_by_chance_, too_many_);
  }

 private:
  static std::chrono::nanoseconds in_ns(double n) { return std::chrono::nanoseconds(std::int64_t(n)); }

  std::chrono::nanoseconds delay_;
  std::bernoulli_distribution lost_;
  double bytes_per_ns_;
  steady::time_point free_at_;
  std::deque<std::pair<steady::time_point, packet>> on_its_way_;
  long packets_ = 0, bytes_ = 0, lost_by_chance_ = 0, too_many_ = 0;
};

struct machine {
  std::string name;
  int device = -1;
  line out, in;
};

int device_of(const std::string& host) {
  const auto path = "/run/netns/" + host;
  const int space = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (space < 0 || setns(space, CLONE_NEWNET) != 0) fail(path);
  close(space);
  const int device = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (device < 0) fail("/dev/net/tun");
  ifreq what{};
  std::strcpy(what.ifr_name, "eth0");
  what.ifr_flags = IFF_TUN | IFF_NO_PI;
  if (ioctl(device, TUNSETIFF, &what) != 0) fail("eth0 of " + host);
  return device;
}

machine machine_of(const std::string& argument) {
  std::array<char, 32> name{};
  qualities q;
  if (std::sscanf(argument.c_str(), "%31[^:]:%lf:%lf:%lf", name.data(), &q.delay_ms, &q.loss, &q.mbit) != 4)
    throw std::invalid_argument(argument + ": it should be HOST:DELAY_MS:LOSS_PERCENT:MBIT");
  return {name.data(), device_of(name.data()), line(q), line(q)};
}

class network {
 public:
  explicit network(std::vector<machine> machines) : machines_(std::move(machines)) {}

  void work() {
    std::vector<pollfd> watched{{STDIN_FILENO, POLLIN, 0}};
    for (const auto& m : machines_) watched.push_back({m.device, POLLIN, 0});
    while (watched[0].revents == 0) {
      const auto rest = until_next();
      if (ppoll(watched.data(), watched.size(), rest ? &*rest : nullptr, nullptr) < 0) fail("ppoll");
      for (auto& m : machines_) receive(m);
      pass();
    }
  }
  void print() const {
    const char* before = "{";
    for (const auto& m : machines_) {
      std::printf("%s\"%s\": {\"out\": ", before, m.name.c_str());
      m.out.print();
      std::printf(", \"in\": ");
      m.in.print();
      std::printf("}");
      before = ", ";
    }
    std::printf("}\n");
  }

 private:
  [[nodiscard]] std::optional<timespec> until_next() const {
    std::optional<steady::time_point> first;
    for (const auto& m : machines_) {
      for (const auto* l : {&m.out, &m.in}) {
        if (const auto t = l->next(); t && (!first || *t < *first)) first = t;
      }
    }
    if (!first) return std::nullopt;
    const auto ns = std::max<std::int64_t>(0, (*first - steady::now()).count());
    return timespec{ns / 1'000'000'000, ns % 1'000'000'000};
  }
  void receive(machine& from) {
    for (int i = 0; i < at_a_time; ++i) {
      const auto n = read(from.device, room_.data(), room_.size());
      if (n <= 0) return;
      from.out.put(packet(room_.begin(), room_.begin() + n), steady::now(), random_);
    }
  }
  // What is due goes on, at the time when it was due.
  void pass() {
    const auto now = steady::now();
    for (auto& m : machines_) {
      for (auto at = m.out.next(); at && *at <= now; at = m.out.next()) {
        auto p = m.out.take();
        if (auto* to = receiver(p)) to->in.put(std::move(p), *at, random_);
      }
    }
    for (auto& m : machines_) {
      for (auto at = m.in.next(); at && *at <= now; at = m.in.next()) {
        const auto p = m.in.take();
        // A device that is not up takes nothing: such a packet is lost, as everywhere.
        if (write(m.device, p.data(), p.size()) < 0 && errno != EIO && errno != EAGAIN) fail("write");
      }
    }
  }
  // By the last number of an IPv4 address; devices send other things, too.
  [[nodiscard]] machine* receiver(const packet& p) {
    constexpr std::size_t last_number = 19;
    if (p.size() <= last_number || (p[0] >> 4) != 4) return nullptr;
    const auto number = static_cast<unsigned char>(p[last_number]);
    return number >= 1 && number <= machines_.size() ? &machines_[number - 1U] : nullptr;
  }

  std::vector<machine> machines_;
  std::mt19937_64 random_;
  std::array<char, longest_packet> room_{};
};

}  // namespace

int main(int argc, char** argv) {
  try {
    std::vector<machine> machines;
    for (int i = 1; i < argc; ++i) machines.push_back(machine_of(argv[i]));
    network between(std::move(machines));
    std::puts("ready");
    std::fflush(stdout);
    between.work();
    between.print();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "links: %s\n", e.what());
    return 1;
  }
}
