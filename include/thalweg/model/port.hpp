/// `in`, `out`: the ports of a stage.
#pragma once

#include <thalweg/model/component.hpp>
#include <thalweg/model/errors.hpp>
#include <thalweg/model/frame.hpp>
#include <thalweg/model/function_ref.hpp>
#include <thalweg/model/stage_functions.hpp>
#include <thalweg/model/stage_traits.hpp>
#include <thalweg/model/this_thread.hpp>
#include <thalweg/pipe/chunk.hpp>
#include <thalweg/pipe/size_of.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace THALWEG_NAMESPACE {

class stage;

/// Says of an output port that nothing need be connected to it: what it sends is discarded then, and counted.
struct optional_port_t {};
inline constexpr optional_port_t optional_port{};

namespace model {

class ported;

/// What input and output ports have in common: an owner, a name, a type of items.
class port {
 public:
  port(const port&) = delete;
  port& operator=(const port&) = delete;

  [[nodiscard]] stage& owner() const noexcept { return *owner_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// The type of its items.
  [[nodiscard]] const std::type_info& type() const noexcept { return *type_; }
  /// Its number among the inputs, or the outputs, of its stage.
  [[nodiscard]] std::size_t index() const noexcept { return index_; }
  /// Whether a graph has connected it.
  [[nodiscard]] bool connected() const noexcept { return connected_; }
  /// For graphs.
  void connect(bool on) noexcept { connected_ = on; }

 protected:
  port(stage& owner, std::string name, const std::type_info& type);
  ~port() = default;

  [[nodiscard]] context& running() const;  // the call of the stage that goes on, by this thread
  [[nodiscard]] bool called_here() const noexcept {
    return caller_->load(std::memory_order_relaxed) == this_thread();
  }
  [[noreturn]] void refuse_call() const;

  stage* owner_;
  const std::atomic<const void*>* caller_;  // the thread that is in a call of the stage; null: none
  std::string name_;
  const std::type_info* type_;
  std::size_t index_ = 0;
  bool connected_ = false;
};

/// An input port as the engines see it.
class input_port : public port {
 public:
  /// Whether the stage takes its items as they come, and does not choose when to read them.
  [[nodiscard]] bool pushed() const noexcept { return pushed_; }
  /// Whether the class that has the port knows of the `on_item` that this class declares.
  [[nodiscard]] bool calls(const std::type_info* declared_in) const noexcept {
    return on_item_of_ != nullptr &&
           (*on_item_of_ == typeid(void) || *declared_in == typeid(void) || *on_item_of_ == *declared_in);
  }
  [[nodiscard]] virtual bool copyable() const noexcept = 0;
  /// Gives the items of `items` to the stage, one by one.
  virtual void deliver(context& ctx, pipe::chunk_base& items) = 0;
  /// The same where a call may fail without ending the run: each is made by `guard`, which is given the item
  /// and the call, may make that several times, and returns normally if the stream goes on.
  using call_guard = function_ref<void(const void* item, function_ref<void()> call)>;
  virtual void deliver(context& ctx, pipe::chunk_base& items, call_guard guard) = 0;
  /// For a stage that chooses: these are there to be read. Takes them out of `items`.
  virtual void offer(pipe::chunk_base& items) = 0;
  /// How many items of what was offered are left.
  [[nodiscard]] virtual std::size_t left() const noexcept = 0;
  /// No more will be offered.
  void close() noexcept { over_ = true; }
  /// Forgets what a run has left.
  virtual void reset() noexcept = 0;
  [[nodiscard]] virtual std::unique_ptr<pipe::chunk_base> make_chunk() const = 0;

 protected:
  input_port(stage& owner, std::string name, const std::type_info& type);
  ~input_port();

  [[noreturn]] void refuse_empty(const char* function) const;

  const std::type_info* on_item_of_ = nullptr;  // the class whose on_item it calls; null: none
  bool pushed_ = false;
  bool over_ = false;
  std::int64_t upto_ = std::numeric_limits<std::int64_t>::min();
};

/// What an engine tells a stage that chooses its outputs of the pipe behind one of them.
class demand {
 public:
  /// Items in the pipe.
  [[nodiscard]] virtual std::int64_t waiting() const noexcept = 0;
  /// Items that the receiver has taken and is not through with, as far as that is counted.
  [[nodiscard]] virtual std::int64_t in_hand() const noexcept = 0;
  /// How many may be put in now; 0: the sender would have to wait.
  [[nodiscard]] virtual std::size_t room() const noexcept = 0;

 protected:
  ~demand() = default;
};

/// An output port as the engines see it.
class output_port : public port {
 public:
  [[nodiscard]] bool optional() const noexcept { return optional_; }
  [[nodiscard]] virtual std::unique_ptr<pipe::chunk_base> make_chunk() const = 0;
  /// Where items go from now on (null: nowhere), and after how many the chunk is to be flushed.
  virtual void attach(pipe::chunk_base* to, std::size_t limit) noexcept = 0;
  void set_limit(std::size_t limit) noexcept {
    limit_ = item_bytes_ == 0 ? limit : std::min(limit, std::max<std::size_t>(1, most_bytes_ / item_bytes_));
  }
  /// The chunk is also flushed when it holds this many bytes, if that is less than by default.
  void bound_bytes(std::size_t most) noexcept { most_bytes_ = std::min(most, default_bytes); }
  /// Hands over what has been sent.
  virtual void flush() = 0;
  /// The pipe behind it; null: what is sent is not taken.
  [[nodiscard]] const demand* behind() const noexcept { return behind_; }
  void watch(const demand* pipe) noexcept { behind_ = pipe; }
  /// How many items have been sent to somebody so far.
  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }
  /// What was sent and not taken, since this was last asked.
  [[nodiscard]] std::uint64_t discarded() noexcept { return std::exchange(discarded_, 0); }

 protected:
  output_port(stage& owner, std::string name, const std::type_info& type, std::size_t item_bytes,
              bool optional);
  ~output_port();

  void full(pipe::chunk_base& items);  // hands over what is there

  static constexpr std::size_t default_bytes = std::size_t{1} << 20;

  const bool optional_;
  const std::size_t item_bytes_;  // 0 where items differ
  std::size_t limit_ = 1;
  std::size_t most_bytes_ = default_bytes;
  std::size_t bytes_ = 0;
  std::uint64_t discarded_ = 0;
  std::uint64_t sent_ = 0;
  const demand* behind_ = nullptr;
};

/// The stage that a port belongs to.
template <class S> stage& owning_stage(S* owner) {
  static_assert(std::is_base_of_v<stage, S>, "thalweg: only a tw::stage has ports (tw::in and tw::out)");
  if constexpr (std::is_base_of_v<stage, S>) {
    return *owner;
  } else {
    return *static_cast<stage*>(static_cast<void*>(owner));  // it has not compiled
  }
}

}  // namespace model

/// An input port of items of type T: a member of a `tw::stage`, initialised with `{this, "name"}`.
///
/// If the stage has `on_item(tw::in<T>& port, T item)`, the items come as they arrive, one at a time and in
/// the order of the port. Otherwise the stage reads them in its `on_run()` when it chooses to: see
/// `tw::stage`.
template <class T> class in final : public model::input_port {
 public:
  static_assert(pipe::item<T>, "thalweg::in: items must be objects that can be moved");
  using item_type = T;

  template <class S>
  in(S* owner, std::string name) : model::input_port(model::owning_stage(owner), std::move(name), typeid(T)) {
    if constexpr (requires(S& s, T x) { s.on_item(*this, std::move(x)); }) {
      deliver_ = deliver_to<S>;
      deliver_guarded_ = deliver_guarded_to<S>;
      pushed_ = true;
    } else if constexpr (!model::overrides_run<S>) {
      static_assert(
          !model::has_member_on_item<S>,
          "thalweg::in: the stage has an on_item, but none that can be called with (tw::in<T>& port, "
          "T item) for this port: make it public, and give it these parameters");
      static_assert(model::has_member_on_item<S> || model::overrides_run<S>,
                    "thalweg::in: the stage has neither on_item(tw::in<T>& port, T item) for this port nor "
                    "an on_run() that reads it");
    }
    on_item_of_ = model::declares_on_item<S>();
  }

  // --- for a stage that chooses what to read, in on_run() ---

  /// Something can be said of this port: an item is there, or the stream has ended.
  [[nodiscard]] bool ready() const noexcept { return left() > 0 || over_; }
  /// An item is there to be taken.
  [[nodiscard]] bool available() const noexcept { return left() > 0; }
  /// There will be no more items.
  [[nodiscard]] bool ended() const noexcept { return left() == 0 && over_; }
  /// The next item. Throws `thalweg::error` if none is `available()`.
  [[nodiscard]] const T& front() const {
    if (left() == 0) [[unlikely]]
      refuse_empty("front");
    return (*held_)[next_];
  }
  /// Takes the next item. Throws `thalweg::error` if none is `available()`.
  T take() {
    auto& ctx = running();
    if (left() == 0) [[unlikely]]
      refuse_empty("take");
    ctx.take_marks(held_->mark_of(next_));
    ++ctx.tallies[0].in;
    return std::move((*held_)[next_++]);
  }
  /// All that is there, and its marks (null if it has none), for a stage that looks at many ports: it moves
  /// items out and says, once, how many.
  struct items_left {
    std::span<T> items;
    const pipe::mark* marks;
  };
  [[nodiscard]] items_left all_left() noexcept {
    if (left() == 0) return {{}, nullptr};
    const auto* const marks = held_->marks();
    return {{held_->begin() + next_, left()}, marks == nullptr ? nullptr : marks + next_};
  }
  void took(std::size_t n) noexcept {
    next_ += n;
    running().tallies[0].in += n;
  }
  /// Below this rank nothing will come any more.
  [[nodiscard]] std::int64_t upto() const noexcept {
    return over_ ? std::numeric_limits<std::int64_t>::max() : upto_;
  }

  // --- for engines ---

  void deliver(model::context& ctx, pipe::chunk_base& items) override {
    deliver_(*this, ctx, static_cast<pipe::chunk<T>&>(items));
  }
  void deliver(model::context& ctx, pipe::chunk_base& items, call_guard guard) override {
    deliver_guarded_(*this, ctx, static_cast<pipe::chunk<T>&>(items), guard);
  }
  [[nodiscard]] bool copyable() const noexcept override { return model::copyable<T>; }
  void offer(pipe::chunk_base& items) override {
    if (!held_) held_ = std::make_unique<pipe::chunk<T>>();
    held_->clear();
    held_->swap_items(items);
    size_ = held_->size();
    upto_ = std::max(upto_, items.upto);
    next_ = 0;
  }
  [[nodiscard]] std::size_t left() const noexcept override { return size_ - next_; }
  void reset() noexcept override {
    held_.reset();
    next_ = size_ = 0;
    over_ = false;
    upto_ = std::numeric_limits<std::int64_t>::min();
  }
  [[nodiscard]] std::unique_ptr<pipe::chunk_base> make_chunk() const override {
    return std::unique_ptr<pipe::chunk_base>(new pipe::chunk<T>);
  }

 private:
  template <class S> static void deliver_to(in& me, model::context& ctx, pipe::chunk<T>& items) {
    auto& s = static_cast<S&>(me.owner());
    const auto* const marks = items.marks();
    struct counting {
      model::context& ctx;
      std::size_t n = 0;
      ~counting() { ctx.tallies[0].in += n; }
    } done{ctx};
    model::attribute(0, [&] {
      const auto n = items.size();
      for (std::size_t i = 0; i < n; ++i) {
        if (ctx.interrupted()) [[unlikely]]
          throw cancelled{};
        // Stages of the library that only move items on take as many at once as need no call.
        if constexpr (requires(std::span<T> some) { s.on_items(me, some); }) {
          if (marks == nullptr) {
            const std::size_t some = s.on_items(me, std::span<T>(items.begin() + i, n - i));
            done.n += some;
            i += some;
            if (i == n) break;
          }
        }
        if (marks != nullptr) ctx.take_marks(marks[i]);
        ++done.n;
        s.on_item(me, std::move(items[i]));
      }
    });
  }

  template <class S>
  static void deliver_guarded_to(in& me, model::context& ctx, pipe::chunk<T>& items, call_guard guard) {
    if constexpr (model::copyable<T>) {  // otherwise the job has been refused
      auto& s = static_cast<S&>(me.owner());
      for (std::size_t i = 0; i < items.size(); ++i) {
        if (ctx.interrupted()) throw cancelled{};
        ctx.take_marks(items.mark_of(i));
        ++ctx.tallies[0].in;
        const T& item = items[i];
        guard(&item, [&] { s.on_item(me, T(item)); });
      }
    }
  }

  void (*deliver_)(in&, model::context&, pipe::chunk<T>&) = nullptr;
  void (*deliver_guarded_)(in&, model::context&, pipe::chunk<T>&, call_guard) = nullptr;
  std::unique_ptr<pipe::chunk<T>> held_;
  std::size_t next_ = 0;
  std::size_t size_ = 0;
};

/// An output port of items of type T: a member of a `tw::stage`, initialised with `{this, "name"}`, or with
/// `{this, "name", tw::optional_port}` if nothing need be connected to it.
template <class T> class out final : public model::output_port {
 public:
  static_assert(pipe::item<T>, "thalweg::out: items must be objects that can be moved");
  using item_type = T;

  template <class S>
  out(S* owner, std::string name)
      : model::output_port(model::owning_stage(owner), std::move(name), typeid(T), item_size, false) {}
  template <class S>
  out(S* owner, std::string name, optional_port_t)
      : model::output_port(model::owning_stage(owner), std::move(name), typeid(T), item_size, true) {}

  /// Sends an item. Only from a function of its stage that the run has called, on the thread that has called
  /// it: otherwise it throws `thalweg::error`. Where the pipe is full it returns when there is room, or
  /// throws `tw::cancelled` if the run ends before that.
  void send(T item) {
    if (!called_here()) [[unlikely]]
      refuse_call();
    if (to_ == nullptr) [[unlikely]] {
      ++discarded_;
      return;
    }
    ++sent_;
    if constexpr (!pipe::has_fixed_size<T>) bytes_ += thalweg::size_of(item);
    const auto n = marked_ ? add_marked(std::move(item)) : to_->emplace(std::move(item));
    if (n >= limit_ || (!pipe::has_fixed_size<T> && bytes_ >= most_bytes_)) [[unlikely]]
      full(*to_);
  }

  /// The same for several. What has been sent is taken out of `items`, also if this throws.
  void send(std::span<T>& items) {
    if (!called_here()) [[unlikely]]
      refuse_call();
    while (!items.empty()) {
      if (to_ == nullptr || marked_ || !pipe::has_fixed_size<T>) {
        auto& next = items.front();
        items = items.subspan(1);
        send(std::move(next));
        continue;
      }
      const auto there = to_->size();
      const auto some = items.first(std::min(items.size(), limit_ > there ? limit_ - there : 1));
      items = items.subspan(some.size());
      sent_ += some.size();
      if (to_->append(some) >= limit_) full(*to_);
    }
  }

  /// How many items wait in the pipe behind it, about.
  [[nodiscard]] std::int64_t waiting() const noexcept { return behind_ == nullptr ? 0 : behind_->waiting(); }
  /// How many the receiver has before it: in the pipe, in hand, and sent but not yet handed over.
  [[nodiscard]] std::int64_t load() const noexcept {
    return to_ == nullptr || behind_ == nullptr
               ? 0
               : behind_->waiting() + behind_->in_hand() + static_cast<std::int64_t>(to_->size());
  }
  /// How many can be sent without waiting for room in the pipe.
  [[nodiscard]] std::size_t free() const noexcept {
    if (behind_ == nullptr || to_ == nullptr) return std::numeric_limits<std::size_t>::max();
    const auto unsent = to_->size();
    const auto most = behind_->room();
    return most > unsent ? most - unsent : 0;
  }
  /// How many items can be sent before any has to be handed over.
  [[nodiscard]] std::size_t room() const noexcept {
    if (to_ == nullptr || !pipe::has_fixed_size<T>) return 0;
    const auto there = to_->size();
    return there + 1 < limit_ ? limit_ - 1 - there : 0;
  }
  /// Sends this many items, for which there must be `room`: of those from `first` on each `step`th. Where
  /// items have ranks they get `rank` and so on, with the same step.
  void send_every(T* first, std::size_t count, std::size_t step, std::int64_t rank) {
    sent_ += count;
    to_->append_every(first, count, step, rank);
  }

  [[nodiscard]] std::unique_ptr<pipe::chunk_base> make_chunk() const override {
    return std::unique_ptr<pipe::chunk_base>(new pipe::chunk<T>);
  }
  void flush() override {
    if (to_ != nullptr && !to_->empty()) full(*to_);
  }
  void attach(pipe::chunk_base* to, std::size_t limit) noexcept override {
    to_ = static_cast<pipe::chunk<T>*>(to);
    set_limit(limit);
    marked_ = to != nullptr && to->marked();
  }

 private:
  static constexpr std::size_t item_size = pipe::has_fixed_size<T> ? sizeof(T) : 0;

  std::size_t add_marked(T&& item) {
    const auto& ctx = running();
    return to_->emplace_marked(ctx.due, ctx.rank, std::move(item));
  }

  pipe::chunk<T>* to_ = nullptr;
  bool marked_ = false;
};

}  // namespace THALWEG_NAMESPACE
