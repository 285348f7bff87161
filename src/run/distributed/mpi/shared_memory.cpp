#include "shared_memory.hpp"

#include <thalweg/pipe/pause.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <numeric>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif
#if defined(__linux__)
#include <sys/mman.h>
#include <sys/statvfs.h>
#endif

namespace THALWEG_NAMESPACE::run_detail::distributed {

namespace {

constexpr std::size_t line = 128;  // two cache lines, as they are fetched in pairs
constexpr std::size_t piece = std::size_t{64} << 10;
constexpr std::size_t longest_shared_ring = std::size_t{512} << 10;
constexpr std::size_t shortest_shared_ring = std::size_t{4} << 10;

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// Missing memory is an error here, not a signal on the first write.
std::string make_sure_of(std::byte* from, std::size_t n) {
#if defined(__linux__) && defined(MADV_POPULATE_WRITE)
  const auto page = std::size_t{4096};
  auto* const begin =
      from + (page - reinterpret_cast<std::uintptr_t>(from) % page) % page;  // NOLINT(*-reinterpret-cast)
  const auto skipped = static_cast<std::size_t>(begin - from);
  if (n > skipped && madvise(begin, n - skipped, MADV_POPULATE_WRITE) != 0 && errno != EINVAL)
    return "cannot get " + std::to_string(n) + " bytes of memory to share";
#else
  (void)from, (void)n;
#endif
  return {};
}

bool room_for(std::size_t n) {
#if defined(__linux__)
  struct statvfs found {};
  if (statvfs("/dev/shm", &found) != 0) return true;  // then MPI takes it from elsewhere
  return static_cast<std::size_t>(found.f_bavail) * found.f_frsize / 2 >= n;
#else
  (void)n;
  return true;
#endif
}

// The lines of a ring are in the cache of the reader, which has just read what was there before. Large pieces
// are written past the caches, which is faster than to ask for each line.
void copy_to_ring(std::byte* to, const std::byte* from, std::size_t n) {
#if defined(__SSE2__)
  constexpr std::size_t cache_line = 64;
  if (n >= least_block) {
    const auto up_to_line = (cache_line - reinterpret_cast<std::uintptr_t>(to) % cache_line) % cache_line;
    std::memcpy(to, from, up_to_line);
    to += up_to_line;
    from += up_to_line;
    n -= up_to_line;
    for (; n >= cache_line; n -= cache_line, to += cache_line, from += cache_line) {
      for (std::size_t i = 0; i < cache_line; i += sizeof(__m128i))
        _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
    }
    _mm_sfence();
  }
#endif
  std::memcpy(to, from, n);
}

// Whether the other end of a ring moves soon. It does while somebody copies there.
bool moves(const std::atomic<std::uint64_t>& end, std::uint64_t seen, std::chrono::nanoseconds most) {
  return most.count() > 0 &&
         pipe::spin_until([&] { return end.load(std::memory_order_relaxed) != seen; }, most);
}

// A rank that sleeps has looked again after it has said that it does.
void ring_at(doorbell& bell) noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (bell.sleeping.load(std::memory_order_relaxed) == 0 || bell.sleeping.exchange(0) == 0) return;
  bell.rung.fetch_add(1);
  pipe::futex_wake(bell.rung, 1, pipe::futex_scope::machine);
}

}  // namespace

// The ends of a ring. Both only grow.
struct shared_memory::ring {
  alignas(line) std::atomic<std::uint64_t> head{0};     // written up to here
  alignas(line) std::atomic<std::uint64_t> tail{0};     // read up to here
  alignas(line) std::atomic<std::uint32_t> starved{0};  // the writer waits for room
};

// To another rank. An outgoing message is written as the length of its message, the message, and its blocks.
struct shared_memory::outlet {
  ring* ends = nullptr;
  std::byte* data = nullptr;
  doorbell* bell = nullptr;

  std::mutex lock;
  std::deque<outgoing_message> queue;  // under the lock
  std::atomic<std::size_t> waiting{0};
  std::atomic<bool> busy{false};  // what follows is of the thread that has set it

  bool begun = false;
  outgoing_message now;
  std::uint64_t length = 0;
  std::size_t part = 0, at = 0;
  std::uint64_t head = 0, tail = 0;

  // What is still to be written of the message's next part.
  [[nodiscard]] std::span<const std::byte> rest() const noexcept {
    if (part == 0) return std::as_bytes(std::span(&length, 1)).subspan(at);
    if (part == 1) return std::span<const std::byte>(now.content).subspan(at);
    return now.blocks[part - 2].subspan(at);
  }
};

// From another rank.
struct shared_memory::inlet {
  int from = 0;
  ring* ends = nullptr;
  const std::byte* data = nullptr;
  doorbell* bell = nullptr;

  std::uint64_t tail = 0, told = 0;
  std::uint64_t length = 0;
  std::size_t got = 0;  // of the length, and of the message behind it
  bytes content;
  std::unique_ptr<partial_receive> open;
  std::size_t place = 0, at = 0;
};

std::size_t shared_memory::ring_bytes(int ranks) noexcept {
  const auto rings = static_cast<std::size_t>(ranks) * static_cast<std::size_t>(std::max(1, ranks - 1));
  return std::clamp(std::bit_floor(most_shared_bytes / rings), shortest_shared_ring, longest_shared_ring);
}

shared_memory::shared_memory(MPI_Comm machine, recipient& to, bool eager)
    : machine_(machine), owner_(to), patience_(eager ? 20'000 : 0) {
  MPI_Comm_rank(machine_, &rank_);
  MPI_Comm_size(machine_, &ranks_);
  size_ = ring_bytes(ranks_);
}

shared_memory::~shared_memory() = default;

std::unique_ptr<shared_memory> shared_memory::open(MPI_Comm comm, recipient& to, bool eager,
                                                   std::string& problem) {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  MPI_Comm_set_errhandler(machine, MPI_ERRORS_RETURN);
  std::unique_ptr<shared_memory> made(new shared_memory(machine, to, eager));
  if (made->ranks_ > 1) {
    problem = made->allocate();
    int good = problem.empty() ? 1 : 0;
    int all = 0;
    MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, machine);
    if (all != 0) {
      made->join(comm);
      return made;
    }
    if (problem.empty()) problem = "another rank of this machine cannot get memory to share";
  }
  made->close();
  return nullptr;
}

// Makes this rank's part of the window. Returns what is wrong.
std::string shared_memory::allocate() {
  const auto others = static_cast<std::size_t>(ranks_ - 1);
  const auto mine = sizeof(doorbell) + line + others * (sizeof(ring) + size_);
  int room = room_for(mine * static_cast<std::size_t>(ranks_)) ? 1 : 0;
  int all = 0;
  MPI_Allreduce(&room, &all, 1, MPI_INT, MPI_MIN, machine_);
  if (all == 0) return "there is not enough room in /dev/shm";
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "alloc_shared_noncontig", "true");
  std::byte* base = nullptr;
  const int made = MPI_Win_allocate_shared(static_cast<MPI_Aint>(mine), 1, info, machine_,
                                           static_cast<void*>(&base), &window_);
  MPI_Info_free(&info);
  if (made != MPI_SUCCESS) {
    window_ = MPI_WIN_NULL;
    return "MPI gives no window in shared memory";
  }
  return make_sure_of(base, mine);
}

// All have allocated: everyone makes its own rings, and finds those of the others.
void shared_memory::join(MPI_Comm comm) {
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  const auto part_of = [&](int rank) {
    MPI_Aint n = 0;
    int unit = 0;
    void* base = nullptr;
    MPI_Win_shared_query(window_, rank, &n, &unit, static_cast<void*>(&base));
    auto space = static_cast<std::size_t>(n);
    return static_cast<std::byte*>(std::align(line, static_cast<std::size_t>(n) - line, base, space));
  };
  // In each part: the bell, the rings' ends, the rings; of the others in the order of their ranks.
  constexpr std::size_t of_bell = line;
  static_assert(sizeof(doorbell) <= of_bell);
  const auto others = static_cast<std::size_t>(ranks_ - 1);
  const auto ends_at = [&](std::byte* part, int owner, int other) {
    return part + of_bell + static_cast<std::size_t>(other - (other > owner ? 1 : 0)) * sizeof(ring);
  };
  const auto data_at = [&](std::byte* part, int owner, int other) {
    return part + of_bell + others * sizeof(ring) +
           static_cast<std::size_t>(other - (other > owner ? 1 : 0)) * size_;
  };
  auto* const mine = part_of(rank_);
  bell_ = new (mine) doorbell;
  for (int r = 0; r < ranks_; ++r) {
    if (r != rank_) new (ends_at(mine, rank_, r)) ring;
  }
  MPI_Win_sync(window_);
  MPI_Barrier(machine_);
  MPI_Win_sync(window_);

  MPI_Group all = MPI_GROUP_NULL, here = MPI_GROUP_NULL;
  MPI_Comm_group(comm, &all);
  MPI_Comm_group(machine_, &here);
  std::vector<int> local(static_cast<std::size_t>(ranks_)), numbers(local.size());
  std::iota(local.begin(), local.end(), 0);
  MPI_Group_translate_ranks(here, ranks_, local.data(), all, numbers.data());
  MPI_Group_free(&all);
  MPI_Group_free(&here);
  int everyone = 1;
  MPI_Comm_size(comm, &everyone);
  here_.assign(static_cast<std::size_t>(everyone), -1);
  const auto at = [](std::byte* where) {
    return std::launder(
        reinterpret_cast<ring*>(where));  // NOLINT(*-reinterpret-cast): made there by its owner
  };
  for (int r = 0; r < ranks_; ++r) {
    if (r == rank_) continue;
    const int number = numbers[static_cast<std::size_t>(r)];
    here_[static_cast<std::size_t>(number)] = static_cast<int>(out_.size());
    auto* const theirs = part_of(r);
    auto* const bell = std::launder(reinterpret_cast<doorbell*>(theirs));  // NOLINT(*-reinterpret-cast)
    auto& o = out_.emplace_back();
    o.ends = at(ends_at(mine, rank_, r));
    o.data = data_at(mine, rank_, r);
    o.bell = bell;
    auto& i = in_.emplace_back();
    i.from = number;
    i.ends = at(ends_at(theirs, r, rank_));
    i.data = data_at(theirs, r, rank_);
    i.bell = bell;
  }
}

void shared_memory::close() {
  out_.clear();
  in_.clear();
  if (window_ != MPI_WIN_NULL) {
    if (bell_ != nullptr) MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
  if (machine_ != MPI_COMM_NULL) MPI_Comm_free(&machine_);
}

bool shared_memory::reaches(int rank) const noexcept {
  return here_[static_cast<std::size_t>(rank)] >= 0;
}

bool shared_memory::all_sent() const {
  return std::all_of(out_.begin(), out_.end(), [](const outlet& o) { return o.waiting == 0; });
}

// Others ring, but in the middle of a block the next bytes come sooner than one falls asleep.
bool shared_memory::under_way() const {
  return std::any_of(in_.begin(), in_.end(), [](const inlet& i) { return i.open || i.got > 0; }) ||
         !all_sent();
}

bool shared_memory::look() {
  bool moved = false;
  for (auto& o : out_) {
    if (o.waiting.load(std::memory_order_acquire) != 0) moved = pump(o) || moved;
  }
  for (auto& i : in_) moved = read(i) || moved;
  return moved;
}

// --- sending: any thread ---

void shared_memory::send(outgoing_message s) {
  auto& o = out_[static_cast<std::size_t>(here_[static_cast<std::size_t>(s.to)])];
  {
    const std::lock_guard hold(o.lock);
    o.queue.push_back(std::move(s));
    ++o.waiting;
  }
  pump(o);
}

// One thread writes for all. Another one leaves its message to that, which looks again after it has said that
// it is through.
bool shared_memory::pump(outlet& o) {
  bool moved = false;
  while (o.waiting.load() != 0 && !o.busy.exchange(true)) {
    const bool all = write(o, moved);
    o.busy.store(false);
    if (!all) break;
  }
  return moved;
}

// Writes what there is. False: there is no room, and the reader rings when it has made some.
bool shared_memory::write(outlet& o, bool& moved) {
  const auto publish = [&] {
    o.ends->head.store(o.head, std::memory_order_release);
    ring_at(*o.bell);
    moved = true;
  };
  for (;;) {
    if (!o.begun) {
      const std::lock_guard hold(o.lock);
      if (o.queue.empty()) return true;
      o.now = std::move(o.queue.front());
      o.queue.pop_front();
      o.begun = true;
      o.length = o.now.content.size();
      o.part = o.at = 0;
    }
    std::size_t unpublished = 0;
    while (o.part < o.now.blocks.size() + 2) {
      const auto rest = o.rest();
      if (rest.empty()) {
        ++o.part;
        o.at = 0;
        continue;
      }
      auto room = size_ - static_cast<std::size_t>(o.head - o.tail);
      if (room == 0) {
        o.tail = o.ends->tail.load(std::memory_order_acquire);
        room = size_ - static_cast<std::size_t>(o.head - o.tail);
      }
      if (room == 0) {
        if (std::exchange(unpublished, 0) > 0) publish();
        if (moves(o.ends->tail, o.tail, patience_)) continue;
        o.ends->starved.store(1);
        o.tail = o.ends->tail.load();
        if (o.head - o.tail == size_) return false;
        continue;
      }
      const auto off = static_cast<std::size_t>(o.head & (size_ - 1));
      const auto n = std::min({rest.size(), room, size_ - off, piece});
      copy_to_ring(o.data + off, rest.data(), n);
      o.head += n;
      o.at += n;
      unpublished += n;
      if (unpublished >= piece) {
        unpublished = 0;
        publish();
      }
    }
    if (unpublished > 0) publish();
    o.begun = false;
    owner_.buffers().give(std::move(o.now.content));
    o.now = {};
    --o.waiting;
  }
}

// --- receiving: the communication thread ---

bool shared_memory::read(inlet& i) {
  auto head = i.ends->head.load(std::memory_order_acquire);
  if (head == i.tail) return false;
  for (;;) {
    if (i.tail == head) {
      free_up_to(i);
      const bool amid = i.open || i.got > 0;
      if (!amid || !moves(i.ends->head, head, patience_)) return true;
      head = i.ends->head.load(std::memory_order_acquire);
    }
    if (!i.open) {
      if (i.got < sizeof i.length) {
        auto* const to = reinterpret_cast<std::byte*>(&i.length);  // NOLINT(*-reinterpret-cast): its bytes
        i.got += take(i, head, to + i.got, sizeof i.length - i.got);
        continue;
      }
      const auto n = owner_.length(i.from, i.length);
      const auto done = i.got - sizeof i.length;
      const auto off = static_cast<std::size_t>(i.tail & (size_ - 1));
      if (done == 0 && off + n <= size_ && head - i.tail >= n) {
        // It is read where it lies.
        i.open = owner_.open(i.from, {i.data + off, n});
        i.tail += n;
      } else {
        if (done == 0) {
          i.content = owner_.buffers().take();
          i.content.resize(n);
        }
        i.got += take(i, head, i.content.data() + done, n - done);
        if (i.got < sizeof i.length + n) continue;
        i.open = owner_.open(i.from, i.content);
        owner_.buffers().give(std::move(i.content));
      }
      finish(i);
    } else {
      const auto to = i.open->places[i.place].subspan(i.at);
      i.at += take(i, head, to.data(), to.size());
      finish(i);
    }
    if (i.tail - i.told >= std::min(piece, size_ / 4)) free_up_to(i);
  }
}

// Copies what there is of so many bytes.
std::size_t shared_memory::take(inlet& i, std::uint64_t head, std::byte* to, std::size_t most) {
  const auto off = static_cast<std::size_t>(i.tail & (size_ - 1));
  const auto n = std::min({most, static_cast<std::size_t>(head - i.tail), size_ - off, piece});
  std::memcpy(to, i.data + off, n);
  i.tail += n;
  return n;
}

// A message all of whose blocks have come takes effect.
void shared_memory::finish(inlet& i) {
  const auto& places = i.open->places;
  while (i.place < places.size() && i.at == places[i.place].size()) {
    ++i.place;
    i.at = 0;
  }
  if (i.place < places.size()) return;
  i.place = i.got = 0;
  owner_.complete(i.from, std::move(i.open));
}

// The writer may use again what has been read. If it waits, it is woken once half of the ring is free.
void shared_memory::free_up_to(inlet& i) {
  i.told = i.tail;
  i.ends->tail.store(i.tail, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (i.ends->starved.load(std::memory_order_relaxed) == 0) return;
  const auto left = i.ends->head.load(std::memory_order_relaxed) - i.tail;
  if (left * 2 <= size_ && i.ends->starved.exchange(0) != 0) ring_at(*i.bell);
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
