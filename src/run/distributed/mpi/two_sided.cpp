#include "two_sided.hpp"

#include <algorithm>
#include <utility>

#include "collective.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

namespace {

enum : int { messages = 1, blocks = 2 };

// Bytes. MPI counts with int, and a test sees only whole pieces: with long ones the thread falls asleep.
constexpr std::size_t most_sent_at_once = std::size_t{4} << 20;

}  // namespace

two_sided::two_sided(MPI_Comm comm, recipient& to) : comm_(comm), owner_(to) {
  const int ranks = ranks_in(comm_);
  arriving_.resize(static_cast<std::size_t>(ranks));
}

void two_sided::send(outgoing_message s) {
  {
    const std::lock_guard hold(lock_);
    outgoing_.push_back(std::move(s));
    any_outgoing_.store(true, std::memory_order_release);
  }
  owner_.wake();
}

bool two_sided::all_sent() const {
  return !any_outgoing_.load(std::memory_order_acquire) && leaving_.empty();
}

bool two_sided::look() {
  bool moved = ship();
  moved = test() || moved;
  return receive() || moved;
}

// Begins to send what waits for it.
bool two_sided::ship() {
  if (!any_outgoing_.load(std::memory_order_acquire)) return false;
  std::deque<outgoing_message> mine;
  {
    const std::lock_guard hold(lock_);
    mine.swap(outgoing_);
    any_outgoing_.store(false, std::memory_order_relaxed);
  }
  for (auto& m : mine) {
    auto s = std::make_unique<leaving>();
    s->what = std::move(m);
    leaving_.push_back(std::move(s));
    auto& l = *leaving_.back();
    MPI_Request r = MPI_REQUEST_NULL;
    MPI_Isend(l.what.content.data(), static_cast<int>(l.what.content.size()), MPI_BYTE, l.what.to, messages,
              comm_, &r);
    track(r, &l, nullptr);
    send_blocks(l);
  }
  return !mine.empty();
}

void two_sided::send_blocks(leaving& s) {
  for (auto b : s.what.blocks) {
    for (; !b.empty(); b = b.subspan(std::min(b.size(), most_sent_at_once))) {
      MPI_Request r = MPI_REQUEST_NULL;
      MPI_Isend(b.data(), static_cast<int>(std::min(b.size(), most_sent_at_once)), MPI_BYTE, s.what.to,
                blocks, comm_, &r);
      track(r, &s, nullptr);
    }
  }
}

void two_sided::track(MPI_Request r, leaving* out, arriving* in, bool* busy) {
  requests_.push_back(r);
  dependents_.push_back({out, in, busy});
  if (out != nullptr) ++out->open;
  if (in != nullptr) ++in->open;
}

void two_sided::sent(leaving& out) {
  if (--out.open > 0) return;
  const auto at =
      std::find_if(leaving_.begin(), leaving_.end(), [&](const auto& l) { return l.get() == &out; });
  owner_.buffers().give(std::move(out.what.content));
  std::swap(*at, leaving_.back());
  leaving_.pop_back();
}

// What has been sent, and the blocks that have come.
bool two_sided::test() {
  if (requests_.empty()) return false;
  int done = 0;
  indices_.resize(requests_.size());
  MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &done, indices_.data(),
               MPI_STATUSES_IGNORE);
  if (done <= 0) return false;
  bool came = false;
  for (int i = 0; i < done; ++i) {
    const auto [out, in, busy] = dependents_[static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)])];
    if (busy != nullptr) *busy = false;
    if (out != nullptr) sent(*out);
    if (in != nullptr) {
      --in->open;
      came = true;
    }
  }
  // What is left moves together.
  std::size_t kept = 0;
  for (std::size_t k = 0; k < requests_.size(); ++k) {
    if (requests_[k] == MPI_REQUEST_NULL) continue;
    requests_[kept] = requests_[k];
    dependents_[kept++] = dependents_[k];
  }
  requests_.resize(kept);
  dependents_.resize(kept);
  for (int from = 0; came && from < static_cast<int>(arriving_.size()); ++from) deliver(from);
  return true;
}

bool two_sided::receive() {
  bool any = false;
  for (int i = 0; i < 64; ++i) {
    int there = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, messages, comm_, &there, &message, &status);
    if (there == 0) break;
    int n = 0;
    MPI_Get_count(&status, MPI_BYTE, &n);
    bytes content = owner_.buffers().take();
    content.resize(static_cast<std::size_t>(n));
    MPI_Mrecv(content.data(), n, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    open_message(status.MPI_SOURCE, std::move(content));
    any = true;
  }
  return any;
}

void two_sided::open_message(int from, bytes content) {
  auto arrived = std::make_unique<arriving>();
  arrived->what = owner_.open(from, content);
  receive_blocks(from, *arrived);
  owner_.buffers().give(std::move(content));
  arriving_[static_cast<std::size_t>(from)].push_back(std::move(arrived));
  deliver(from);
}

void two_sided::receive_blocks(int from, arriving& into) {
  for (auto p : into.what->places) {
    for (; !p.empty(); p = p.subspan(std::min(p.size(), most_sent_at_once))) {
      MPI_Request r = MPI_REQUEST_NULL;
      MPI_Irecv(p.data(), static_cast<int>(std::min(p.size(), most_sent_at_once)), MPI_BYTE, from, blocks,
                comm_, &r);
      track(r, nullptr, &into);
    }
  }
}

// What has come from a rank takes effect in the order in which it was sent.
void two_sided::deliver(int from) {
  auto& queue = arriving_[static_cast<std::size_t>(from)];
  while (!queue.empty() && queue.front()->open == 0) {
    auto d = std::move(queue.front());
    queue.pop_front();
    owner_.complete(from, std::move(d->what));
  }
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
