#include "endpoint.hpp"

#include <thalweg/model/errors.hpp>
#include <thalweg/run/engine.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <thread>
#include <utility>

#include "../../engine/graph_engine.hpp"
#include "../graph/remote.hpp"
#include "collective.hpp"
#include "one_sided.hpp"
#include "two_sided.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

namespace {

// Bytes; MPI itself counts with int. Longer content goes in pieces, as blocks do.
constexpr std::size_t longest_content = std::size_t{64} << 20;

header header_of(header::kind what, std::uint32_t channel_id, std::int64_t number) {
  header head;
  head.what = what;
  head.channel_id = channel_id;
  head.number = number;
  return head;
}

header header_in(const outgoing_message& m) {
  header head;
  std::memcpy(&head, m.content.data(), sizeof head);
  return head;
}

}  // namespace

endpoint::endpoint(MPI_Comm comm, rank_tree tree, int ranks, int most, clocks times)
    : comm_(comm),
      tree_(tree),
      times_(std::move(times)),
      reader_(most),
      messages_sent_(static_cast<std::size_t>(most)),
      there_(ranks) {}

std::string endpoint::open_transports(const mpi_options& how, bool crowded) {
  recipient& me = *this;
  std::string note;
  if (how.comm != thalweg::two_sided && how.share_memory) {
    std::string problem;
    near_ = shared_memory::open(comm_, me, !crowded, problem);
    if (near_) bell_ = &near_->bell();
    problem = first_of(problem.empty() ? problem : ": " + problem, comm_);
    if (!problem.empty()) {
      const auto text = "mpi: ranks of one machine cannot share memory (" + problem + ")";
      if (how.comm == thalweg::one_sided) {
        close_transports();
        throw error(text + ", which .comm = one_sided asks for");
      }
      note = text + ": there items travel as messages";
    }
  }
  int to_far = 0;
  for (int r = 0; r < tree_.first; ++r) {
    if (r != tree_.rank && !(near_ && near_->reaches(r))) ++to_far;
  }
  // All ranks make a window together.
  int somewhere = 0;
  MPI_Allreduce(&to_far, &somewhere, 1, MPI_INT, MPI_MAX, comm_);
  if (somewhere == 0) return note;
  if (how.comm != thalweg::one_sided) {
    far_ = std::make_unique<distributed::two_sided>(comm_, me);
    return note;
  }
  far_ = distributed::one_sided::open(comm_, me);
  if (!far_) {
    close_transports();
    throw error(
        "mpi: this MPI gives no window of memory to ranks on different machines, which .comm = one_sided "
        "asks for (Open MPI 4 has none over TCP if it was initialised with MPI_THREAD_MULTIPLE)");
  }
  return note;
}

void endpoint::open_transport_of_joiner() {
  far_ = std::make_unique<distributed::two_sided>(comm_, static_cast<recipient&>(*this));
}

void endpoint::close_transports() {
  deaf_ = true;
  while (inside_ != 0) std::this_thread::yield();
  if (far_) far_->close();
  far_.reset();
  joined_.reset();
  if (near_) near_->close();
  near_.reset();
  bell_ = &own_bell_;
}

void endpoint::add(std::uint32_t channel_id, const dataflow::route& way, dataflow::outbound* out,
                   dataflow::receiver* in, dataflow::chunk_ptr items, const model::wire* how) {
  reader_.add(channel_id, way, in != nullptr, out != nullptr);
  if (channels_.size() <= channel_id) channels_.resize(channel_id + 1);
  auto& c = channels_[channel_id];
  c = {out, in, std::move(items), how, way.from_stage, way.to_stage, std::make_unique<traffic>()};
  if (how == nullptr) c.how = model::wire_of(c.like->item_type());
}

void endpoint::start(dataflow::graph_engine& of, std::function<void(int)> heard, hearer told) {
  net_ = &of;
  std::vector<bool> farms;
  for (const auto& s : of.run().stages) farms.push_back(s.info->farm >= 0);
  reader_.start(std::move(farms), of.may_stand_still());
  heard_ = std::move(heard);
  told_ = std::move(told);
}

// --- sending: any thread ---

void endpoint::wake() noexcept {
  ++inside_;
  if (!deaf_) {
    bell_->rung.fetch_add(1);
    if (bell_->sleeping.load() != 0) pipe::futex_wake(bell_->rung, 1, pipe::futex_scope::machine);
  }
  --inside_;
}

void endpoint::put(outgoing_message m) {
  ++inside_;
  if (!closed_ && !is_there(m.to)) {
    const std::lock_guard hold(keeping_);
    is_there(m.to) ? ship(std::move(m)) : keep(std::move(m));
  } else if (!closed_) {
    ship(std::move(m));
  }
  --inside_;
}

// Of what is allowed only the last number counts: otherwise each change of a farm would add a message.
void endpoint::keep(outgoing_message m) {
  if (!expects_joiners_) return;
  if (const auto newer = header_in(m); newer.what == header::kind::allow) {
    for (auto& one : kept_) {
      const auto head = header_in(one);
      if (one.to != m.to || head.what != newer.what || head.channel_id != newer.channel_id) continue;
      one.content.swap(m.content);
      return pool_.give(std::move(m.content));
    }
  }
  kept_.push_back(std::move(m));
}

void endpoint::ship(outgoing_message m) {
  messages_sent_[static_cast<std::size_t>(m.to)].fetch_add(1, std::memory_order_relaxed);
  auto& by = transport_to(m.to);
  by.send(std::move(m));
}

transport& endpoint::transport_to(int rank) noexcept {
  if (rank >= tree_.first && joined_) return *joined_;
  if (near_ && near_->reaches(rank)) return *near_;
  return *far_;
}

void endpoint::put_header(int to, const header& head, std::span<const std::byte> content) {
  outgoing_message m;
  m.to = to;
  m.content = pool_.take();
  m.content.resize(sizeof head);
  std::memcpy(m.content.data(), &head, sizeof head);
  m.content.insert(m.content.end(), content.begin(), content.end());
  put(std::move(m));
}

void endpoint::send(int to, const header& head, std::span<const std::byte> content) {
  others_.fetch_add(1, std::memory_order_relaxed);
  put_header(to, head, content);
}

// For errors: the items of a channel.
std::string endpoint::name_of(const channel_end& c) const {
  const auto& stages = net_->run().stages;
  return "items of type " + c.how->tag() + " that go from stage '" + stages[c.from_stage].info->name +
         "' to stage '" + stages[c.to_stage].info->name + "': ";
}

std::size_t endpoint::send_items(int to, std::uint32_t channel_id, dataflow::item_message given) {
  auto& c = channels_[channel_id];
  if (to == tree_.rank) {
    c.in->arrived(tree_.rank, std::move(given));
    return 0;
  }
  outgoing_message m;
  m.to = to;
  m.content = pool_.take();
  auto& items = *given.items;
  auto head = header_of(header::kind::items, channel_id, given.number);
  head.items = static_cast<std::uint32_t>(items.size());
  head.paced = items.paced ? 1 : 0;
  head.ranked = items.ranked ? 1 : 0;
  head.position = items.position;
  head.born_ns = items.born_ns;
  head.upto = items.upto;
  head.grant = given.waited ? 1 : 0;
  m.content.resize(sizeof head);
  byte_writer writer(m.content, m.blocks);
  try {
    c.how->write(writer, items);
  } catch (const std::exception& e) {
    throw codec_error(name_of(c) + e.what());
  }
  if (m.content.size() > longest_content) {
    head.apart = 1;
    m.apart = std::exchange(m.content, pool_.take());
    m.content.resize(sizeof head);
    m.blocks.insert(m.blocks.begin(), std::span<const std::byte>(m.apart).subspan(sizeof head));
  }
  head.blocks = static_cast<std::uint32_t>(m.blocks.size());
  for (const auto& b : m.blocks) {
    const auto n = static_cast<std::uint64_t>(b.size());
    writer.bytes(&n, sizeof n);
  }
  std::memcpy(m.content.data(), &head, sizeof head);
  const auto bytes = m.size();
  c.counted->sent(c.how->count(items), bytes);
  if (!m.blocks.empty()) m.items = std::move(given.items);
  const auto of_items = bytes - sizeof head - head.blocks * sizeof(std::uint64_t);
  put(std::move(m));
  return of_items;
}

void endpoint::give_credit(int to, std::uint32_t channel_id, int runs, std::size_t grant) {
  if (to == tree_.rank) return channels_[channel_id].out->credited(to, runs, grant);
  auto head = header_of(header::kind::credit, channel_id, runs);
  head.grant = static_cast<std::int64_t>(grant);
  channels_[channel_id].counted->credits.fetch_add(1, std::memory_order_relaxed);
  put_header(to, head);
}

void endpoint::set_credit(int to, std::uint32_t channel_id, int most, int at_work) {
  if (to == tree_.rank) return channels_[channel_id].out->allowed(to, most, at_work);
  channels_[channel_id].counted->credits.fetch_add(1, std::memory_order_relaxed);
  auto head = header_of(header::kind::allow, channel_id, most);
  head.grant = at_work;
  put_header(to, head);
}

void endpoint::tell_progress(int to, std::uint32_t channel_id, std::int64_t below) {
  if (to == tree_.rank) return channels_[channel_id].out->progressed(below);
  channels_[channel_id].counted->credits.fetch_add(1, std::memory_order_relaxed);
  put_header(to, header_of(header::kind::progress, channel_id, below));
}

void endpoint::send_end(int to, std::uint32_t channel_id) {
  if (to == tree_.rank) return channels_[channel_id].in->ended(to);
  send(to, header_of(header::kind::end, channel_id, 0));
}

// --- the communication thread ---

void endpoint::broadcast(const header& head) {
  if (closed_) return;
  const auto origin = static_cast<int>(head.number);
  if (tree_.has_joined()) {
    if (origin == tree_.rank) send(tree_.host_of(origin), head);
    return;
  }
  for (const int r : tree_.below(origin < tree_.first ? origin : tree_.host_of(origin), ranks())) {
    if (r != origin) send(r, head);
  }
}

void endpoint::broadcast(header::kind what, int root) {
  broadcast(header_of(what, 0, root));
}

// A joiner gets first what was kept for it.
void endpoint::admit(const group& all) {
  times_.add(all.times, all.env.node_of);
  joined_ = std::make_unique<distributed::two_sided>(all.comm, static_cast<recipient&>(*this));
  const std::lock_guard hold(keeping_);
  for (auto& m : kept_) ship(std::move(m));
  kept_.clear();
  there_.store(all.env.all.size(), std::memory_order_release);
}

bool endpoint::look() {
  bool moved = near_ && near_->look();
  if (far_) moved = far_->look() || moved;
  if (joined_) moved = joined_->look() || moved;
  return moved;
}

bool endpoint::sleep(std::uint32_t rung, std::chrono::microseconds most) {
  bell_->sleeping.store(1);
  const bool moved = look();
  if (!moved)
    (void)pipe::futex_wait_until(bell_->rung, rung, std::chrono::steady_clock::now() + most,
                                 pipe::futex_scope::machine);
  bell_->sleeping.store(0);
  return !moved;
}

bool endpoint::under_way() const {
  return (far_ && far_->under_way()) || (joined_ && joined_->under_way());
}

bool endpoint::all_sent() const {
  return inside_ == 0 && (!near_ || near_->all_sent()) && (!far_ || far_->all_sent()) &&
         (!joined_ || joined_->all_sent());
}

std::vector<std::int64_t> endpoint::sent() const {
  return {messages_sent_.begin(), messages_sent_.begin() + ranks()};
}

std::int64_t endpoint::sent_to(int rank) const noexcept {
  return messages_sent_[static_cast<std::size_t>(rank)].load(std::memory_order_relaxed);
}

std::vector<channel_totals> endpoint::totals() const {
  std::vector<channel_totals> all;
  for (const auto& c : channels_) {
    auto& t = all.emplace_back();
    if (!c.counted) continue;  // not a channel: both ends are on one rank
    t = {c.from_stage,     c.to_stage,       c.counted->messages,
         c.counted->items, c.counted->bytes, c.counted->credits};
    if (c.out != nullptr) t.blocked_ns = c.out->blocked_ns();
  }
  return all;
}

// --- receiving: the communication thread ---

std::size_t endpoint::length(int from, std::uint64_t n) {
  return read_or_end(comm_, [&] { return checked_length(from, n); });
}

std::unique_ptr<partial_receive> endpoint::open(int from, std::span<const std::byte> content) {
  const auto came = read_or_end(comm_, [&] { return reader_.read(from, content); });
  auto arrived = std::make_unique<incoming>();
  ++received_;
  ++open_;
  const auto& head = arrived->head = came.head;
  if (head.what != header::kind::items) {
    arrived->content.assign(came.items.begin(), came.items.end());
    return arrived;
  }
  arrived->items = channels_[head.channel_id].like->sibling();
  auto& items = *arrived->items;
  items.paced = head.paced != 0;
  items.ranked = head.ranked != 0;
  items.position = head.position;
  items.born_ns = head.born_ns;
  items.upto = head.upto;
  if (head.apart != 0) {
    hold(*arrived, came.lengths);
  } else {
    read_items(from, *arrived, came.items, came.lengths);
    to_our_clock(from, items);
  }
  return arrived;
}

void endpoint::hold(incoming& m, std::span<const std::uint64_t> lengths) {
  m.places.clear();
  for (const auto n : lengths) m.places.emplace_back(m.held.emplace_back(n));
}

// Reads items without their blocks, and learns where these go.
void endpoint::read_items(int from, incoming& m, std::span<const std::byte> content,
                          std::span<const std::uint64_t> lengths) {
  auto& c = channels_[m.head.channel_id];
  try {
    byte_reader reader(content, std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}), m.places);
    c.how->read(reader, m.head.items, *m.items);
    const auto same = [](const auto& place, std::uint64_t n) { return place.size() == n; };
    if (reader.left() != 0 ||
        !std::equal(m.places.begin(), m.places.end(), lengths.begin(), lengths.end(), same))
      throw codec_error("the codec does not read what it has written");
    if (!dataflow::can_be_due(*m.items)) throw codec_error("an item has a due time that no clock shows");
  } catch (const std::exception& e) {
    net_->run().fail(std::make_exception_ptr(
                         codec_error(name_of(c) + "sent by rank " + std::to_string(from) + ": " + e.what())),
                     m.head.position);
    net_->wake();
    m.items->clear();
    hold(m, lengths);  // the blocks still come
  }
}

// All blocks are there. The first one is the content that was too long.
void endpoint::read_what_was_apart(int from, incoming& m) {
  const auto held = std::exchange(m.held, {});
  m.places.clear();
  std::vector<std::uint64_t> lengths;
  for (const auto& b : held) lengths.push_back(b.size());
  read_items(from, m, held.front(), std::span<const std::uint64_t>(lengths).subspan(1));
  for (std::size_t i = 0; i < m.places.size(); ++i) std::ranges::copy(held[i + 1], m.places[i].begin());
}

// Times travel as the sender's clock has them.
void endpoint::to_our_clock(int from, pipe::chunk_base& items) const {
  const auto shift = times_.shift(from, tree_.rank);
  if (shift == 0) return;
  items.born_ns += shift;
  if (!items.paced) return;
  items.change_marks(0, items.size(), [shift](pipe::mark m) {
    m.due += shift;
    return m;
  });
}

// To who takes it, who may know better what can be meant.
void endpoint::hand_over(int from, incoming& m) {
  const auto& c = channels_[m.head.channel_id];
  try {
    c.in->arrived(from,
                  {m.head.number, std::move(m.items), m.head.grant != 0, times_.shift(from, tree_.rank)});
  } catch (const codec_error& e) {
    refuse(from, name_of(c) + e.what());
  }
}

void endpoint::complete(int from, std::unique_ptr<partial_receive> whole) {
  auto& m = static_cast<incoming&>(*whole);
  const auto& head = m.head;
  heard_(from);
  if (head.apart != 0) {
    read_what_was_apart(from, m);
    to_our_clock(from, *m.items);
  }
  switch (head.what) {
    case header::kind::items:
      read_or_end(comm_, [&] { hand_over(from, m); });
      break;
    case header::kind::credit:
      channels_[head.channel_id].out->credited(from, static_cast<int>(head.number),
                                               static_cast<std::size_t>(head.grant));
      break;
    case header::kind::allow:
      channels_[head.channel_id].out->allowed(from, static_cast<int>(head.number),
                                              static_cast<int>(head.grant));
      break;
    case header::kind::progress:
      channels_[head.channel_id].out->progressed(head.number);
      break;
    case header::kind::end:
      channels_[head.channel_id].in->ended(from);
      break;
    default:
      told_(from, head, m.content);
  }
  --open_;
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
