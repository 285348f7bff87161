#include <thalweg/model/codec.hpp>
#include <thalweg/net/kafka_inlet.hpp>
#include <thalweg/observe/text.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>

#include "../clock.hpp"
#include "../found.hpp"
#include "../interrupts.hpp"
#include "../protocol.hpp"
#include "beginnings.hpp"
#include "client.hpp"

namespace THALWEG_NAMESPACE::net {

namespace {

using namespace kafka;

// A partition, and the next message of it.
struct partition {
  std::int32_t number = 0;
  queue from;
  message head;           // an item
  std::uint64_t place{};  // of that item in its stream
  message follows;        // a message whose turn has not come: `at_end` until then
  bool at_end = false;    // nothing more comes of this stream
  bool looked = false;    // an item has come, or there was none
  bool over = false;      // nothing more is taken from it
  std::optional<std::uint64_t>
      whole_from{};  // of the stream's items that are in it none is missing behind this
};

}  // namespace

struct kafka_inlet::state {
  state(kafka_topic topic, kafka_inlet_options options)
      : how(std::move(options)), to(std::move(topic), how.connect_within, how.given_up) {
    ordered = how.start.at == kafka_start::where::first;
  }

  bool open();
  bool start(std::int32_t count);
  found advance(moment until);
  bool fill();
  void take_in(partition& one, message came);
  void take_mark(partition& one, const label& is, message came);
  void hold(partition& one, message came);
  void take_held();
  void begin(partition& one, const label& is, message came);
  void begin_oldest();
  void open_stream(const label& is, const rd_kafka_message_t& came);
  void adopt(std::uint64_t which);
  partition* next_item();
  bool all_looked() const;
  bool has_ended(const partition& one) const;
  void look_for_order();
  bool may_come(const partition& one) const;
  bool is_cut_off() const;
  bool all_at_end() const;
  void end_of_stream();
  void check_stream(const label& is, const rd_kafka_message_t& came);
  std::string text_of(const rd_kafka_message_t& one) const { return kafka::text_of(to.where, one); }
  [[noreturn]] void fail(const std::string& says);

  kafka_inlet_options how;
  client to;
  std::vector<partition> partitions{};
  bool running = false;

  bool foreign = false;                  // messages that nobody has numbered
  bool begun = false;                    // its beginning has come
  bool ordered = false;                  // it is known from where on nothing is missing: from `edge`
  bool broken = false;                   // it has no end
  std::uint64_t stream = 0;              // 0: none has begun
  std::uint64_t before = 0;              // the one before it
  std::uint64_t number = 0;              // of the next item
  std::uint64_t edge = 0;                // 0 where a stream is read from its beginning
  std::optional<std::uint64_t> items{};  // in the stream, once its end is known
  std::size_t turn = 0;                  // whose partition is asked first
  partition* ready = nullptr;            // has the next item
  message in_hand{};
  std::string name{}, tag{};
  sender_clock clock{};
  bool over = false;
  std::string failure{};

  std::optional<std::stop_callback<interrupts<kafka_inlet>>> on_stop{};  // last: it uses the others
};

kafka_inlet::kafka_inlet(kafka_topic from, kafka_inlet_options how)
    : state_(std::make_unique<state>(std::move(from), std::move(how))) {
  auto& my = *state_;
  if (auto problem = my.how.start.problem(); !problem.empty()) throw network_error(problem);
  auto settings = settings_of_reader(my.how.read_ahead);
  settings.emplace_back("auto.offset.reset", "error");
  my.to.open(RD_KAFKA_CONSUMER, settings, my.how.settings, {});
}

kafka_inlet::~kafka_inlet() {
  state_->on_stop.reset();
  state_->in_hand.reset();
  if (state_->running)
    for (auto& one : state_->partitions) {
      one.head.reset();
      rd_kafka_consume_stop(state_->to.topic(), one.number);
    }
}

bool kafka_inlet::await_sender() {
  auto& my = *state_;
  if (!my.failure.empty()) throw network_error(my.failure);
  while (!my.over && my.stream == 0 && !my.foreign && !my.all_at_end()) {
    if (!my.open()) return false;
    my.to.rung.silence();
    if (!my.fill() && my.to.waits.wait(-1, 0, moment::max(), true) == waited::given_up) return false;
  }
  return true;
}

const std::string& kafka_inlet::name() const noexcept {
  return state_->name;
}

const std::string& kafka_inlet::tag() const noexcept {
  return state_->tag;
}

sender_clock kafka_inlet::clock() const noexcept {
  return state_->clock;
}

bool kafka_inlet::ended() const noexcept {
  return state_->over;
}

std::string kafka_inlet::place() const {
  return state_->in_hand ? state_->text_of(*state_->in_hand) : state_->to.where.text();
}

kafka_place kafka_inlet::where() const {
  return state_->in_hand ? place_of(*state_->in_hand) : kafka_place{};
}

std::optional<std::span<const std::byte>> kafka_inlet::next() {
  auto& my = *state_;
  my.in_hand.reset();
  const auto until = my.how.come_within ? from_now(*my.how.come_within) : moment::max();
  switch (my.advance(until)) {
    case found::late:
      my.fail("nothing has come from " + my.to.where.text() + " within " +
              std::to_string(my.how.come_within->count()) + " ms");
    case found::end:
    case found::given_up:
      return {};
    case found::item:
      break;
  }
  auto& from = *std::exchange(my.ready, nullptr);
  my.in_hand = std::move(from.head);
  from.looked = false;
  my.number = std::max(my.number, from.place + 1);
  return value_of(*my.in_hand);
}

bool kafka_inlet::ready_by(std::int64_t until_ns) {
  return is_ready_by(until_ns, [this](moment until) { return state_->advance(until); });
}

void kafka_inlet::close(std::string_view /*why*/) {
  state_->over = true;
}

void kafka_inlet::interrupt() noexcept {
  state_->to.interrupt();
}

void kafka_inlet::interrupt_on(const std::stop_token& stop) {
  if (!state_->on_stop) state_->on_stop.emplace(stop, interrupts{this});
}

// Begins to read all partitions, once. False if the wait was given up.
bool kafka_inlet::state::open() {
  if (running) return true;
  const auto count = to.partitions();
  return count && start(*count);
}

bool kafka_inlet::state::start(std::int32_t count) {
  const auto from = beginnings(to, how.start, count);
  if (!from) return false;
  running = true;
  for (std::int32_t i = 0; i < count; ++i) {
    auto& one = partitions.emplace_back();
    one.number = i;
    one.from.reset(rd_kafka_queue_new(to.get()));
    to.ring_with(one.from.get());
    if (rd_kafka_consume_start_queue(to.topic(), i, (*from)[static_cast<std::size_t>(i)], one.from.get()) !=
        0)
      fail(to.where.text() + ", partition " + std::to_string(i) + ": " +
           kafka::text_of(rd_kafka_last_error()));
  }
  return true;
}

// Goes on until the next item is there, or there is none.
found kafka_inlet::state::advance(moment until) {
  if (!failure.empty()) throw network_error(failure);
  bool silenced = false;
  while (!over && ready == nullptr) {
    if (to.given_up() || !open()) return found::given_up;
    ready = next_item();
    if (ready != nullptr) break;
    if (all_at_end()) {
      end_of_stream();
    } else if (fill()) {
      silenced = false;
    } else {
      rd_kafka_poll(to.get(), 0);
      const auto how_it_ended = to.wait_after_a_look(silenced, until);
      if (how_it_ended == waited::late) return found::late;
      if (how_it_ended == waited::given_up) return found::given_up;
    }
  }
  return over ? found::end : found::item;
}

// Looks for the next message of each partition that has none. Whether one has come.
bool kafka_inlet::state::fill() {
  bool came = false;
  for (auto& one : partitions) {
    if (one.head || one.at_end || one.over) continue;
    if (message next{rd_kafka_consume_queue(one.from.get(), 0)}) {
      came = true;
      take_in(one, std::move(next));
    }
  }
  begin_oldest();
  return came;
}

void kafka_inlet::state::take_in(partition& one, message came) {
  if (came->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
    one.looked = true;
    one.over = how.end == kafka_end::last;
    return;
  }
  if (came->err != RD_KAFKA_RESP_ERR_NO_ERROR)
    fail(to.where.text() + ", partition " + std::to_string(one.number) + ": " +
         (came->payload != nullptr ? rd_kafka_message_errstr(came.get()) : kafka::text_of(came->err)));
  std::optional<label> is;
  try {
    is = label_of(*came);
  } catch (const network_error& e) {
    fail(text_of(*came) + ": " + e.what());
  }
  const bool of_before = is && is->is != kind::item && is->stream == before;
  if (of_before) return;
  if (is && ordered && stream == 0 && !foreign) return hold(one, std::move(came));
  if (is && is->is != kind::item) return take_mark(one, *is, std::move(came));
  if (!is) {
    if (stream != 0)
      fail(text_of(*came) + ": a message of another program is in the middle of a stream of '" +
           observe::printable(name) + "'");
    if (!std::exchange(foreign, true) && ordered) take_held();
  } else {
    if (stream == 0 && !foreign && !ordered) adopt(is->stream);
    check_stream(*is, *came);
    one.place = is->number;
    if (!one.whole_from) one.whole_from = one.place;
  }
  one.looked = true;
  one.head = std::move(came);
}

void kafka_inlet::state::take_mark(partition& one, const label& is, message came) {
  if (is.is == kind::begin) return begin(one, is, std::move(came));
  if (stream == 0 && foreign) return;
  if (stream == 0 && !ordered) {
    // Of the stream that was joined, if other partitions have items of it, or of one before.
    return hold(one, std::move(came));
  }
  check_stream(is, *came);
  if (is.is == kind::gave_up) {
    if (how.broken == kafka_broken::error)
      fail("the sender has given up its stream (" + text_of(*came) +
           "): " + observe::printable(protocol::text_in(value_of(*came))));
    broken = true;
  } else {
    items = is.number;
  }
  if (!one.whole_from) one.whole_from = is.number;
  one.at_end = true;
}

// Keeps a message until its turn comes. Until then nothing more is taken from its partition.
void kafka_inlet::state::hold(partition& one, message came) {
  one.at_end = true;
  one.follows = std::move(came);
}

void kafka_inlet::state::take_held() {
  for (auto& one : partitions)
    if (auto held = std::move(one.follows)) {
      one.at_end = false;
      take_in(one, std::move(held));
    }
}

// Where streams are read from their beginnings: begins the oldest of those whose beginnings are next, once it
// is known of each partition what is next there. A stream need not be in all of them: the topic had less of
// them then, or its sender was killed while it began.
void kafka_inlet::state::begin_oldest() {
  if (!ordered || stream != 0 || foreign || !all_looked()) return;
  const auto rank = [](const partition& one) {
    return std::pair(label_of(*one.follows)->is != kind::begin, place_of(*one.follows).time);
  };
  const partition* first = nullptr;
  for (const auto& one : partitions)
    if (one.follows && (first == nullptr || rank(one) < rank(*first))) first = &one;
  if (first == nullptr) return;
  const auto is = *label_of(*first->follows);
  if (is.is != kind::begin) check_stream(is, *first->follows);
  open_stream(is, *first->follows);
}

void kafka_inlet::state::begin(partition& one, const label& is, message came) {
  if (stream == is.stream) {
    begun = true;
    one.whole_from = 0;
    return;
  }
  const bool has_nothing_of_it = ordered && stream != 0 && !one.whole_from;
  if (has_nothing_of_it) return hold(one, std::move(came));
  if (stream != 0 || foreign) {
    if (how.broken == kafka_broken::error)
      fail(text_of(*came) +
           ": another stream begins before this one has ended: its sender has stopped without an end, or two "
           "send at once. Begin after it with .start, or take what there is of it with .broken = "
           "kafka_broken::go_on");
    broken = true;
    return hold(one, std::move(came));
  }
  open_stream(is, *came);
  begun = true;
  one.whole_from = 0;
}

void kafka_inlet::state::open_stream(const label& is, const rd_kafka_message_t& came) {
  beginning said;
  try {
    said = beginning_in(value_of(came));
  } catch (const codec_error& e) {
    fail(text_of(came) + ": " + e.what());
  }
  tag = std::move(said.tag);
  name = std::move(said.name);
  if (!how.tag.empty() && tag != how.tag)
    fail(text_of(came) + ": the stream has items of '" + observe::printable(tag) +
         "', but this source takes '" + how.tag + "'");
  if (!said.clock.empty() && said.clock == clock_name())
    clock = {.by = sender_clock::relation::shared};
  else
    clock = {.by = sender_clock::relation::wall_clocks,
             .ahead_ns = ahead_of(wall_ahead_ns(), said.wall_ahead_ns)};
  adopt(is.stream);
}

// Takes the items of a stream from now on. What has waited for it is of it, or of one that begins behind it;
// where this one was joined in its middle, a mark may be of one before.
void kafka_inlet::state::adopt(std::uint64_t which) {
  stream = which;
  for (auto& one : partitions) {
    if (!one.follows) continue;
    const auto is = *label_of(*one.follows);
    if (is.stream != which && is.is == kind::begin) continue;
    one.at_end = false;
    if (auto held = std::move(one.follows); is.stream == which || ordered) take_in(one, std::move(held));
  }
}

void kafka_inlet::state::check_stream(const label& is, const rd_kafka_message_t& came) {
  if (is.stream == stream) return;
  fail(text_of(came) +
       (stream == 0 && !foreign
            ? ": the beginning of this stream is not there any more"
            : ": a message of another stream is in the middle of this one: two send at once"));
}

// The partition that has the next item; none if it has to be waited for, or there is none.
partition* kafka_inlet::state::next_item() {
  look_for_order();
  const auto count = partitions.size();
  bool complete = count > 0;
  partition* least = nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    auto& one = partitions[(turn + i) % count];
    if (!one.head) {
      complete = complete && (one.at_end || one.over);
      continue;
    }
    if (foreign || (one.place == number && ordered)) {
      turn = foreign ? (turn + i + 1) % count : (turn + i) % count;
      return &one;
    }
    if (least == nullptr || one.place < least->place) least = &one;
  }
  if (least == nullptr || may_come(*least)) return least;
  if (!complete) return nullptr;
  // No partition has, or can have, what should come now.
  if (!broken && !is_cut_off())
    fail(text_of(*least->head) + ": item " + std::to_string(least->place) + " comes, but item " +
         std::to_string(number) + " of the stream has not come: messages are missing");
  return least;
}

// In a stream that is read from somewhere in its middle: finds out from where on none of its items is
// missing, once something of it has come from every partition.
void kafka_inlet::state::look_for_order() {
  if (ordered || stream == 0) return;
  for (const auto& one : partitions) {
    if (!one.whole_from) return;
    edge = std::max(edge, *one.whole_from);
  }
  ordered = true;
}

// Whether the least of the items that are there may be given though those before it have not come.
bool kafka_inlet::state::may_come(const partition& one) const {
  // Behind others of a later number only where the order is not known yet, or was not then.
  if (one.place < number) return !ordered || edge > 0;
  if (one.place == number) return ordered || begun || all_looked();
  const bool before_order = ordered ? one.place <= edge : !begun;
  return before_order && all_looked();
}

// Whether it is known of each partition what is there now.
bool kafka_inlet::state::all_looked() const {
  return std::all_of(partitions.begin(), partitions.end(),
                     [](const partition& one) { return one.looked || one.at_end || one.over; });
}

// Whether items can be missing because a partition was left where its messages ended.
bool kafka_inlet::state::is_cut_off() const {
  return std::any_of(partitions.begin(), partitions.end(),
                     [](const partition& one) { return one.over && !one.at_end; });
}

bool kafka_inlet::state::all_at_end() const {
  return !partitions.empty() && std::all_of(partitions.begin(), partitions.end(), [&](const auto& one) {
    return !one.head && (one.over || has_ended(one));
  });
}

// Whether nothing more of the stream comes from a partition. One that has nothing of it has not its end
// either.
bool kafka_inlet::state::has_ended(const partition& one) const {
  const bool all_came = ordered && items && *items == number && !broken;
  return one.at_end || (all_came && !one.whole_from);
}

void kafka_inlet::state::end_of_stream() {
  const auto ended = [&](const partition& one) { return has_ended(one); };
  const bool whole = !broken && std::all_of(partitions.begin(), partitions.end(), ended);
  if (whole && items) number = std::max(number, edge);
  if (whole && items && *items != number)
    fail(to.where.text() + ": the stream has " + std::to_string(*items) + " items, but " +
         std::to_string(number) + " have come: messages are missing");
  const auto done = [](const partition& one) { return one.over; };
  const bool was_one = stream != 0 || foreign;
  over = (how.end == kafka_end::mark && was_one && !broken) ||
         (how.end == kafka_end::last && std::all_of(partitions.begin(), partitions.end(), done));
  if (over) return;
  // What follows begins behind this, so it is read from its beginning.
  ordered = ordered || was_one;
  before = stream;
  stream = number = edge = 0;
  foreign = begun = broken = false;
  items.reset();
  for (auto& one : partitions) {
    one.at_end = false;
    one.whole_from.reset();
    if (!was_one) one.follows.reset();  // the end of a stream of which there is nothing else
  }
  take_held();
  begin_oldest();
}

void kafka_inlet::state::fail(const std::string& says) {
  failure = says;
  throw network_error(says);
}

}  // namespace THALWEG_NAMESPACE::net
