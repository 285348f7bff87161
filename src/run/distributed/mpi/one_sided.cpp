#include "one_sided.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "collective.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

namespace {

enum : int { heads = 3 };  // behind those of two_sided

constexpr std::size_t window_line = 64;
constexpr std::size_t longest_window_ring = std::size_t{1} << 20;
constexpr std::size_t shortest_window_ring = std::size_t{64} << 10;

}  // namespace

// A window has the tails of all its rings, a line each, and then the rings, both by the receiver's rank.

std::size_t one_sided::ring_bytes(int ranks) noexcept {
  return std::clamp(std::bit_floor(most_window_bytes / static_cast<std::size_t>(ranks)), shortest_window_ring,
                    longest_window_ring);
}

std::unique_ptr<one_sided> one_sided::open(MPI_Comm comm, recipient& to) {
  const int ranks = ranks_in(comm);
  const auto bytes = static_cast<std::size_t>(ranks) * (window_line + ring_bytes(ranks));
  MPI_Errhandler as_was = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(comm, &as_was);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Win window = MPI_WIN_NULL;
  std::byte* mine = nullptr;
  int good = MPI_Win_allocate(static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, comm, static_cast<void*>(&mine),
                              &window) == MPI_SUCCESS
                 ? 1
                 : 0;
  MPI_Comm_set_errhandler(comm, as_was);
  MPI_Errhandler_free(&as_was);
  // What is stored there is to be what others get, without a call for each.
  if (good != 0) {
    int* model = nullptr;
    int known = 0;
    MPI_Win_get_attr(window, MPI_WIN_MODEL, static_cast<void*>(&model), &known);
    good = known != 0 && *model == MPI_WIN_UNIFIED ? 1 : 0;
  } else {
    window = MPI_WIN_NULL;
  }
  int all = 0;
  MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, comm);
  if (all == 0) {
    if (window != MPI_WIN_NULL) MPI_Win_free(&window);
    return nullptr;
  }
  std::memset(mine, 0, static_cast<std::size_t>(ranks) * window_line);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  MPI_Win_sync(window);
  MPI_Barrier(comm);
  return std::unique_ptr<one_sided>(new one_sided(comm, to, window, mine, ranks));
}

one_sided::one_sided(MPI_Comm comm, recipient& to, MPI_Win window, std::byte* mine, int ranks)
    : two_sided(comm, to),
      window_(window),
      mine_(mine),
      size_(ring_bytes(ranks)),
      out_(static_cast<std::size_t>(ranks)),
      in_(static_cast<std::size_t>(ranks)) {
  MPI_Comm_rank(comm, &rank_);
}

void one_sided::close() {
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

bool one_sided::look() {
  bool moved = two_sided::look();
  moved = hear() || moved;
  for (std::size_t r = 0; r < out_.size(); ++r) {
    moved = copy(r) || moved;
    moved = fetch(r) || moved;
  }
  return moved;
}

// The others fetch while this rank calls MPI.
bool one_sided::under_way() const {
  if (two_sided::under_way()) return true;
  for (std::size_t r = 0; r < out_.size(); ++r) {
    if (out_[r].head != tail_of(r)) return true;
  }
  return false;
}

// --- sending ---

void one_sided::send_blocks(leaving& s) {
  auto& o = out_[static_cast<std::size_t>(s.what.to)];
  for (const auto& b : s.what.blocks) {
    if (b.empty()) continue;
    o.queue.push_back({b, &s});
    ++s.open;
  }
}

std::uint64_t one_sided::tail_of(std::size_t to) const noexcept {
  auto& there = *reinterpret_cast<std::uint64_t*>(mine_ + to * window_line);  // NOLINT(*-reinterpret-cast)
  return std::atomic_ref(there).load(std::memory_order_acquire);
}

// Into the ring, as far as there is room, and says so to the other rank.
bool one_sided::copy(std::size_t to) {
  auto& o = out_[to];
  bool moved = false;
  auto* const ring = mine_ + out_.size() * window_line + to * size_;
  while (!o.queue.empty()) {
    const auto room = size_ - static_cast<std::size_t>(o.head - tail_of(to));
    if (room == 0) break;
    auto& b = o.queue.front();
    const auto off = static_cast<std::size_t>(o.head & (size_ - 1));
    const auto n = std::min({b.left.size(), room, size_ - off});
    std::memcpy(ring + off, b.left.data(), n);
    o.head += n;
    b.left = b.left.subspan(n);
    moved = true;
    if (!b.left.empty()) continue;
    auto* const of = b.of;
    o.queue.pop_front();
    sent(*of);
  }
  if (o.head != o.told && !o.busy) {
    MPI_Win_sync(window_);
    o.telling = o.told = o.head;
    o.busy = true;
    MPI_Request r = MPI_REQUEST_NULL;
    MPI_Isend(&o.telling, 1, MPI_UINT64_T, static_cast<int>(to), heads, comm_, &r);
    track(r, nullptr, nullptr, &o.busy);
    moved = true;
  }
  return moved;
}

// --- receiving ---

void one_sided::receive_blocks(int from, arriving& into) {
  auto& i = in_[static_cast<std::size_t>(from)];
  for (auto p : into.what->places) {
    if (p.empty()) continue;
    i.queue.push_back({p, &into});
    ++into.open;
  }
}

// How far others have written.
bool one_sided::hear() {
  bool any = false;
  for (;;) {
    int there = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, heads, comm_, &there, &message, &status);
    if (there == 0) return any;
    std::uint64_t head = 0;
    MPI_Mrecv(&head, 1, MPI_UINT64_T, &message, MPI_STATUS_IGNORE);
    auto& i = in_[static_cast<std::size_t>(status.MPI_SOURCE)];
    i.known = std::max(i.known, head);
    any = true;
  }
}

bool one_sided::fetch(std::size_t from) {
  auto& i = in_[from];
  bool moved = false;
  // In the order in which it was written, which is that of the messages.
  while (!i.parts.empty() && !i.parts.front().busy) {
    i.fetched += i.parts.front().size;
    i.parts.pop_front();
    moved = true;
  }
  while (!i.queue.empty() && i.asked < i.known) {
    auto& b = i.queue.front();
    const auto off = static_cast<std::size_t>(i.asked & (size_ - 1));
    const auto n = std::min({b.left.size(), static_cast<std::size_t>(i.known - i.asked), size_ - off});
    auto& p = i.parts.emplace_back();
    p.size = n;
    const auto at =
        static_cast<MPI_Aint>(in_.size() * window_line + static_cast<std::size_t>(rank_) * size_ + off);
    MPI_Request r = MPI_REQUEST_NULL;
    MPI_Rget(b.left.data(), static_cast<int>(n), MPI_BYTE, static_cast<int>(from), at, static_cast<int>(n),
             MPI_BYTE, window_, &r);
    track(r, nullptr, b.of, &p.busy);
    i.asked += n;
    b.left = b.left.subspan(n);
    moved = true;
    if (!b.left.empty()) continue;
    --b.of->open;  // its parts count by themselves
    i.queue.pop_front();
  }
  if (i.fetched != i.told && !i.busy && (i.fetched == i.known || i.fetched - i.told >= size_ / 4)) {
    i.telling = i.told = i.fetched;
    i.busy = true;
    MPI_Request r = MPI_REQUEST_NULL;
    // A put would be through here before it is there.
    MPI_Rget_accumulate(&i.telling, 1, MPI_UINT64_T, &i.before, 1, MPI_UINT64_T, static_cast<int>(from),
                        static_cast<MPI_Aint>(static_cast<std::size_t>(rank_) * window_line), 1, MPI_UINT64_T,
                        MPI_REPLACE, window_, &r);
    track(r, nullptr, nullptr, &i.busy);
    moved = true;
  }
  return moved;
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
