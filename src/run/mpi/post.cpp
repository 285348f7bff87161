#include "post.hpp"

#include <thalweg/model/errors.hpp>
#include <thalweg/observe/clock.hpp>
#include <thalweg/run/engine.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <limits>
#include <utility>

#include "../network/net.hpp"
#include "../network/remote.hpp"

namespace thalweg::run_detail::across {

namespace {

// An error as it is told to the other ranks.
struct remote_error {
  std::string stage;
  std::int32_t replica = 0;
  std::string message;
  std::int32_t rank = 0;
  std::string host;
};

remote_error described(const std::exception_ptr& why) {
  try {
    std::rethrow_exception(why);
  } catch (const stage_error& e) {
    return {e.stage(), e.replica(), model::message_of(e.cause()), 0, {}};
  } catch (...) {
    return {{}, 0, model::message_of(why), 0, {}};
  }
}

// With the original exception inside on the rank where it was thrown, and its text on the others.
std::exception_ptr as_exception(const remote_error& told, const std::exception_ptr& own) {
  const auto where = " (on rank " + std::to_string(told.rank) + ", " + told.host + ")";
  if (told.stage.empty()) return std::make_exception_ptr(error(told.message + where));
  auto cause = std::make_exception_ptr(error(told.message));
  try {
    if (own) std::rethrow_exception(own);
  } catch (const stage_error& e) {
    cause = e.cause();
  } catch (...) {
    cause = own;
  }
  try {
    try {
      std::rethrow_exception(cause);
    } catch (...) {
      throw stage_error(told.stage, told.replica, told.message + where, told.rank, told.host);
    }
  } catch (...) {
    return std::current_exception();
  }
}

// Whether this thread, or one of our own, may speak MPI: it depends on what the program has asked for.
void require_threads(bool on_caller) {
  int level = MPI_THREAD_SINGLE;
  int main_thread = 0;
  MPI_Query_thread(&level);
  MPI_Is_thread_main(&main_thread);
  if (level < MPI_THREAD_FUNNELED)
    throw error(
        "mpi: the program has initialised MPI without threads: it has to call MPI_Init_thread with "
        "MPI_THREAD_FUNNELED at least");
  if (level >= MPI_THREAD_SERIALIZED) return;
  if (!on_caller)
    throw error(
        "mpi: a run that was launched, or has stages on tw::caller_thread, speaks MPI from a thread of its "
        "own, "
        "for which MPI has to be initialised with MPI_THREAD_SERIALIZED at least");
  if (main_thread == 0)
    throw error(
        "mpi: MPI was initialised with MPI_THREAD_FUNNELED, so only the thread that did it can call run");
}

enum tag : int { letters = 1, blocks = 2 };

constexpr std::size_t most_at_once = std::size_t{1} << 30;  // bytes: MPI counts with int
constexpr std::size_t most_spare = 32;
constexpr int looks_before_rest = 200;
constexpr int looks_if_crowded = 2;  // more ranks than cores
constexpr int looks_under_way = 5000;
constexpr std::chrono::microseconds first_rest{20};
constexpr std::chrono::microseconds longest_rest{1000};

}  // namespace

post::post(MPI_Comm comm, network::mapping places, int credits, std::size_t run_bytes, bool crowded)
    : comm_(comm), places_(std::move(places)), credits_(credits), run_bytes_(run_bytes), crowded_(crowded) {
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &ranks_);
  arriving_.resize(static_cast<std::size_t>(ranks_));
  letters_sent_.assign(static_cast<std::size_t>(ranks_), 0);
}

post::~post() {
  if (thread_.joinable()) thread_.join();
}

void post::add(std::uint32_t channel, network::outbound* out, network::inbound* in,
               network::chunk_ptr items) {
  if (channels_.size() <= channel) channels_.resize(channel + 1);
  auto& c = channels_[channel];
  c = {out, in, std::move(items), nullptr};
  c.how = model::wire_of(c.like->item_type());
}

void post::start(network::net& of, bool on_caller) {
  require_threads(on_caller);
  net_ = &of;
  on_caller_ = on_caller;
  if (!on_caller) thread_ = std::thread([this] { live(); });
}

void post::join() {
  const std::lock_guard hold(joining_);
  if (std::exchange(on_caller_, false)) live();
  if (thread_.joinable()) thread_.join();
}

// --- any thread ---

void post::wake() noexcept {
  rung_.fetch_add(1);
  if (sleeping_.load()) pipe::futex_wake(rung_, 1);
}

void post::put(shipment s) {
  {
    const std::lock_guard hold(lock_);
    if (closed_) return;
    outgoing_.push_back(std::move(s));
    any_outgoing_.store(true, std::memory_order_release);
  }
  wake();
}

// Letters are used again, but for very long ones.
post::bytes post::spare() {
  const std::lock_guard hold(lock_);
  if (spare_.empty()) return {};
  auto letter = std::move(spare_.back());
  spare_.pop_back();
  return letter;
}

void post::keep(bytes letter) {
  constexpr std::size_t longest = std::size_t{1} << 20;
  const std::lock_guard hold(lock_);
  if (spare_.size() < most_spare && letter.capacity() < longest) spare_.push_back(std::move(letter));
}

void post::post_letter(int to, envelope head) {
  shipment s;
  s.to = to;
  s.letter = spare();
  s.letter.resize(sizeof head);
  std::memcpy(s.letter.data(), &head, sizeof head);
  put(std::move(s));
}

void post::send(int to, std::uint32_t channel, network::parcel p) {
  auto& c = channels_[channel];
  if (to == rank_) return c.in->arrived(rank_, std::move(p));
  shipment s;
  s.to = to;
  s.letter = spare();
  auto& items = *p.items;
  envelope head;
  head.what = envelope::kind::items;
  head.channel = channel;
  head.number = p.number;
  head.items = static_cast<std::uint32_t>(items.size());
  head.paced = items.paced ? 1 : 0;
  head.ranked = items.ranked ? 1 : 0;
  head.position = items.position;
  head.born_ns = items.born_ns;
  head.upto = items.upto;
  s.letter.resize(sizeof head);
  byte_writer to_letter(s.letter, s.blocks);
  c.how->write(to_letter, items);
  if (s.letter.size() > most_at_once)
    throw codec_error("a run of items has " + std::to_string(s.letter.size()) +
                      " bytes outside of its blocks, which are too many for a message");
  head.blocks = static_cast<std::uint32_t>(s.blocks.size());
  for (const auto& b : s.blocks) {
    const auto n = static_cast<std::uint64_t>(b.size());
    to_letter.bytes(&n, sizeof n);
  }
  std::memcpy(s.letter.data(), &head, sizeof head);
  if (!s.blocks.empty()) s.items = std::move(p.items);
  put(std::move(s));
}

void post::give_credit(int to, std::uint32_t channel, int runs, std::size_t grant) {
  if (to == rank_) return channels_[channel].out->credited(rank_, runs, grant);
  envelope head;
  head.what = envelope::kind::credit;
  head.channel = channel;
  head.number = runs;
  head.grant = static_cast<std::int64_t>(grant);
  post_letter(to, head);
}

void post::tell_progress(int to, std::uint32_t channel, std::int64_t below) {
  if (to == rank_) return channels_[channel].out->progressed(below);
  envelope head;
  head.what = envelope::kind::progress;
  head.channel = channel;
  head.number = below;
  post_letter(to, head);
}

void post::send_end(int to, std::uint32_t channel) {
  if (to == rank_) return channels_[channel].in->ended(rank_);
  envelope head;
  head.what = envelope::kind::end;
  head.channel = channel;
  post_letter(to, head);
}

// --- the thread that speaks ---

void post::live() {
  auto& run = net_->run();
  while (letters_expected_ < 0 || letters_received_ < letters_expected_ || blocks_open_ > 0) {
    const auto seen = rung_.load();
    bool moved = ship();
    moved = sent() || moved;
    moved = receive() || moved;
    look_at_flags();
    if (net_->over()) close();
    // What is under way goes on only while somebody looks.
    const int patience = !requests_.empty() ? looks_under_way
                         : crowded_         ? looks_if_crowded
                                            : looks_before_rest;
    if (moved) {
      idle_ = 0;
    } else if (++idle_ <= patience) {
      std::this_thread::yield();
    } else {
      const auto doublings = std::min(6, (idle_ - patience) / 4);
      sleeping_.store(true);
      if (!any_outgoing_.load())
        (void)pipe::futex_wait_until(
            rung_, seen,
            std::chrono::steady_clock::now() + std::min(first_rest * (1 << doublings), longest_rest));
      sleeping_.store(false);
    }
  }
  agree_on_error();
  gather_counts();
  MPI_Comm comm = comm_;
  MPI_Comm_free(&comm);
  run.root = rank_ == 0;
  net_->leave();
}

// Begins to send what waits for it.
bool post::ship() {
  if (!any_outgoing_.load(std::memory_order_acquire)) return false;
  std::deque<shipment> mine;
  {
    const std::lock_guard hold(lock_);
    mine.swap(outgoing_);
    any_outgoing_.store(false, std::memory_order_relaxed);
  }
  for (auto& m : mine) {
    auto s = std::make_unique<shipment>(std::move(m));
    const auto begin = [&](const std::byte* from, std::size_t n, int tag) {
      MPI_Request r = MPI_REQUEST_NULL;
      MPI_Isend(from, static_cast<int>(n), MPI_BYTE, s->to, tag, comm_, &r);
      requests_.push_back(r);
      of_request_.push_back(s.get());
      into_.push_back(nullptr);
      ++s->open;
    };
    begin(s->letter.data(), s->letter.size(), letters);
    for (auto b : s->blocks) {
      for (; !b.empty(); b = b.subspan(std::min(b.size(), most_at_once)))
        begin(b.data(), std::min(b.size(), most_at_once), blocks);
    }
    ++letters_sent_[static_cast<std::size_t>(s->to)];
    under_way_.push_back(std::move(s));
  }
  return !mine.empty();
}

// What has been sent, and the blocks that have come.
bool post::sent() {
  if (requests_.empty()) return false;
  int done = 0;
  indices_.resize(requests_.size());
  MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &done, indices_.data(),
               MPI_STATUSES_IGNORE);
  if (done <= 0) return false;
  bool came = false;
  for (int i = 0; i < done; ++i) {
    const auto k = static_cast<std::size_t>(indices_[static_cast<std::size_t>(i)]);
    if (auto* const s = of_request_[k]) {
      if (--s->open == 0) {
        const auto at =
            std::find_if(under_way_.begin(), under_way_.end(), [s](const auto& u) { return u.get() == s; });
        keep(std::move(s->letter));
        std::swap(*at, under_way_.back());
        under_way_.pop_back();
      }
    } else {
      --into_[k]->open;
      --blocks_open_;
      came = true;
    }
  }
  // What is left moves together.
  std::size_t kept = 0;
  for (std::size_t k = 0; k < requests_.size(); ++k) {
    if (requests_[k] == MPI_REQUEST_NULL) continue;
    requests_[kept] = requests_[k];
    of_request_[kept] = of_request_[k];
    into_[kept++] = into_[k];
  }
  requests_.resize(kept);
  of_request_.resize(kept);
  into_.resize(kept);
  for (int from = 0; came && from < ranks_; ++from) deliver(from);
  return true;
}

bool post::receive() {
  bool any = false;
  for (int i = 0; i < 64; ++i) {
    int there = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, letters, comm_, &there, &message, &status);
    if (there == 0) break;
    int n = 0;
    MPI_Get_count(&status, MPI_BYTE, &n);
    bytes letter = spare();
    letter.resize(static_cast<std::size_t>(n));
    MPI_Mrecv(letter.data(), n, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    ++letters_received_;
    open_letter(status.MPI_SOURCE, std::move(letter));
    any = true;
  }
  return any;
}

void post::open_letter(int from, bytes letter) {
  auto arrived = std::make_unique<delivery>();
  auto& head = arrived->head;
  std::memcpy(&head, letter.data(), sizeof head);
  if (head.what == envelope::kind::items) {
    auto& c = channels_[head.channel];
    std::vector<std::uint64_t> lengths(head.blocks);
    const auto behind = lengths.size() * sizeof(std::uint64_t);
    std::memcpy(lengths.data(), letter.data() + letter.size() - behind, behind);
    std::size_t more = 0;
    for (const auto n : lengths) more += n;
    std::vector<std::span<std::byte>> places;
    arrived->items = c.like->sibling();
    auto& items = *arrived->items;
    items.paced = head.paced != 0;
    items.ranked = head.ranked != 0;
    items.position = head.position;
    items.born_ns = head.born_ns;
    items.upto = head.upto;
    try {
      byte_reader content(
          std::span<const std::byte>(letter).subspan(sizeof head, letter.size() - sizeof head - behind), more,
          places);
      c.how->read(content, head.items, items);
      bool fits = content.left() == 0 && places.size() == lengths.size();
      for (std::size_t i = 0; fits && i < places.size(); ++i) fits = places[i].size() == lengths[i];
      if (!fits)
        throw codec_error("a codec does not read what it has written: items of type " + c.how->tag());
    } catch (...) {
      net_->run().fail(std::current_exception(), head.position);
      net_->wake();
      // What follows has to be taken all the same.
      places.clear();
      for (const auto n : lengths) {
        arrived->unwanted.emplace_back(n);
        places.emplace_back(arrived->unwanted.back());
      }
      items.clear();
    }
    for (auto p : places) {
      for (; !p.empty(); p = p.subspan(std::min(p.size(), most_at_once))) {
        MPI_Request r = MPI_REQUEST_NULL;
        MPI_Irecv(p.data(), static_cast<int>(std::min(p.size(), most_at_once)), MPI_BYTE, from, blocks, comm_,
                  &r);
        requests_.push_back(r);
        of_request_.push_back(nullptr);
        into_.push_back(arrived.get());
        ++arrived->open;
        ++blocks_open_;
      }
    }
  }
  keep(std::move(letter));
  arriving_[static_cast<std::size_t>(from)].push_back(std::move(arrived));
  deliver(from);
}

// What has come from a rank takes effect in the order in which it was sent.
void post::deliver(int from) {
  auto& queue = arriving_[static_cast<std::size_t>(from)];
  while (!queue.empty() && queue.front()->open == 0) {
    auto d = std::move(queue.front());
    queue.pop_front();
    act_on(from, d->head, std::move(d->items));
  }
}

void post::act_on(int from, const envelope& head, network::chunk_ptr items) {
  using kind = envelope::kind;
  auto& run = net_->run();
  const auto root = static_cast<int>(head.number);
  switch (head.what) {
    case kind::items:
      channels_[head.channel].in->arrived(from, {head.number, std::move(items)});
      break;
    case kind::credit:
      channels_[head.channel].out->credited(from, static_cast<int>(head.number),
                                            static_cast<std::size_t>(head.grant));
      break;
    case kind::progress:
      channels_[head.channel].out->progressed(head.number);
      break;
    case kind::end:
      channels_[head.channel].in->ended(from);
      break;
    case kind::stop:
      tell_all(kind::stop, root);
      told_stop_ = true;
      run.end_sources();
      net_->wake();
      break;
    case kind::cancel:
      if (!std::exchange(told_cancel_, true)) tell_all(kind::cancel, root);
      run.cancel();
      net_->wake();
      break;
    case kind::pause:
      tell_all(kind::pause, root);
      told_pause_ = true;
      run.pause();
      break;
    case kind::resume:
      tell_all(kind::resume, root);
      told_pause_ = false;
      run.resume();
      net_->wake();
      break;
  }
}

// What this rank's run has been told, the others are.
void post::look_at_flags() {
  using kind = envelope::kind;
  auto& run = net_->run();
  if (run.cancelled.load(std::memory_order_acquire)) {
    if (!std::exchange(told_cancel_, true)) tell_all(kind::cancel, rank_);
    return;
  }
  if (run.ending.load(std::memory_order_acquire) && !std::exchange(told_stop_, true))
    tell_all(kind::stop, rank_);
  const bool paused = run.paused();
  if (paused != told_pause_ && !run.ending.load()) {
    told_pause_ = paused;
    tell_all(paused ? kind::pause : kind::resume, rank_);
  }
}

// Down a binomial tree whose root is the rank that began: each tells those below it.
void post::tell_all(envelope::kind what, int root) {
  if (closing_ > step::over_here) return;
  const int me = (rank_ - root + ranks_) % ranks_;
  for (int step = 1; step < ranks_; step *= 2) {
    if ((me & step) != 0) break;
    if (me + step < ranks_) {
      envelope head;
      head.what = what;
      head.number = root;
      post_letter((me + step + root) % ranks_, head);
    }
  }
}

// Nothing more is executed here. When that is so everywhere, nobody has anything to tell the others any more;
// then each learns how many letters it is still to receive.
void post::close() {
  using enum step;
  if (closing_ == not_yet) {
    if (!told_cancel_ && net_->run().cancelled.load(std::memory_order_acquire)) return;
    MPI_Ibarrier(comm_, &agreeing_);
    closing_ = over_here;
  }
  int done = 0;
  if (closing_ == over_here) {
    MPI_Test(&agreeing_, &done, MPI_STATUS_IGNORE);
    if (done == 0) return;
    const std::lock_guard hold(lock_);
    closed_ = true;
    closing_ = over_everywhere;
  }
  if (closing_ == over_everywhere) {
    if (any_outgoing_.load(std::memory_order_acquire) || !under_way_.empty()) return;
    MPI_Ireduce_scatter_block(letters_sent_.data(), &letters_to_come_, 1, MPI_INT64_T, MPI_SUM, comm_,
                              &agreeing_);
    closing_ = counted;
  }
  if (letters_expected_ >= 0) return;
  MPI_Test(&agreeing_, &done, MPI_STATUS_IGNORE);
  if (done != 0) letters_expected_ = letters_to_come_;
}

// Waits without keeping the processor busy, as MPI's own waiting would.
void post::wait_for(MPI_Request& r) {
  auto pause = first_rest;
  for (int done = 0;;) {
    MPI_Test(&r, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, longest_rest);
  }
}

// The error of the lowest position comes out everywhere.
void post::agree_on_error() {
  auto& run = net_->run();
  struct {
    long position;
    int rank;
  } mine{std::numeric_limits<long>::max(), rank_}, first{};
  const auto own = run.error();
  if (own) mine.position = std::min<long>(run.error_position(), std::numeric_limits<long>::max() - 1);
  MPI_Request r = MPI_REQUEST_NULL;
  MPI_Iallreduce(&mine, &first, 1, MPI_LONG_INT, MPI_MINLOC, comm_, &r);
  wait_for(r);
  if (first.position == std::numeric_limits<long>::max()) return;
  remote_error told;
  bytes text;
  if (first.rank == rank_) {
    told = described(own);
    char host[MPI_MAX_PROCESSOR_NAME];
    int n = 0;
    MPI_Get_processor_name(host, &n);
    told.host.assign(host, static_cast<std::size_t>(n));
    told.rank = rank_;
    byte_writer to(text);
    to(told.stage, told.replica, told.message, told.rank, told.host);
  }
  auto n = static_cast<std::int64_t>(text.size());
  MPI_Ibcast(&n, 1, MPI_INT64_T, first.rank, comm_, &r);
  wait_for(r);
  text.resize(static_cast<std::size_t>(n));
  MPI_Ibcast(text.data(), static_cast<int>(n), MPI_BYTE, first.rank, comm_, &r);
  wait_for(r);
  byte_reader from(text);
  from(told.stage, told.replica, told.message, told.rank, told.host);
  run.fail(as_exception(told, first.rank == rank_ ? own : nullptr), std::numeric_limits<std::int64_t>::min());
}

void post::gather_counts() {
  auto& run = net_->run();
  const auto mine = run.totals();
  const auto n = static_cast<int>(mine.size() * sizeof(observe::stage_totals));
  std::vector<observe::stage_totals> all(rank_ == 0 ? mine.size() * static_cast<std::size_t>(ranks_) : 0);
  MPI_Request r = MPI_REQUEST_NULL;
  MPI_Igather(mine.data(), n, MPI_BYTE, all.data(), n, MPI_BYTE, 0, comm_, &r);
  wait_for(r);
  for (std::size_t i = mine.size(); i < all.size(); ++i) run.counted_elsewhere(i % mine.size(), all[i]);
  const std::array<std::int64_t, 2> mine_too{rank_ == 0 ? 0 : observe::process_cpu_ns() - run.cpu_began,
                                             rank_ == 0 ? 0 : run.workers.load()};
  std::array<std::int64_t, 2> of_others{};
  MPI_Ireduce(mine_too.data(), of_others.data(), 2, MPI_INT64_T, MPI_SUM, 0, comm_, &r);
  wait_for(r);
  if (rank_ != 0) return;
  run.used_elsewhere(of_others[0]);
  run.workers.fetch_add(static_cast<int>(of_others[1]));
}

}  // namespace thalweg::run_detail::across
