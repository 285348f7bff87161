#include <thalweg/model/stage.hpp>

#include <algorithm>

namespace THALWEG_NAMESPACE {

namespace model {

port::port(stage& owner, std::string name, const std::type_info& type)
    : owner_(&owner), caller_(&owner.caller_), name_(std::move(name)), type_(&type) {
  if (owner.in_run_.load(std::memory_order_acquire))
    throw error(
        "port '" + name_ + "' cannot be added to stage '" + owner.name() +
        "' while its graph runs: add it before the run, or open a tap() of a tw::split or tw::tee, or "
        "a feed() of a tw::merge");
}

context& port::running() const {
  if (!called_here() || owner_->context_ == nullptr) refuse_call();
  return *owner_->context_;
}

void port::refuse_call() const {
  throw error("port '" + name_ + "' of stage '" + owner_->name() +
              "': a stage can take and send items only while a run calls it, on the calling thread; from "
              "elsewhere send into a running graph through a feed() of a tw::merge");
}

void input_port::refuse_empty(const char* function) const {
  throw error("port '" + name_ + "' of stage '" + owner_->name() + "': there is no item for " + function +
              "(): check available() first");
}

input_port::input_port(stage& owner, std::string name, const std::type_info& type)
    : port(owner, std::move(name), type) {
  index_ = owner.inputs_.size();
  owner.inputs_.push_back(this);
}

input_port::~input_port() {
  auto& all = owner_->inputs_;
  all.erase(std::remove(all.begin(), all.end(), this), all.end());
}

output_port::output_port(stage& owner, std::string name, const std::type_info& type, std::size_t item_bytes,
                         bool optional)
    : port(owner, std::move(name), type), optional_(optional), item_bytes_(item_bytes) {
  index_ = owner.outputs_.size();
  owner.outputs_.push_back(this);
}

output_port::~output_port() {
  auto& all = owner_->outputs_;
  all.erase(std::remove(all.begin(), all.end(), this), all.end());
}

void output_port::full(pipe::chunk_base& items) {
  auto& ctx = running();
  ctx.out_bytes = bytes_;
  bytes_ = 0;
  ctx.flush(index_, items);
}

}  // namespace model

stage::stage() = default;
stage::~stage() = default;

void stage::on_run() {
  throw error(
      "a stage without inputs is a source and needs its own on_run(), which sends items and calls "
      "end()");
}

namespace {

template <class Ports> auto find(const Ports& ports, std::string_view name) noexcept {
  const auto it = std::find_if(ports.begin(), ports.end(), [&](const auto* p) { return p->name() == name; });
  return it == ports.end() ? nullptr : *it;
}

}  // namespace

model::input_port* stage::find_input(std::string_view name) const noexcept {
  return find(inputs_, name);
}
model::output_port* stage::find_output(std::string_view name) const noexcept {
  return find(outputs_, name);
}

}  // namespace THALWEG_NAMESPACE
