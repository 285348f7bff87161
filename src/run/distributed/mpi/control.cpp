#include "control.hpp"

#include <thalweg/run/engine.hpp>

#include <algorithm>
#include <exception>
#include <string>
#include <tuple>

#include "../../engine/graph_engine.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

namespace {

header header_of(const dataflow::setting& s) {
  header head;
  head.what = header::kind::set;
  head.paced = static_cast<std::uint8_t>(s.what);
  head.channel_id = static_cast<std::uint32_t>(s.stage);
  head.position = s.value;
  return head;  // rank 0 has begun it
}

dataflow::setting setting_in(const header& head) {
  return {static_cast<dataflow::setting::kind>(head.paced), head.channel_id, head.position};
}

}  // namespace

void control::start(dataflow::graph_engine& of) {
  net_ = &of;
  figures_.start(of.run());
  if (!of.may_stand_still()) return;
  const auto& tree = members_.tree();
  quiescence_.emplace(
      of, rank_, tree.above(), [this, &tree] { return tree.below(0, messages_.ranks()); },
      [this](int to, const quiescence::wave_message& w) { tell(to, w); });
}

void control::resize(std::size_t stage, int replicas) {
  {
    const std::lock_guard hold(asking_);
    asked_.push_back({stage, replicas});
    any_asked_.store(true);
  }
  messages_.wake();
}

void control::set(const dataflow::setting& s) {
  {
    const std::lock_guard hold(asking_);
    to_set_.push_back(s);
    any_asked_.store(true);
  }
  messages_.wake();
}

void control::look() {
  using kind = header::kind;
  auto& run = net_->run();
  do_as_asked();
  members_.look([this](int joiner) { tell_state(joiner); });
  if (run.flags.cancelled.load(std::memory_order_acquire)) {
    if (!std::exchange(told_cancel_, true)) messages_.broadcast(kind::cancel, rank_);
    return;
  }
  if (run.flags.ending.load(std::memory_order_acquire) && !std::exchange(told_stop_, true))
    messages_.broadcast(kind::stop, rank_);
  const bool paused = run.flags.paused();
  if (paused != told_pause_ && !run.flags.ending.load()) {
    told_pause_ = paused;
    messages_.broadcast(paused ? kind::pause : kind::resume, rank_);
  }
  figures_.look();
}

void control::act_on(int from, const header& head, std::span<const std::byte> content) {
  using kind = header::kind;
  auto& run = net_->run();
  const auto root = static_cast<int>(head.number);
  switch (head.what) {
    case kind::stop:
      messages_.broadcast(head);
      told_stop_ = true;
      run.flags.end_sources();
      net_->wake();
      break;
    case kind::cancel:
      if (!std::exchange(told_cancel_, true)) {
        messages_.broadcast(head);
        notes_.add("mpi: rank " + std::to_string(root) +
                   " has cancelled the run: not all results have come out");
      }
      run.flags.cancel();
      net_->wake();
      break;
    case kind::pause:
      messages_.broadcast(head);
      told_pause_ = true;
      run.flags.pause();
      break;
    case kind::resume:
      messages_.broadcast(head);
      told_pause_ = false;
      run.flags.resume();
      net_->wake();
      break;
    case kind::resize:
      messages_.broadcast(head);
      take_size(head);
      break;
    case kind::set:
      messages_.broadcast(head);
      take_setting(setting_in(head));
      break;
    case kind::quiescence:
      ++of_quiescence_.received;
      quiescence_->heard({.what = static_cast<quiescence::wave_message::kind>(head.paced),
                          .unchanged = head.ranked != 0,
                          .surplus = head.number,
                          .by = static_cast<dataflow::remedy>(head.items),
                          .items = head.grant,
                          .rank = static_cast<int>(head.channel_id)});
      break;
    case kind::watch:
      messages_.broadcast(head);
      figures_.begin(head.position);
      break;
    case kind::figures:
      figures_.take(from, content);
      break;
    case kind::meet:
      messages_.broadcast(head);
      members_.meet();
      break;
    default:
      break;
  }
}

void control::do_as_asked() {
  if (!any_asked_.load()) return;
  std::vector<size_asked> sizes;
  std::vector<dataflow::setting> to_set;
  {
    const std::lock_guard hold(asking_);
    sizes.swap(asked_);
    to_set.swap(to_set_);
    any_asked_.store(false);
  }
  for (const auto& s : to_set) {
    messages_.broadcast(header_of(s));
    take_setting(s);
  }
  for (const auto& a : sizes) {
    header head;
    head.what = header::kind::resize;
    head.channel_id = static_cast<std::uint32_t>(a.stage);
    head.items = static_cast<std::uint32_t>(a.replicas);
    head.number = rank_;
    head.position = changes_ + 1;
    messages_.broadcast(head);
    take_size(head);
  }
}

void control::take_size(const header& head) {
  changes_ = std::max(changes_, head.position);
  auto& last = sized_[head.channel_id];
  const auto at = std::pair(head.position, head.number);
  if (at <= last || net_->over()) return;
  last = at;
  try {
    net_->resize(head.channel_id, static_cast<int>(head.items));
  } catch (...) {  // the system has no more threads
    net_->run().fail(std::current_exception(), 0);
    net_->wake();
  }
  // Once rank 0 says over how many ranks replicas are spread, it knows those that there are.
  if (!set_.contains({dataflow::setting::kind::ranks, 0}))
    members_.ask_for_more(head.channel_id, static_cast<int>(head.items));
}

void control::take_setting(const dataflow::setting& s) {
  set_[{s.what, s.stage}] = s;
  if (net_->over()) return;
  try {
    net_->take(s);
  } catch (...) {  // the system has no more threads
    net_->run().fail(std::current_exception(), 0);
    net_->wake();
  }
}

// What all ranks were told before this one joined.
void control::tell_state(int joiner) {
  using kind = header::kind;
  header head;
  for (const auto& [stage, last] : sized_) {
    head.what = kind::resize;
    head.channel_id = static_cast<std::uint32_t>(stage);
    head.items = static_cast<std::uint32_t>(net_->run().statistics.layout[stage].replicas);
    std::tie(head.position, head.number) = last;
    messages_.send(joiner, head);
  }
  for (const auto& [what, s] : set_) messages_.send(joiner, header_of(s));
  head = {};
  head.number = rank_;
  if (figures_.period_ns() > 0) {
    head.what = kind::watch;
    head.position = figures_.period_ns();
    messages_.send(joiner, head);
  }
  const auto tell = [&](kind what, bool so) {
    head.what = what;
    if (so) messages_.send(joiner, head);
  };
  tell(kind::stop, told_stop_);
  tell(kind::pause, told_pause_ && !told_stop_);
  tell(kind::cancel, told_cancel_);
}

// --- quiescence ---

void control::look_for_quiescence() {
  if (quiescence_ && messages_.open_messages() == 0 && !members_.is_meeting())
    quiescence_->look([this] { return counted(); });
}

// In the fields of the header that such a message does not use otherwise.
void control::tell(int to, const quiescence::wave_message& w) {
  header head;
  head.what = header::kind::quiescence;
  head.paced = static_cast<std::uint8_t>(w.what);
  head.ranked = w.unchanged ? 1 : 0;
  head.number = w.surplus;
  head.items = static_cast<std::uint32_t>(w.by);
  head.grant = w.items;
  head.channel_id = static_cast<std::uint32_t>(w.rank);
  ++of_quiescence_.sent;
  messages_.send(to, head);
}

// Of the stream and of its control. No message is half received.
message_count control::counted() const {
  message_count all{-of_quiescence_.sent - figures_.sent(),
                    messages_.received() - of_quiescence_.received - figures_.received()};
  for (const auto n : messages_.sent()) all.sent += n;
  return all;
}

of_this_rank control::of_this() const {
  const auto beats = static_cast<std::uint64_t>(members_.heartbeats_sent());
  return {&members_.places(),    &messages_.times(),   messages_.totals(), messages_.others() + beats,
          members_.tree().first, members_.joined_ns(), members_.cores(),   notes_.all()};
}

void control::gather_statistics() {
  figures_.end();
  gather(net_->run(), of_this(), members_.comm_of_all());
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
