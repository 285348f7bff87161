#include <thalweg/pipe/ring.hpp>

#include <algorithm>
#include <array>

#include "transfer.hpp"

namespace micro {
namespace {

namespace pipe = thalweg::pipe;

template <class Item, pipe::wait How = pipe::wait::adaptive> class gulps {
 public:
  explicit gulps(std::size_t capacity) : ring_(capacity, How) {}
  void push(const Item& item) { ring_.push(item); }
  void finish() { ring_.close(); }
  template <class F> void drain(std::uint64_t, F&& each) {
    while (ring_.pop_some([&](const Item& item) { each(item); }) != 0) {
    }
  }

 protected:
  pipe::ring<Item> ring_;
};

template <class Item> using spinning_gulps = gulps<Item, pipe::wait::spin>;

template <class Item> class one_by_one : public gulps<Item> {
 public:
  using gulps<Item>::gulps;
  template <class F> void drain(std::uint64_t, F&& each) {
    for (Item item{}; this->ring_.pop(item);) each(item);
  }
};

template <class Item> class runs : public gulps<Item> {
 public:
  using gulps<Item>::gulps;
  void push(const Item& item) {
    run_[filled_] = item;
    if (++filled_ == run_.size()) flush();
  }
  void finish() {
    flush();
    this->ring_.close();
  }

 private:
  void flush() {
    this->ring_.push_some(std::span(run_).first(filled_));
    filled_ = 0;
  }

  std::array<Item, 64> run_;
  std::size_t filled_ = 0;
};

}  // namespace

template <class Item> std::vector<pipe_setting> thalweg_pipes() {
  std::vector<pipe_setting> all;
  add_capacities<Item, gulps<Item>>(all, "thalweg", "gulps", true);
  add_capacities<Item, one_by_one<Item>>(all, "thalweg", "one by one", false);
  add_capacities<Item, spinning_gulps<Item>>(all, "thalweg", "gulps, never sleeping", false);
  add_capacities<Item, runs<Item>>(all, "thalweg", "runs of 64 in, gulps out", false);
  return all;
}

template std::vector<pipe_setting> thalweg_pipes<word>();
template std::vector<pipe_setting> thalweg_pipes<line>();

}  // namespace micro
