#include <thalweg/model/graph.hpp>
#include <thalweg/model/stage_host.hpp>

#include <atomic>
#include <string>

#include "host.hpp"

namespace THALWEG_NAMESPACE::model {

stage_host::stage_host(stage& s, input_port& in, output_port& out)
    : stage_(s), out_(out), sent_(out.make_chunk()) {
  s.name_ = short_name(typeid(s));
  s.log_.rename(s.name_);
  const auto refuse = [&](const char* kind, const port& p) {
    throw error("tw::own_stage: " + s.name_ + " has another " + kind + ", '" + p.name() +
                "', which cannot be connected here: a stage with several belongs in a tw::graph");
  };
  for (const auto* p : s.inputs_) {
    if (p != &in) refuse("input", *p);
  }
  for (auto* p : s.outputs_) {
    if (p != &out && !p->optional()) refuse("output", *p);
    p->attach(p == &out ? sent_.get() : nullptr, handed_on_at_once);
  }
  cancelled = cut = ending = held = &never_set;
  tallies.resize(1);
  s.context_ = this;
}

stage_host::~stage_host() {
  stage_.context_ = nullptr;
}

void stage_host::start() {
  stage_.over_ = false;
  stage_.on_start();
}

}  // namespace THALWEG_NAMESPACE::model
