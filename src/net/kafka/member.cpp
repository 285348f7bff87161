#include <thalweg/model/codec.hpp>
#include <thalweg/net/kafka_member.hpp>
#include <thalweg/observe/text.hpp>

#include <chrono>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "../found.hpp"
#include "../interrupts.hpp"
#include "beginnings.hpp"
#include "client.hpp"
#include "ledger.hpp"

namespace THALWEG_NAMESPACE::net {

namespace {

using namespace kafka;
using namespace std::chrono_literals;

}  // namespace

struct kafka_member::state {
  state(kafka_topic topic, kafka_group group, kafka_inlet_options options)
      : how(std::move(options)),
        name(std::move(group.name)),
        by_user(group.progress.has_value()),
        ledger((group.progress ? *group.progress : kafka_progress()).ledger_),
        to(std::move(topic), how.connect_within, how.given_up) {}

  void put_down();
  void leave();
  bool close_within(std::chrono::milliseconds time);
  bool join();
  found advance(moment until);
  void take_in(message came);
  void change(rd_kafka_resp_err_t what, rd_kafka_topic_partition_list_t& partitions);
  void compare(const std::string& tag, const rd_kafka_message_t& came);
  bool all_read() const;
  [[noreturn]] void fail(const std::string& says);

  kafka_inlet_options how;
  const std::string name;
  const bool by_user;  // who tells what is done with
  const std::shared_ptr<kafka_ledger> ledger;
  client to;
  queue from{};
  bool joined = false;
  bool keeps_ledger = false;

  bool assigned = false;            // the group has said which partitions are ours
  std::set<std::int32_t> unread{};  // those of ours whose last message has not come
  message ready{};
  message in_hand{};
  bool over = false;
  std::string failure{};
  const std::string unknown{};

  std::optional<std::stop_callback<interrupts<kafka_member>>> on_stop{};  // last: it uses the others
};

kafka_member::kafka_member(kafka_topic from, kafka_group group, kafka_inlet_options how)
    : state_(std::make_unique<state>(std::move(from), std::move(group), std::move(how))) {
  auto& my = *state_;
  auto settings = settings_of_reader(my.how.read_ahead);
  settings.insert(settings.end(), {{"group.id", my.name},
                                   {"enable.auto.commit", "true"},
                                   {"enable.auto.offset.store", "false"},
                                   {"auto.offset.reset",
                                    my.how.start.at == kafka_start::where::next ? "latest" : "earliest"}});
  my.to.on_rebalance = [&my](rd_kafka_resp_err_t what, rd_kafka_topic_partition_list_t& partitions) {
    my.change(what, partitions);
  };
  my.to.open(RD_KAFKA_CONSUMER, settings, my.how.settings,
             [](rd_kafka_conf_t* conf) { rd_kafka_conf_set_rebalance_cb(conf, client::rebalance); });
  rd_kafka_poll_set_consumer(my.to.get());
  my.from.reset(rd_kafka_queue_get_consumer(my.to.get()));
  my.to.ring_with(my.from.get());
  my.ledger->tell([&my](std::int32_t partition, std::int64_t offset) {
    const partition_list one(rd_kafka_topic_partition_list_new(1));
    rd_kafka_topic_partition_list_add(one.get(), my.to.where.name.c_str(), partition)->offset = offset;
    // Of a partition that is not ours any more nothing is stored, as it should be.
    (void)rd_kafka_offsets_store(my.to.get(), one.get());
  });
  my.keeps_ledger = true;
}

kafka_member::~kafka_member() {
  auto& my = *state_;
  my.on_stop.reset();
  my.leave();
}

bool kafka_member::await_sender() {
  return state_->join();
}

const std::string& kafka_member::name() const noexcept {
  return state_->unknown;
}

const std::string& kafka_member::tag() const noexcept {
  return state_->unknown;
}

sender_clock kafka_member::clock() const noexcept {
  return {};
}

bool kafka_member::ended() const noexcept {
  return state_->over;
}

std::string kafka_member::place() const {
  return state_->in_hand ? text_of(state_->to.where, *state_->in_hand) : state_->to.where.text();
}

kafka_place kafka_member::where() const {
  return state_->in_hand ? place_of(*state_->in_hand) : kafka_place{};
}

std::optional<std::span<const std::byte>> kafka_member::next() {
  auto& my = *state_;
  my.put_down();
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
  my.in_hand = std::move(my.ready);
  my.ledger->taken(my.in_hand->partition, my.in_hand->offset);
  return value_of(*my.in_hand);
}

void kafka_member::passed_over() {
  auto& my = *state_;
  if (my.in_hand) my.ledger->done(my.in_hand->partition, my.in_hand->offset);
}

bool kafka_member::ready_by(std::int64_t until_ns) {
  return is_ready_by(until_ns, [this](moment until) { return state_->advance(until); });
}

void kafka_member::close(std::string_view /*why*/) {
  auto& my = *state_;
  my.put_down();
  my.over = true;
  if (!my.by_user) my.leave();  // otherwise there is more to say, up to the end of the run
}

void kafka_member::interrupt() noexcept {
  state_->to.interrupt();
}

void kafka_member::interrupt_on(const std::stop_token& stop) {
  if (!state_->on_stop) state_->on_stop.emplace(stop, interrupts{this});
}

// The message in hand is done with, unless the user says that.
void kafka_member::state::put_down() {
  if (const auto last = std::move(in_hand); last && !by_user) ledger->done(last->partition, last->offset);
}

// Gives all partitions back, and tells the broker what is done with. The last that is done with the
// connection.
void kafka_member::state::leave() {
  ready.reset();
  in_hand.reset();
  const bool left = !std::exchange(joined, false) || close_within(1s);
  if (std::exchange(keeps_ledger, false)) ledger->tell({});
  if (!left) to.abandon(std::move(from));
}

// A broker that is gone is not waited for: the group does without us after its `session.timeout.ms`.
bool kafka_member::state::close_within(std::chrono::milliseconds time) {
  const auto until = from_now(time);
  rd_kafka_error_destroy(rd_kafka_consumer_close_queue(to.get(), from.get()));
  while (rd_kafka_consumer_closed(to.get()) == 0 && std::chrono::steady_clock::now() < until) {
    const std::unique_ptr<rd_kafka_event_t, freed<rd_kafka_event_destroy>> one(
        rd_kafka_queue_poll(from.get(), 10));
    if (rd_kafka_event_type(one.get()) == RD_KAFKA_EVENT_REBALANCE)
      change(rd_kafka_event_error(one.get()), *rd_kafka_event_topic_partition_list(one.get()));
  }
  return rd_kafka_consumer_closed(to.get()) != 0;
}

// Asks to be a member, once all partitions are there. False if the wait was given up.
bool kafka_member::state::join() {
  if (joined) return true;
  const auto partitions = to.partitions();
  if (!partitions || !ends_of(to, *partitions)) return false;
  const partition_list topics(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(topics.get(), to.where.name.c_str(), RD_KAFKA_PARTITION_UA);
  if (const auto error = rd_kafka_subscribe(to.get(), topics.get()))
    fail(to.where.text() + ", group '" + name + "': " + text_of(error));
  return joined = true;
}

// Goes on until a message is there, or there is none.
found kafka_member::state::advance(moment until) {
  if (!failure.empty()) throw network_error(failure);
  for (bool silenced = false; !over && !ready;) {
    if (to.given_up() || !join()) return found::given_up;
    if (message came{rd_kafka_consumer_poll(to.get(), 0)}) {
      silenced = false;
      take_in(std::move(came));
      continue;
    }
    over = all_read();
    if (over) break;
    const auto how_it_ended = to.wait_after_a_look(silenced, until);
    if (how_it_ended == waited::late) return found::late;
    if (how_it_ended == waited::given_up) return found::given_up;
  }
  return over ? found::end : found::item;
}

void kafka_member::state::take_in(message came) {
  if (came->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
    unread.erase(came->partition);
    // Also where nothing has come: a group that has begun at the end goes on from there, and from nowhere
    // else.
    ledger->read_up_to(came->partition, came->offset);
    return;
  }
  if (came->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
    if (passes(came->err) || came->err == RD_KAFKA_RESP_ERR__MAX_POLL_EXCEEDED) return;  // it joins again
    fail(to.where.text() + ", group '" + name + "': " + rd_kafka_message_errstr(came.get()));
  }
  try {
    if (const auto is = label_of(*came); is && is->is != kind::item) {
      if (is->is == kind::begin) compare(beginning_in(value_of(*came)).tag, *came);
      return;
    }
  } catch (const codec_error& e) {
    fail(text_of(to.where, *came) + ": " + e.what());
  } catch (const network_error& e) {
    fail(failure.empty() ? text_of(to.where, *came) + ": " + e.what() : e.what());
  }
  ready = std::move(came);
}

void kafka_member::state::compare(const std::string& tag, const rd_kafka_message_t& came) {
  if (how.tag.empty() || tag == how.tag) return;
  fail(text_of(to.where, came) + ": the stream has items of '" + observe::printable(tag) +
       "', but this source takes '" + how.tag + "'");
}

// Takes what the group gives, and gives back what it wants for others.
void kafka_member::state::change(rd_kafka_resp_err_t what, rd_kafka_topic_partition_list_t& partitions) {
  // None while the group is left.
  const char* protocol = rd_kafka_rebalance_protocol(to.get());
  const bool step_by_step = protocol != nullptr && std::string_view(protocol) == "COOPERATIVE";
  const std::span all(partitions.elems, static_cast<std::size_t>(partitions.cnt));
  if (what == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
    for (const auto& one : all) unread.insert(one.partition);
    assigned = true;
    if (!step_by_step) rd_kafka_assign(to.get(), &partitions);
    if (step_by_step) rd_kafka_error_destroy(rd_kafka_incremental_assign(to.get(), &partitions));
    return;
  }
  assigned = false;  // until it is said which are
  for (const auto& one : all) {
    unread.erase(one.partition);
    ledger->forget(one.partition);
  }
  if (step_by_step && what == RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS)
    rd_kafka_error_destroy(rd_kafka_incremental_unassign(to.get(), &partitions));
  else
    rd_kafka_assign(to.get(), nullptr);
}

bool kafka_member::state::all_read() const {
  return how.end == kafka_end::last && assigned && unread.empty();
}

void kafka_member::state::fail(const std::string& says) {
  failure = says;
  throw network_error(says);
}

}  // namespace THALWEG_NAMESPACE::net
