#include "made.hpp"

#include <cstring>
#include <utility>

namespace THALWEG_NAMESPACE::model {
namespace {

// What is still among the children is released with it.
template <class Owner, class Struct> void release(Struct* of) {
  delete static_cast<Owner*>(of->private_data);
  of->release = nullptr;
}

// Children do not move once somebody has their addresses.
template <class Owner> std::unique_ptr<Owner> in_place(Owner from) {
  auto own = std::make_unique<Owner>(std::move(from));
  own->pointers.reserve(own->children.size());
  for (auto& child : own->children) own->pointers.push_back(&child.get());
  return own;
}

}  // namespace

arrow_memory::arrow_memory(std::size_t n) {
  constexpr auto size = static_cast<std::size_t>(line);
  const auto lines = n == 0 ? 1 : n / size + (n % size != 0 ? 1 : 0);
  at_.reset(static_cast<std::byte*>(::operator new(lines* size, line)));
  std::memset(at_.get() + n, 0, lines * size - n);
}

arrow_owner<ArrowArray> make_array(std::int64_t length, std::int64_t nulls, made_array from) {
  auto own = in_place(std::move(from));
  ArrowArray made{};
  made.length = length;
  made.null_count = nulls;
  made.n_buffers = static_cast<std::int64_t>(own->buffers.size());
  made.buffers = own->buffers.data();
  made.n_children = static_cast<std::int64_t>(own->pointers.size());
  made.children = own->pointers.data();
  made.release = release<made_array, ArrowArray>;
  made.private_data = own.release();
  return arrow_owner(made);
}

arrow_owner<ArrowSchema> make_schema(made_schema from) {
  auto own = in_place(std::move(from));
  ArrowSchema made{};
  made.format = own->format.c_str();
  made.name = own->name.c_str();
  made.metadata = own->metadata.empty() ? nullptr : own->metadata.data();
  made.flags = own->flags;
  made.n_children = static_cast<std::int64_t>(own->pointers.size());
  made.children = own->pointers.data();
  made.release = release<made_schema, ArrowSchema>;
  made.private_data = own.release();
  return arrow_owner(made);
}

}  // namespace THALWEG_NAMESPACE::model
