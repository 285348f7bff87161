#include <thalweg/live/server.hpp>

#include <optional>
#include <utility>

#include "page.hpp"

namespace THALWEG_NAMESPACE::live {

namespace {

class of_execution final : public subject {
 public:
  explicit of_execution(thalweg::execution& run) : run_(run) {}
  report stats() override { return run_.stats(); }
  bool done() override { return run_.done(); }
  thalweg::execution* control() override { return &run_; }

 private:
  thalweg::execution& run_;
};

}  // namespace

struct server::state {
  state(std::optional<thalweg::execution> taken, thalweg::execution* given, options how)
      : own(std::move(taken)), run(given != nullptr ? *given : *own), shown(std::move(how)) {
    shown.runs.watch(looked_at);
  }

  std::optional<thalweg::execution> own;
  thalweg::execution& run;
  std::shared_ptr<subject> looked_at = std::make_shared<of_execution>(run);
  page shown;  // last: it looks at the run
};

server::server(thalweg::execution&& run, options how)
    : state_(std::make_unique<state>(std::move(run), nullptr, std::move(how))) {}
server::server(thalweg::execution& run, options how)
    : state_(std::make_unique<state>(std::nullopt, &run, std::move(how))) {}
server::~server() = default;

thalweg::execution& server::execution() const noexcept {
  return state_->run;
}

report server::wait() const {
  struct last_look {
    const state& of;
    ~last_look() { of.shown.runs.finish(*of.looked_at); }
  } const then{*state_};
  return state_->run.wait();
}

std::string server::url() const {
  return state_->shown.http->url();
}

int server::port() const noexcept {
  return state_->shown.http->port();
}

}  // namespace THALWEG_NAMESPACE::live
