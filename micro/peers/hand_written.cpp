// What a careful programmer writes without a library: a thread for the source, one per core for the farm, the
// calling thread for the sink; bounded queues of mutex and condition variables, and a map that puts items
// back in order.
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "peer_of.hpp"
#include "registry.hpp"

namespace micro {
namespace {

template <class T> struct numbered {
  std::uint64_t number;
  T item;
};

/// A bounded queue that ends when its last writer leaves.
template <class T> class bounded_queue {
 public:
  bounded_queue(std::size_t capacity, int writers) : capacity_(capacity), writers_(writers) {}

  void push(T item) {
    std::unique_lock lock(mutex_);
    has_room_.wait(lock, [&] { return items_.size() < capacity_; });
    items_.push_back(std::move(item));
    lock.unlock();
    has_items_.notify_one();
  }

  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    has_items_.wait(lock, [&] { return !items_.empty() || writers_ == 0; });
    if (items_.empty()) return std::nullopt;
    T item = std::move(items_.front());
    items_.pop_front();
    lock.unlock();
    has_room_.notify_one();
    return item;
  }

  void writer_leaves() {
    {
      const std::lock_guard lock(mutex_);
      --writers_;
    }
    has_items_.notify_all();
  }

 private:
  std::size_t capacity_;
  int writers_;
  std::mutex mutex_;
  std::condition_variable has_room_;
  std::condition_variable has_items_;
  std::deque<T> items_;
};

/// Hands numbered items on in the order of their numbers. The queues on the way bound what can be early, but
/// for the few items a worker holds; the map takes those.
template <class T> class reorder {
 public:
  template <class Next> void put(numbered<T> arrived, Next&& next) {
    early_.emplace(arrived.number, std::move(arrived.item));
    while (!early_.empty() && early_.begin()->first == next_) {
      next(std::move(early_.begin()->second));
      early_.erase(early_.begin());
      ++next_;
    }
  }

 private:
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, T> early_;
};

struct hand_written {
  static constexpr auto name = "hand-written threads";

  struct setting : common_setting {
    std::size_t capacity = 256;
  };

  static std::vector<setting> settings() {
    return {
        {{"queue 256", true}, 256},
        {{"queue 16"}, 16},
        {{"queue 4096"}, 4096},
        {{"queue 64, chunk 16", false, 16}, 64},
        {{"queue 64, chunk 256", false, 256}, 64},
    };
  }

  template <class T> using queue = bounded_queue<numbered<T>>;

  template <class T, class Work>
  static std::vector<std::jthread> workers(queue<T>& from, queue<T>& to, const Work& work) {
    std::vector<std::jthread> team;
    for (int i = 0; i < cores(); ++i) {
      team.emplace_back([&] {
        while (auto item = from.pop()) to.push({item->number, work(std::move(item->item))});
        to.writer_leaves();
      });
    }
    return team;
  }

  template <class T, class Source> static std::jthread reader(Source& source, queue<T>& to) {
    return std::jthread([&] {
      std::uint64_t number = 0;
      while (auto item = source()) to.push({number++, *std::move(item)});
      to.writer_leaves();
    });
  }

  template <class Source, class Work, class Sink>
  static void farm(const setting& s, Source& source, const Work& work, Sink& sink) {
    using item = item_of<Source>;
    queue<item> waiting(s.capacity, 1);
    queue<item> done(s.capacity, cores());
    const auto source_thread = reader<item>(source, waiting);
    const auto team = workers<item>(waiting, done, work);
    reorder<item> in_order;
    while (auto result = done.pop()) in_order.put(*std::move(result), [&](item&& x) { sink(std::move(x)); });
  }

  template <class Source, class First, class Middle, class Second, class Sink>
  static void sandwich(const setting& s, Source& source, const First& first, Middle& middle,
                       const Second& second, Sink& sink) {
    using item = item_of<Source>;
    queue<item> read(s.capacity, 1);
    queue<item> halfway(s.capacity, cores());
    queue<item> summed(s.capacity, 1);
    queue<item> done(s.capacity, cores());
    const auto source_thread = reader<item>(source, read);
    const auto first_team = workers<item>(read, halfway, first);
    const std::jthread middle_thread([&] {
      reorder<item> in_order;
      std::uint64_t number = 0;
      while (auto x = halfway.pop()) {
        in_order.put(*std::move(x), [&](item&& y) { summed.push({number++, middle(std::move(y))}); });
      }
      summed.writer_leaves();
    });
    const auto second_team = workers<item>(summed, done, second);
    reorder<item> in_order;
    while (auto result = done.pop()) in_order.put(*std::move(result), [&](item&& x) { sink(std::move(x)); });
  }
};

}  // namespace

std::unique_ptr<peer> make_hand_written() {
  return std::make_unique<peer_of<hand_written>>();
}

}  // namespace micro
