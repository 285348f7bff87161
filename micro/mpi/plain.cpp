#include "plain.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <utility>

#include <mpi.h>

namespace micro {
namespace {

using numbers = std::vector<std::uint64_t>;

template <class T> void send(const std::vector<T>& what, int to) {
  MPI_Send(what.data(), static_cast<int>(what.size() * sizeof(T)), MPI_BYTE, to, 0, MPI_COMM_WORLD);
}

void send_end(int to) {
  MPI_Send(nullptr, 0, MPI_BYTE, to, 0, MPI_COMM_WORLD);
}

/// Gives the rank that it comes from. Nothing is left in it behind the last.
template <class T> int receive(std::vector<T>& into, int from) {
  MPI_Status status;
  MPI_Probe(from, 0, MPI_COMM_WORLD, &status);
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  into.resize(static_cast<std::size_t>(bytes) / sizeof(T));
  MPI_Recv(into.data(), bytes, MPI_BYTE, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return status.MPI_SOURCE;
}

/// The last two items sent: they have to stay until they have gone.
class two_sent {
 public:
  void send(numbers item, int to) {
    next_ = 1 - next_;
    MPI_Wait(&requests_[next_], MPI_STATUS_IGNORE);
    items_[next_] = std::move(item);
    MPI_Isend(items_[next_].data(), static_cast<int>(items_[next_].size()), MPI_UINT64_T, to, 0,
              MPI_COMM_WORLD, &requests_[next_]);
  }
  void wait() { MPI_Waitall(2, requests_.data(), MPI_STATUSES_IGNORE); }

 private:
  std::array<numbers, 2> items_;
  std::array<MPI_Request, 2> requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  std::size_t next_ = 0;
};

class farm_master {
 public:
  farm_master(std::uint64_t items, std::size_t in_a_message, int workers)
      : source_(0, items), in_a_message_(in_a_message), sent_(static_cast<std::size_t>(workers)) {
    for (int i = 0; i < 2 * workers; ++i) room_.push_back(i % workers + 1);
  }

  std::uint64_t run() {
    while (true) {
      while (!room_.empty() && early_.size() < 16 * sent_.size() && give()) {
      }
      if (given_ == due_) break;
      take_back();
    }
    for (std::size_t rank = 1; rank <= sent_.size(); ++rank) send_end(static_cast<int>(rank));
    return sink_.value();
  }

 private:
  // The first number of a message is its place.
  bool give() {
    numbers some{given_};
    while (some.size() <= in_a_message_) {
      const auto one = source_();
      if (!one) break;
      some.push_back(*one);
    }
    if (some.size() == 1) return false;
    const int to = room_.front();
    room_.pop_front();
    sent_[static_cast<std::size_t>(to) - 1].send(std::move(some), to);
    ++given_;
    return true;
  }
  void take_back() {
    numbers some;
    room_.push_back(receive(some, MPI_ANY_SOURCE));
    const auto place = some.front();
    early_.emplace(place, std::move(some));
    for (auto next = early_.begin(); next != early_.end() && next->first == due_; next = early_.begin()) {
      std::for_each(next->second.begin() + 1, next->second.end(), [&](std::uint64_t x) { sink_(x); });
      early_.erase(next);
      ++due_;
    }
  }

  counter source_;
  std::size_t in_a_message_;
  std::vector<two_sent> sent_;
  std::deque<int> room_;
  std::map<std::uint64_t, numbers> early_;
  std::uint64_t given_ = 0, due_ = 0;
  checksum sink_;
};

void farm_worker(const std::function<std::uint64_t(std::uint64_t)>& work) {
  two_sent back;
  for (numbers some; receive(some, 0), !some.empty();) {
    std::transform(some.begin() + 1, some.end(), some.begin() + 1, work);
    back.send(std::move(some), 0);
  }
  back.wait();
}

/// The source. Where the sink is here, too, what comes back from rank `last` goes there; 0: it is elsewhere.
std::uint64_t line_begin(std::uint64_t items, std::size_t bytes, int last) {
  two_sent way;
  camera source(items, bytes);
  checksum sum;
  std::uint64_t back = 0;
  const auto take_back = [&] {
    numbers done;
    receive(done, last);
    sum(done.front());
    ++back;
  };
  for (std::uint64_t given = 0; auto item = source(); ++given) {
    // As many under way as keep all stages busy.
    if (last > 0 && given - back > 2 * static_cast<std::uint64_t>(last)) take_back();
    way.send(std::move(*item), 1);
  }
  while (last > 0 && back < items) take_back();
  way.wait();
  send_end(1);
  if (last > 0) MPI_Recv(nullptr, 0, MPI_BYTE, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return sum.value();
}

void line_stage(const even_work& work, int from, int to) {
  two_sent way;
  while (true) {
    numbers item;
    receive(item, from);
    if (item.empty()) break;
    item.front() = work(item.front());
    way.send(std::move(item), to);
  }
  way.wait();
  send_end(to);
}

std::uint64_t line_end(int from) {
  checksum sum;
  for (numbers item; receive(item, from), !item.empty();) sum(item.front());
  return sum.value();
}

}  // namespace

std::uint64_t plain_numbers(const ranks& all, std::uint64_t items, std::size_t in_a_message) {
  std::vector<std::uint32_t> some;
  if (all.first()) {
    for (std::uint64_t i = 1; i <= items; ++i) {
      some.push_back(static_cast<std::uint32_t>(i));
      if (some.size() < in_a_message && i < items) continue;
      send(some, 1);
      some.clear();
    }
    send_end(1);
    return 0;
  }
  checksum sum;
  while (receive(some, 0), !some.empty())
    for (const auto x : some) sum(x);
  return sum.value();
}

std::uint64_t plain_ping_pong(const ranks& all, std::uint64_t times, std::size_t bytes) {
  std::vector<char> block(bytes, 'x');
  const int other = 1 - all.rank();
  for (std::uint64_t i = 0; i < times; ++i) {
    if (i % 2 == static_cast<std::uint64_t>(all.rank())) {
      send(block, other);
    } else {
      MPI_Recv(block.data(), static_cast<int>(bytes), MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  return times;
}

std::uint64_t plain_blocks(const ranks& all, std::uint64_t items, std::size_t bytes) {
  if (all.first()) {
    two_sent way;
    camera source(items, bytes);
    while (auto item = source()) way.send(std::move(*item), 1);
    way.wait();
    send_end(1);
    return 0;
  }
  checksum sum;
  while (true) {
    numbers item;
    receive(item, 0);
    if (item.empty()) return sum.value();
    sum(item.front());
  }
}

std::vector<nanos> plain_journeys(const ranks& all, const std::function<nanos()>& due) {
  const int other = 1 - all.rank();
  std::vector<nanos> took;
  nanos since = 0;
  do {
    if (all.first()) since = due();
    if (all.first()) MPI_Send(&since, 1, MPI_INT64_T, other, 0, MPI_COMM_WORLD);
    MPI_Recv(&since, 1, MPI_INT64_T, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!all.first()) MPI_Send(&since, 1, MPI_INT64_T, other, 0, MPI_COMM_WORLD);
    if (all.first() && since != 0) took.push_back(now() - since);
  } while (since != 0);
  return took;
}

std::uint64_t plain_farm(const ranks& all, std::uint64_t items,
                         const std::function<std::uint64_t(std::uint64_t)>& work, std::size_t in_a_message) {
  if (all.first()) return farm_master(items, in_a_message, all.count() - 1).run();
  farm_worker(work);
  return 0;
}

std::uint64_t plain_line(const ranks& all, std::uint64_t items, std::size_t bytes,
                         const std::vector<even_work>& stages, bool sink_on_first) {
  const int last = static_cast<int>(stages.size());
  const int sink = sink_on_first ? 0 : last + 1;
  const int me = all.rank();
  if (me == 0) return line_begin(items, bytes, sink_on_first ? last : 0);
  if (me <= last) line_stage(stages[static_cast<std::size_t>(me) - 1], me - 1, me == last ? sink : me + 1);
  return me == sink ? line_end(last) : 0;
}

}  // namespace micro
