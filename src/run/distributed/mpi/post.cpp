#include "post.hpp"

#include <thalweg/model/errors.hpp>
#include <thalweg/observe/clock.hpp>
#include <thalweg/run/engine.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "../../network/net.hpp"
#include "../graph/remote.hpp"
#include "collective.hpp"
#include "joiner.hpp"
#include "one_sided.hpp"
#include "rendezvous.hpp"
#include "tree.hpp"
#include "two_sided.hpp"

namespace thalweg::run_detail::distributed {

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

// Bytes; MPI itself counts with int. What is longer is sent as blocks are, in pieces.
constexpr std::size_t longest_letter = std::size_t{64} << 20;
constexpr int looks_before_rest = 200;
constexpr int looks_if_crowded = 2;  // more ranks than cores
constexpr int looks_under_way = 5000;
constexpr std::chrono::microseconds first_rest{20};
constexpr std::chrono::microseconds longest_wait{1000};
constexpr std::chrono::milliseconds longest_quiet{10};  // where others ring

int size_of(MPI_Comm comm) {
  int n = 1;
  MPI_Comm_size(comm, &n);
  return n;
}

}  // namespace

post::post(MPI_Comm comm, network::mapping places, clocks times, std::unique_ptr<heartbeat> beat,
           const mpi_options& how, const environment& seen)
    : comm_(comm),
      first_(size_of(comm)),
      places_(std::move(places)),
      times_(std::move(times)),
      all_(seen.all),
      credits_(how.credits == automatic ? 0 : how.credits),
      round_trip_ns_(times_.longest_round_trip_ns()),
      run_bytes_(how.batch_bytes),
      crowded_(seen.crowded),
      cores_(seen.cores),
      patience_(how.patience),
      heartbeat_(std::move(beat)),
      messages_sent_(static_cast<std::size_t>(first_ + how.spawn)),
      there_(first_) {
  MPI_Comm_rank(comm_, &rank_);
  open_transports(how);
}

post::post(const group& all, int first, network::mapping places, const mpi_options& how)
    : comm_(all.comm),
      first_(first),
      places_(std::move(places)),
      times_(all.times),
      all_(all.env.all),
      credits_(how.credits == automatic ? 0 : how.credits),
      round_trip_ns_(times_.longest_round_trip_ns()),
      run_bytes_(how.batch_bytes),
      crowded_(all.env.crowded),
      cores_(all.env.cores),
      patience_(how.patience),
      far_(std::make_unique<distributed::two_sided>(comm_, static_cast<recipient&>(*this))),
      messages_sent_(static_cast<std::size_t>(all.env.all.size())),
      there_(all.env.all.size()) {
  MPI_Comm_rank(comm_, &rank_);
}

post::~post() {
  if (thread_.joinable()) thread_.join();
}

void post::can_be_joined(std::unique_ptr<joining> by, std::vector<int> room) {
  door_ = std::move(by);
  door_->tell([this] { wake(); });
  room_ = std::move(room);
}

// All ranks at once.
void post::open_transports(const mpi_options& how) {
  recipient& me = *this;
  if (how.comm != thalweg::two_sided && how.share_memory) {
    std::string problem;
    near_ = shared_memory::open(comm_, me, !crowded_, problem);
    if (near_) bell_ = &near_->bell();
    problem = first_of(problem.empty() ? problem : ": " + problem, comm_);
    if (!problem.empty()) {
      const auto text = "mpi: ranks of one machine cannot share memory (" + problem + ")";
      if (how.comm == thalweg::one_sided) {
        close_transports();
        throw error(text + ", which .comm = one_sided asks for");
      }
      if (rank_ == 0) notes_.push_back(text + ": there items travel as messages");
    }
  }
  int to_far = 0;
  for (int r = 0; r < first_; ++r) {
    if (r != rank_ && !(near_ && near_->reaches(r))) ++to_far;
  }
  // Windows are made by all ranks together.
  int somewhere = 0;
  MPI_Allreduce(&to_far, &somewhere, 1, MPI_INT, MPI_MAX, comm_);
  if (somewhere == 0) return;
  if (how.comm != thalweg::one_sided) {
    far_ = std::make_unique<distributed::two_sided>(comm_, me);
    return;
  }
  far_ = distributed::one_sided::open(comm_, me);
  if (!far_) {
    close_transports();
    throw error(
        "mpi: this MPI gives no window of memory to ranks on different machines, which .comm = one_sided "
        "asks "
        "for (Open MPI 4 has none over TCP if it was initialised with MPI_THREAD_MULTIPLE)");
  }
}

// All ranks at once, when none has anything to say any more.
void post::close_transports() {
  deaf_ = true;
  while (inside_ != 0) std::this_thread::yield();
  if (far_) far_->close();
  far_.reset();
  late_.reset();
  if (near_) near_->close();
  near_.reset();
  bell_ = &own_bell_;
}

bool post::look() {
  bool moved = near_ && near_->look();
  if (far_) moved = far_->look() || moved;
  if (late_) moved = late_->look() || moved;
  return moved;
}

// Something goes on only while somebody looks.
bool post::under_way() const {
  return (far_ && far_->under_way()) || (late_ && late_->under_way());
}

void post::add(std::uint32_t channel, std::size_t from_stage, std::size_t to_stage, network::outbound* out,
               network::receiver* in, network::chunk_ptr items, const model::wire* how) {
  if (channels_.size() <= channel) channels_.resize(channel + 1);
  auto& c = channels_[channel];
  c = {out, in, std::move(items), how, from_stage, to_stage, std::make_unique<traffic>()};
  if (how == nullptr) c.how = model::wire_of(c.like->item_type());
}

void post::start(network::net& of, bool on_caller) {
  require_threads(on_caller);
  net_ = &of;
  on_caller_ = on_caller;
  if (apart_) of.run().cancel();
  if (of.may_stand_still())
    still_.emplace(
        of, rank_, rank_ < first_ ? above(rank_) : host_of(rank_), [this] { return those_below(0); },
        [this](int to, const quiescence::wave_message& w) { tell(to, w); });
  if (!on_caller) thread_ = std::thread([this] { live(); });
}

void post::join() {
  const std::lock_guard hold(joining_);
  if (std::exchange(on_caller_, false)) live();
  if (thread_.joinable()) thread_.join();
}

// --- any thread ---

void post::wake() noexcept {
  ++inside_;
  if (!deaf_) {
    bell_->rung.fetch_add(1);
    if (bell_->sleeping.load() != 0) pipe::futex_wake(bell_->rung, 1, pipe::futex_scope::machine);
  }
  --inside_;
}

void post::put(outgoing_message s) {
  ++inside_;
  if (!closed_ && !is_there(s.to)) {
    const std::lock_guard hold(keeping_);
    is_there(s.to) ? ship(std::move(s)) : keep(std::move(s));
  } else if (!closed_) {
    ship(std::move(s));
  }
  --inside_;
}

// For a rank that is not there yet. What would grow with each change of a farm is put together.
void post::keep(outgoing_message s) {
  if (!door_ || door_->now() == joining::state::settled) return;  // nobody comes any more
  const auto head_of = [](const outgoing_message& one) {
    header head;
    std::memcpy(&head, one.content.data(), sizeof head);
    return head;
  };
  // What has been allowed since is what counts.
  if (const auto newer = head_of(s); newer.what == header::kind::allow) {
    for (auto& one : kept_) {
      const auto head = head_of(one);
      if (one.to != s.to || head.what != newer.what || head.channel != newer.channel) continue;
      one.content.swap(s.content);
      return pool_.give(std::move(s.content));
    }
  }
  kept_.push_back(std::move(s));
}

void post::ship(outgoing_message s) {
  messages_sent_[static_cast<std::size_t>(s.to)].fetch_add(1, std::memory_order_relaxed);
  auto& way = transport_to(s.to);
  way.send(std::move(s));
}

transport& post::transport_to(int rank) noexcept {
  if (rank >= first_ && late_) return *late_;
  if (near_ && near_->reaches(rank)) return *near_;
  return *far_;
}

void post::send_header(int to, header head) {
  if (head.what != header::kind::credit && head.what != header::kind::progress)
    others_.fetch_add(1, std::memory_order_relaxed);
  outgoing_message s;
  s.to = to;
  s.content = pool_.take();
  s.content.resize(sizeof head);
  std::memcpy(s.content.data(), &head, sizeof head);
  put(std::move(s));
}

// Whose items they are that could not be written or read.
std::string post::way_of(const channel_end& c) const {
  const auto& stages = net_->run().stages;
  return "items of type " + c.how->tag() + " that go from stage '" + stages[c.from_stage].info->name +
         "' to stage '" + stages[c.to_stage].info->name + "': ";
}

std::size_t post::send(int to, std::uint32_t channel, network::item_message p) {
  auto& c = channels_[channel];
  if (to == rank_) {
    c.in->arrived(rank_, std::move(p));
    return 0;
  }
  outgoing_message s;
  s.to = to;
  s.content = pool_.take();
  auto& items = *p.items;
  header head;
  head.what = header::kind::items;
  head.channel = channel;
  head.number = p.number;
  head.items = static_cast<std::uint32_t>(items.size());
  head.paced = items.paced ? 1 : 0;
  head.ranked = items.ranked ? 1 : 0;
  head.position = items.position;
  head.born_ns = items.born_ns;
  head.upto = items.upto;
  s.content.resize(sizeof head);
  byte_writer to_letter(s.content, s.blocks);
  try {
    c.how->write(to_letter, items);
  } catch (const std::exception& e) {
    throw codec_error(way_of(c) + e.what());
  }
  if (s.content.size() > longest_letter) {
    head.apart = 1;
    s.apart = std::exchange(s.content, pool_.take());
    s.content.resize(sizeof head);
    s.blocks.insert(s.blocks.begin(), std::span<const std::byte>(s.apart).subspan(sizeof head));
  }
  head.blocks = static_cast<std::uint32_t>(s.blocks.size());
  for (const auto& b : s.blocks) {
    const auto n = static_cast<std::uint64_t>(b.size());
    to_letter.bytes(&n, sizeof n);
  }
  std::memcpy(s.content.data(), &head, sizeof head);
  const auto bytes = s.size();
  c.counted->sent(c.how->count(items), bytes);
  if (!s.blocks.empty()) s.items = std::move(p.items);
  const auto of_items = bytes - sizeof head - head.blocks * sizeof(std::uint64_t);
  put(std::move(s));
  return of_items;
}

void post::give_credit(int to, std::uint32_t channel, int runs, std::size_t grant) {
  if (to == rank_) return channels_[channel].out->credited(rank_, runs, grant);
  header head;
  head.what = header::kind::credit;
  head.channel = channel;
  head.number = runs;
  head.grant = static_cast<std::int64_t>(grant);
  channels_[channel].counted->credits.fetch_add(1, std::memory_order_relaxed);
  send_header(to, head);
}

void post::set_credit(int to, std::uint32_t channel, int most) {
  if (to == rank_) return channels_[channel].out->allowed(rank_, most);
  header head;
  head.what = header::kind::allow;
  head.channel = channel;
  head.number = most;
  send_header(to, head);
}

void post::tell_progress(int to, std::uint32_t channel, std::int64_t below) {
  if (to == rank_) return channels_[channel].out->progressed(below);
  header head;
  head.what = header::kind::progress;
  head.channel = channel;
  channels_[channel].counted->credits.fetch_add(1, std::memory_order_relaxed);
  head.number = below;
  send_header(to, head);
}

void post::send_end(int to, std::uint32_t channel) {
  if (to == rank_) return channels_[channel].in->ended(rank_);
  header head;
  head.what = header::kind::end;
  head.channel = channel;
  send_header(to, head);
}

// Once: something may be asked for often.
void post::note(std::string what) {
  if (std::find(late_notes_.begin(), late_notes_.end(), what) == late_notes_.end())
    late_notes_.push_back(std::move(what));
}

void post::resize(std::size_t stage, int replicas) {
  {
    const std::lock_guard hold(asking_);
    asked_.push_back({stage, replicas});
    any_asked_.store(true);
  }
  wake();
}

// --- the communication thread ---

// For how long it may sleep that has looked so often without finding anything.
std::chrono::microseconds post::rest(int looks) const {
  // Nobody rings for messages of MPI.
  if (far_ || late_ || closing_ != step::not_yet)
    return std::min(first_rest * (1 << std::min(6, looks / 4)), longest_wait);
  if (still_ && still_->is_early()) return quiescence::settled;
  return longest_quiet;
}

void post::look_at_heartbeats() {
  for (auto* const one : {heartbeat_.get(), joined_heartbeat_.get()}) {
    if (one == nullptr) continue;
    one->wrote(messages_sent_[static_cast<std::size_t>(one->next())].load(std::memory_order_relaxed));
    one->look();
  }
}

void post::live() {
  auto& run = net_->run();
  if (apart_) {
    run.root = false;
    going_on_.reset();
    return net_->leave();
  }
  while (letters_expected_ < 0 || letters_received_ < letters_expected_ || open_ > 0 || under_way()) {
    const auto seen = bell_->rung.load();
    const bool moved = look();
    look_at_flags();
    if (still_ && open_ == 0 && !(door_ && door_->is_meeting())) still_->look([this] { return counted(); });
    look_at_heartbeats();
    if (net_->over()) close();
    const int patience = under_way() || (near_ && near_->under_way()) ? looks_under_way
                         : crowded_                                   ? looks_if_crowded
                                                                      : looks_before_rest;
    if (moved) {
      idle_ = 0;
    } else if (++idle_ <= patience) {
      std::this_thread::yield();
    } else {
      bell_->sleeping.store(1);
      if (!look()) {
        (void)pipe::futex_wait_until(bell_->rung, seen,
                                     std::chrono::steady_clock::now() + rest(idle_ - patience),
                                     pipe::futex_scope::machine);
      } else {
        idle_ = 0;
      }
      bell_->sleeping.store(0);
    }
  }
  // Others may still read what has been sent to them.
  MPI_Request all = MPI_REQUEST_NULL;
  MPI_Ibarrier(everyone(), &all);
  for (int done = 0; done == 0;) {
    look_at_heartbeats();
    MPI_Test(&all, &done, MPI_STATUS_IGNORE);
    if (done == 0) std::this_thread::sleep_for(first_rest);
  }
  const auto watch = watch_before(patience_);
  close_transports();
  while (!heartbeat_->end()) std::this_thread::sleep_for(first_rest);
  while (joined_heartbeat_ && !joined_heartbeat_->end()) std::this_thread::sleep_for(first_rest);
  agree_on_error();
  gather_all();
  if (rank_ >= first_) {
    joiner::here()->part();
  } else {
    if (door_) door_->part();
    door_.reset();  // the execution may outlive MPI
    MPI_Comm comm = comm_;
    MPI_Comm_free(&comm);
  }
  run.root = rank_ == 0;
  going_on_.reset();
  net_->leave();
}

void post::hold(message& m, std::span<const std::uint64_t> lengths) {
  m.places.clear();
  for (const auto n : lengths) m.places.emplace_back(m.held.emplace_back(n));
}

std::unique_ptr<partial_receive> post::open(int from, std::span<const std::byte> content) {
  auto arrived = std::make_unique<message>();
  ++letters_received_;
  ++open_;
  auto& head = arrived->head;
  std::memcpy(&head, content.data(), sizeof head);
  if (head.what != header::kind::items) return arrived;
  const auto& c = channels_[head.channel];
  std::vector<std::uint64_t> lengths(head.blocks);
  const auto behind = lengths.size() * sizeof(std::uint64_t);
  if (behind > 0) std::memcpy(lengths.data(), content.data() + content.size() - behind, behind);
  arrived->items = c.like->sibling();
  auto& items = *arrived->items;
  items.paced = head.paced != 0;
  items.ranked = head.ranked != 0;
  items.position = head.position;
  items.born_ns = head.born_ns;
  items.upto = head.upto;
  if (head.apart != 0) {
    hold(*arrived, lengths);
  } else {
    read_items(*arrived, content.subspan(sizeof head, content.size() - sizeof head - behind), lengths);
    to_our_clock(from, items);
  }
  return arrived;
}

// Reads items but for their blocks, of which it says where they belong.
void post::read_items(message& m, std::span<const std::byte> from, std::span<const std::uint64_t> lengths) {
  auto& c = channels_[m.head.channel];
  try {
    byte_reader content(from, std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}), m.places);
    c.how->read(content, m.head.items, *m.items);
    const auto same = [](const auto& place, std::uint64_t n) { return place.size() == n; };
    if (content.left() != 0 ||
        !std::equal(m.places.begin(), m.places.end(), lengths.begin(), lengths.end(), same))
      throw codec_error("the codec does not read what it has written");
  } catch (const std::exception& e) {
    net_->run().fail(std::make_exception_ptr(codec_error(way_of(c) + e.what())), m.head.position);
    net_->wake();
    m.items->clear();
    hold(m, lengths);  // what follows has to be taken all the same
  }
}

// All is there of items that are read only now: the first block is what a message had been too short for.
void post::read_what_was_apart(message& m) {
  const auto held = std::exchange(m.held, {});
  m.places.clear();
  std::vector<std::uint64_t> lengths;
  for (const auto& b : held) lengths.push_back(b.size());
  read_items(m, held.front(), std::span<const std::uint64_t>(lengths).subspan(1));
  for (std::size_t i = 0; i < m.places.size(); ++i) std::ranges::copy(held[i + 1], m.places[i].begin());
}

// Times travel as the sender's clock has them.
void post::to_our_clock(int from, pipe::chunk_base& items) const {
  const auto shift = times_.shift(from, rank_);
  if (shift == 0) return;
  items.born_ns += shift;
  if (!items.paced) return;
  items.change_marks(0, items.size(), [shift](pipe::mark m) {
    m.due += shift;
    return m;
  });
}

void post::complete(int from, std::unique_ptr<partial_receive> whole) {
  auto& m = static_cast<message&>(*whole);
  heartbeat_->heard(from);
  if (joined_heartbeat_) joined_heartbeat_->heard(from);
  if (m.head.apart != 0) {
    read_what_was_apart(m);
    to_our_clock(from, *m.items);
  }
  act_on(from, m.head, std::move(m.items));
  --open_;
}

void post::act_on(int from, const header& head, network::chunk_ptr items) {
  using kind = header::kind;
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
    case kind::allow:
      channels_[head.channel].out->allowed(from, static_cast<int>(head.number));
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
      if (!std::exchange(told_cancel_, true)) {
        tell_all(kind::cancel, root);
        note("mpi: rank " + std::to_string(root) + " has cancelled the run: not all of it has come out");
      }
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
    case kind::resize:
      tell_all(head);
      take_size(head);
      break;
    case kind::quiescence:
      ++of_stillness_.received;
      still_->heard({.what = static_cast<quiescence::wave_message::kind>(head.paced),
                     .unchanged = head.ranked != 0,
                     .surplus = head.number,
                     .by = static_cast<network::remedy>(head.items),
                     .items = head.grant,
                     .rank = static_cast<int>(head.channel)});
      break;
    case kind::meet:
      tell_all(kind::meet, root);
      meet();
      break;
  }
}

void post::resize_as_asked() {
  if (!any_asked_.load()) return;
  std::vector<size_asked> now;
  {
    const std::lock_guard hold(asking_);
    now.swap(asked_);
    any_asked_.store(false);
  }
  for (const auto& a : now) {
    header head;
    head.what = header::kind::resize;
    head.channel = static_cast<std::uint32_t>(a.stage);
    head.items = static_cast<std::uint32_t>(a.replicas);
    head.number = rank_;
    head.position = changes_ + 1;
    tell_all(head);
    take_size(head);
  }
}

void post::take_size(const header& head) {
  changes_ = std::max(changes_, head.position);
  auto& last = sized_[head.channel];
  const auto at = std::pair(head.position, head.number);
  if (at <= last || net_->over()) return;
  last = at;
  try {
    net_->resize(head.channel, static_cast<int>(head.items));
  } catch (...) {  // the system has no more threads
    net_->run().fail(std::current_exception(), 0);
    net_->wake();
  }
  ask_for_more(head.channel, static_cast<int>(head.items));
}

// --- processes that join ---

// Of rank 0, when a farm is to have more replicas than there is room for.
void post::ask_for_more(std::size_t stage, int replicas) {
  if (rank_ != 0 || !door_ || door_->now() != joining::state::idle || closing_ != step::not_yet) return;
  if (replicas > room_[stage] && places_[stage].back().rank >= first_) door_->start();
}

void post::look_at_joiners() {
  if (!door_ || !door_->under_way()) return;
  using enum joining::state;
  auto& run = net_->run();
  switch (door_->now()) {
    case started:
      tell_all(header::kind::meet, rank_);
      meet();
      break;
    case met:
      admit();
      break;
    case failed:
      if (door_->is_other_job()) {
        run.fail(std::make_exception_ptr(
                     error("mpi: processes were started to join the run, but " + door_->problem())),
                 0);
        net_->wake();
      } else {
        late_notes_.push_back("mpi: no process has joined (" + door_->problem() +
                              "): the run has gone on with the ranks that began it");
      }
      door_->settle();
      break;
    case too_late:
      if (rank_ == 0)
        late_notes_.emplace_back("mpi: processes that were started to join came when the stream had ended");
      door_->settle();
      break;
    default:
      break;
  }
}

// The run is over, and would be without them if they had only said something.
void post::wait_for_joiners() {
  const auto now = observe::now_ns();
  if (over_ns_ == 0) over_ns_ = now;
  const std::chrono::nanoseconds waited(now - over_ns_);
  if (patience_.count() == 0 || waited < 10 * patience_ || door_->now() != joining::state::starting) return;
  end_program("the run has been over for " + seconds_of(waited) +
                  ", and processes that were started to join it have not come to it, so rank 0 ends the "
                  "program on all ranks",
              comm_, door_->begun());
}

void post::meet() {
  door_->meet([this] { return !net_->run().cancelled.load() && net_->expect_others(); },
              [this] { net_->expect_nobody(); });
}

// All have agreed: from now on the joiners are ranks as others are. What has been kept for them is the
// first that they get.
void post::admit() {
  const auto& all = door_->all();
  const int n = all.env.all.size();
  wide_ = all.comm;
  times_.add(all.times, all.env.node_of);
  crowded_ = crowded_ || all.env.crowded;
  cores_ = all.env.cores;
  joined_ns_ = observe::now_ns() - net_->run().started_ns;
  joined_heartbeat_ = std::make_unique<heartbeat>(wide_, all.env, patience_);
  late_ = std::make_unique<distributed::two_sided>(wide_, static_cast<recipient&>(*this));
  {
    const std::lock_guard hold(keeping_);
    for (auto& s : kept_) ship(std::move(s));
    kept_.clear();
    there_.store(n, std::memory_order_release);
  }
  for (int r = first_; r < n; ++r) {
    if (host_of(r) == rank_) tell_state(r);
  }
  try {
    net_->others_have_joined();
  } catch (...) {  // the system has no more threads
    net_->run().fail(std::current_exception(), 0);
    net_->wake();
  }
  door_->settle();
}

// What has been told to all before it came.
void post::tell_state(int joiner) {
  using kind = header::kind;
  header head;
  for (const auto& [stage, last] : sized_) {
    head.what = kind::resize;
    head.channel = static_cast<std::uint32_t>(stage);
    head.items = static_cast<std::uint32_t>(net_->run().replicas[stage]);
    std::tie(head.position, head.number) = last;
    send_header(joiner, head);
  }
  head = {};
  head.number = rank_;
  const auto tell = [&](kind what, bool so) {
    head.what = what;
    if (so) send_header(joiner, head);
  };
  tell(kind::stop, told_stop_);
  tell(kind::pause, told_pause_ && !told_stop_);
  tell(kind::cancel, told_cancel_);
}

// Those that have joined hang on this rank whichever the root is.
std::vector<int> post::those_below(int root) const {
  std::vector<int> all;
  if (rank_ >= first_) return all;
  for_those_below(rank_, first_, root, [&](int r) { all.push_back(r); });
  const int there = there_.load(std::memory_order_relaxed);
  for (int r = first_ + rank_; r < there; r += first_) all.push_back(r);
  return all;
}

// In the fields of the header that such a message has no other use for.
void post::tell(int to, const quiescence::wave_message& w) {
  header head;
  head.what = header::kind::quiescence;
  head.paced = static_cast<std::uint8_t>(w.what);
  head.ranked = w.unchanged ? 1 : 0;
  head.number = w.surplus;
  head.items = static_cast<std::uint32_t>(w.by);
  head.grant = w.items;
  head.channel = static_cast<std::uint32_t>(w.rank);
  ++of_stillness_.sent;
  send_header(to, head);
}

// No message is half received.
message_count post::counted() const {
  message_count all{-of_stillness_.sent, letters_received_ - of_stillness_.received};
  for (const auto& n : messages_sent_) all.sent += n.load(std::memory_order_relaxed);
  return all;
}

// What this rank's run has been told, the others are.
void post::look_at_flags() {
  using kind = header::kind;
  auto& run = net_->run();
  resize_as_asked();
  look_at_joiners();
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

// Down a binomial tree whose root is the rank that began: each tells those below it. Who has joined hangs on
// one of the others, since ranks learn of it one after the other, and all have to know the same tree.
void post::tell_all(header head) {
  if (closing_ > step::over_here) return;
  const auto origin = static_cast<int>(head.number);
  if (rank_ >= first_) {
    if (origin == rank_) send_header(host_of(rank_), head);
    return;
  }
  for (const int r : those_below(origin < first_ ? origin : host_of(origin))) {
    if (r != origin) send_header(r, head);
  }
}

void post::tell_all(header::kind what, int root) {
  header head;
  head.what = what;
  head.number = root;
  tell_all(head);
}

// Nothing more is executed here. When that is so everywhere, nobody has anything to tell the others any more;
// then each learns how many messages it is still to receive.
void post::close() {
  using enum step;
  if (closing_ == not_yet) {
    if (!told_cancel_ && net_->run().cancelled.load(std::memory_order_acquire)) return;
    // Rank 0 goes on only when it knows whether processes that it has started take part; and where they do,
    // all others are about to know it.
    if (rank_ == 0 && door_ && door_->under_way()) return wait_for_joiners();
    MPI_Ibarrier(comm_, &agreeing_);
    closing_ = rank_ < first_ ? over_at_first : over_here;
  }
  int done = 0;
  if (closing_ == over_at_first) {
    MPI_Test(&agreeing_, &done, MPI_STATUS_IGNORE);
    if (done == 0 || (door_ && door_->under_way())) return;
    if (wide_ != MPI_COMM_NULL) MPI_Ibarrier(wide_, &agreeing_);
    closing_ = over_here;
  }
  if (closing_ == over_here) {
    MPI_Test(&agreeing_, &done, MPI_STATUS_IGNORE);
    if (done == 0) return;
    closed_ = true;
    closing_ = over_everywhere;
  }
  if (closing_ == over_everywhere) {
    if (inside_ != 0 || (near_ && !near_->all_sent()) || (far_ && !far_->all_sent()) ||
        (late_ && !late_->all_sent()))
      return;
    counts_.assign(messages_sent_.begin(), messages_sent_.begin() + there_.load());
    MPI_Ireduce_scatter_block(counts_.data(), &letters_to_come_, 1, MPI_INT64_T, MPI_SUM, everyone(),
                              &agreeing_);
    closing_ = counted;
  }
  if (letters_expected_ >= 0) return;
  MPI_Test(&agreeing_, &done, MPI_STATUS_IGNORE);
  if (done != 0) letters_expected_ = letters_to_come_;
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
  MPI_Iallreduce(&mine, &first, 1, MPI_LONG_INT, MPI_MINLOC, everyone(), &r);
  wait_for(r);
  if (first.position == std::numeric_limits<long>::max()) return;
  remote_error told;
  bytes text;
  if (first.rank == rank_) {
    told = described(own);
    told.host = name_of_host();
    told.rank = rank_;
    byte_writer to(text);
    to(told.stage, told.replica, told.message, told.rank, told.host);
  }
  auto n = static_cast<std::int64_t>(text.size());
  MPI_Ibcast(&n, 1, MPI_INT64_T, first.rank, everyone(), &r);
  wait_for(r);
  text.resize(static_cast<std::size_t>(n));
  MPI_Ibcast(text.data(), static_cast<int>(n), MPI_BYTE, first.rank, everyone(), &r);
  wait_for(r);
  byte_reader from(text);
  from(told.stage, told.replica, told.message, told.rank, told.host);
  run.fail(as_exception(told, first.rank == rank_ ? own : nullptr), std::numeric_limits<std::int64_t>::min());
}

void post::gather_all() {
  const auto beats = heartbeat_->messages() + (joined_heartbeat_ ? joined_heartbeat_->messages() : 0);
  of_this_rank mine{&places_, &times_,    {},     others_.load() + static_cast<std::uint64_t>(beats),
                    first_,   joined_ns_, cores_, late_notes_};
  for (const auto& c : channels_) {
    auto& t = mine.channels.emplace_back();
    if (!c.counted) continue;  // not a channel: both ends are on one rank
    t = {c.from_stage,     c.to_stage,       c.counted->messages,
         c.counted->items, c.counted->bytes, c.counted->credits};
    if (c.out != nullptr) t.blocked_ns = c.out->blocked_ns();
  }
  gather(net_->run(), mine, everyone());
}

}  // namespace thalweg::run_detail::distributed
