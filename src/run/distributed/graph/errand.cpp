#include "errand.hpp"

#include <cstring>
#include <utility>

namespace thalweg::run_detail::network {

namespace {

using errands = pipe::chunk<errand>;

// They are short, and needed at once: no blocks of their own.
template <class T> void write_all(byte_writer& to, const std::vector<T>& all) {
  to.count(all.size());
  to.bytes(all.data(), all.size() * sizeof(T));
}

template <class T> void read_all(byte_reader& from, std::vector<T>& all) {
  all.resize(from.count(sizeof(T)));
  const auto bytes = from.bytes(all.size() * sizeof(T));
  if (!all.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
}

}  // namespace

errand_wire::cargo::cargo(chunk_ptr c)
    : like(std::move(c)), how(like ? model::wire_of(like->item_type()) : nullptr) {}

void errand_wire::cargo::write(byte_writer& to, const chunk_ptr& c) const {
  const bool there = c != nullptr && !c->empty();
  to(there);
  if (!there) return;
  to(c->paced, c->ranked, static_cast<std::uint32_t>(c->size()));
  how->write(to, *c);
}

void errand_wire::cargo::read(byte_reader& from, chunk_ptr& c) const {
  std::uint8_t there = 0;
  from(there);
  if (there == 0) return;
  if (how == nullptr) throw codec_error("a run of items has come where there are none");
  std::uint8_t paced = 0, ranked = 0;
  std::uint32_t n = 0;
  from(paced, ranked, n);
  c = like->sibling();
  c->paced = paced != 0;
  c->ranked = ranked != 0;
  how->read(from, n, *c);
}

errand_wire::errand_wire(chunk_ptr items, chunk_ptr late, chunk_ptr keys)
    : items_(std::move(items)), late_(std::move(late)), keys_(std::move(keys)) {}

std::string errand_wire::tag() const {
  return "errand of " + (items_.how == nullptr ? "-" : items_.how->tag());
}

void errand_wire::write(byte_writer& to, pipe::chunk_base& items) const {
  const auto& e = static_cast<errands&>(items)[0];
  to.bytes(&e.is, sizeof e.is);
  write_all(to, e.index);
  write_all(to, e.who);
  write_all(to, e.moments);
  write_all(to, e.marks);
  write_all(to, e.places);
  late_.write(to, e.late);
  keys_.write(to, e.keys);
  items_.write(to, e.items);
}

void errand_wire::read(byte_reader& from, std::size_t n, pipe::chunk_base& into) const {
  if (n != 1) throw codec_error("a message about a run of items is about " + std::to_string(n));
  auto& all = static_cast<errands&>(into);
  all.reserve(1);
  all.emplace();
  auto& e = all[0];
  std::memcpy(&e.is, from.bytes(sizeof e.is).data(), sizeof e.is);
  read_all(from, e.index);
  read_all(from, e.who);
  read_all(from, e.moments);
  read_all(from, e.marks);
  read_all(from, e.places);
  late_.read(from, e.late);
  keys_.read(from, e.keys);
  items_.read(from, e.items);
}

std::size_t errand_wire::count(const pipe::chunk_base& items) const {
  const auto* const e = static_cast<const errand*>(items.at(0));
  return e->items ? e->items->size() : 0;
}

errand take_errand(pipe::chunk_base& from) {
  return std::move(static_cast<errands&>(from)[0]);
}

chunk_ptr chunk_of(errand e) {
  auto made = std::make_unique<errands>();
  made->emplace(std::move(e));
  return made;
}

chunk_ptr no_errands() {
  return std::make_unique<errands>();
}

}  // namespace thalweg::run_detail::network
