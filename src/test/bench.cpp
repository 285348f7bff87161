#include <thalweg/model/graph.hpp>
#include <thalweg/model/ported.hpp>
#include <thalweg/run/engine.hpp>
#include <thalweg/test/bench.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <limits>
#include <utility>

namespace THALWEG_NAMESPACE::testing_detail {

namespace {

constexpr auto never = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t idle_calls = 1'000'000;  // of a source that gives nothing, before it is given up

std::string place(const std::source_location& where) {
  return std::string(where.file_name()) + ":" + std::to_string(where.line());
}

}  // namespace

class bench::impl {
 public:
  impl(stage& s, std::source_location where) : where_(place(where)) {
    const auto refuse_connected = [&](const model::port& p) {
      if (p.connected())
        refuse("port '" + p.name() + "' of stage '" + s.name() +
               "' is connected: a stage is tested outside of graphs, and once at a time");
    };
    for (const auto* p : s.inputs()) refuse_connected(*p);
    for (const auto* p : s.outputs()) refuse_connected(*p);
    graph alone;  // which gives the stage its name
    alone.use(s);
    if (alone.size() == 0)
      refuse("stage '" + s.name() + "' is part of a graph: a stage is tested outside of graphs");
    model::stage_info info;
    info.name = s.name();
    info.pattern = alone.node(0).pattern;
    try {
      s.validate();
    } catch (...) {
      info.problems.push_back(model::message_of(std::current_exception()));
    }
    auto made = std::make_unique<model::ported>(s, std::move(info));
    if (made->role() == model::order_role::restores)
      refuse("an ordered tw::merge cannot be tested alone: it needs the split whose order it restores");
    ports_ = made.get();
    std::vector<std::unique_ptr<model::component>> parts;
    parts.push_back(std::move(made));
    prepare(std::move(parts), false);
    for (auto* p : ports_->inputs()) p->connect(true);
    for (auto* p : ports_->outputs()) p->connect(true);
    waiting_.resize(ports_->inputs().size());
    left_.assign(ports_->inputs().size(), 0);
    may_be_left_.assign(ports_->inputs().size(), 0);
    closed_.assign(ports_->inputs().size(), false);
    told_.assign(ports_->inputs().size(), false);
    for (std::size_t i = 0; i < ports_->outputs().size(); ++i) outputs_.push_back({ports_->make_chunk(i)});
    attempt(0, [&] { ports_->start({0, 1}, 0); });
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      ports_->outputs()[i]->attach(outputs_[i].sent.get(), std::numeric_limits<std::size_t>::max());
  }

  impl(std::vector<std::unique_ptr<model::component>> parts, std::source_location where)
      : where_(place(where)) {
    prepare(std::move(parts), true);
    const auto& last = run_->stages.back();
    if (last.info->out != nullptr)
      outputs_.push_back({run_->plan.components[last.component]->make_chunk(last.stage)});
    closed_.assign(is_source() ? 0 : 1, false);
    left_.assign(closed_.size(), 0);
    may_be_left_.assign(closed_.size(), 0);
    for (const auto& s : run_->stages) {
      auto& c = *run_->plan.components[s.component];
      c.prepare(s.stage, 1);
      if (s.info->timed) timed_.push_back(&s);
      if (!attempt(s.component, [&] { c.start({s.stage, s.stage + 1}, 0); })) return;
    }
  }

  ~impl() { release(); }

  // --- what a test does ---

  void give(std::size_t input, pipe::chunk_base& items) {
    if (closed_.at(input))
      owner_->fail("input " + input_name(input) + " has been closed: nothing can be sent to it");
    if (over_) {  // a stage that has ended discards what still comes
      left_[input] += items.size();
      return;
    }
    if (ports_ == nullptr) {
      attempt(0, [&] { carry(0, items); });
    } else if (ports_->inputs()[input]->pushed()) {
      attempt(0, [&] { ports_->receive(input, *contexts_[0], items); });
      count(0);
      choose();
    } else {
      auto kept = items.sibling();
      kept->swap_items(items);
      waiting_[input].push_back(std::move(kept));
      choose();
    }
  }

  void close(std::size_t input) {
    if (std::exchange(closed_.at(input), true) || over_) return;
    if (ports_ == nullptr) return finish();
    choose();
    if (!over_ && std::all_of(closed_.begin(), closed_.end(), [](bool c) { return c; })) finish();
  }

  void end() {
    if (closed_.empty() && !over_) finish();  // a source: it is stopped
    for (std::size_t i = 0; i < closed_.size(); ++i) close(i);
  }

  void run_source(std::size_t items) {
    if (!is_source()) owner_->fail("run: this is not a source: send() items to it");
    std::size_t idle = 0;
    for (std::size_t made = 0; made < items && !over_;) {
      const auto n = call_source();
      made += n;
      idle = n > 0 ? 0 : idle + 1;
      if (over_ || n > 0) continue;
      if (due() > now_) {
        pass_time(due());
      } else if (idle > idle_calls) {
        owner_->fail("run: the source neither gives an item nor ends");
      }
    }
  }

  void advance(std::chrono::nanoseconds by) { pass_time(now_ + by.count()); }

  // --- the end of the test ---

  void conclude() {
    if (std::exchange(concluded_, true)) return;
    end();
    release();
    if (const auto why = std::exchange(error_, nullptr))
      owner_->fail("an unexpected error came: " + model::message_of(why));
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      auto& o = outputs_[i];
      const auto n = o.sent->size();
      if (n == 0 || o.ignored) continue;
      owner_->fail("output " + output_name(i) + " has sent " + std::to_string(n) +
                   (n == 1 ? " item that was" : " items that were") + " not expected" +
                   (o.show ? ": " + o.show(*o.sent) : std::string(": expect them, or ignore() them")));
    }
    for (std::size_t i = 0; !had_error_ && i < left_.size(); ++i) {
      if (left_[i] == may_be_left_[i]) continue;
      owner_->fail("input " + input_name(i) + " has " + std::to_string(left_[i]) +
                   (left_[i] == 1 ? " item" : " items") + " left that the stage has not taken" +
                   (may_be_left_[i] > 0
                        ? ", not " + std::to_string(may_be_left_[i])
                        : ": say expect_left(" + std::to_string(left_[i]) + ") if that is meant"));
    }
    if (!looked_ && !outputs_.empty()) owner_->fail("nothing was expected: the test cannot fail");
  }

  // The stage may be tested again.
  void release() {
    concluded_ = over_ = true;
    if (ports_ == nullptr || std::exchange(released_, true)) return;
    for (auto* p : ports_->inputs()) p->connect(false);
    for (auto* p : ports_->outputs()) {
      p->connect(false);
      p->attach(nullptr, 1);
    }
  }

  [[nodiscard]] std::size_t left(std::size_t input) const {
    return left_.at(input) + (over_ ? 0 : waits(input));
  }
  [[nodiscard]] std::string output_name(std::size_t i) const {
    return name() + (ports_ != nullptr ? "." + ports_->outputs()[i]->name() : ".out") + "'";
  }
  [[nodiscard]] std::string input_name(std::size_t i) const {
    return name() + (ports_ != nullptr ? "." + ports_->inputs()[i]->name() : ".in") + "'";
  }
  [[nodiscard]] std::string name() const {
    auto all = "'" + run_->stages.front().info->name;
    if (run_->stages.size() > 1) all += " | ... | " + run_->stages.back().info->name;
    return all;
  }

  struct output {
    std::unique_ptr<pipe::chunk_base> sent;
    std::function<std::string(pipe::chunk_base&)> show = {};
    bool ignored = false;
  };

  bench* owner_ = nullptr;
  std::string where_;
  model::ported* ports_ = nullptr;
  std::vector<output> outputs_;
  std::int64_t now_ = 0;
  std::exception_ptr error_;
  bool over_ = false;
  bool had_error_ = false;
  bool looked_ = false;
  std::vector<std::size_t> left_;         // by input: not taken when it ended
  std::vector<std::size_t> may_be_left_;  // as the test says
  bool concluded_ = false;
  bool released_ = false;

 private:
  // What operators ask of their surroundings.
  class own_context final : public run_detail::thread_context {
   public:
    own_context(impl& b, run_detail::run_state& r, run_detail::thread_log& l, std::size_t c)
        : thread_context(r, l, c), bench_(b) {
      virtual_now_ns = &b.clock_;
      limit = 1;  // what has been sent before an error is there
    }
    void flush(std::size_t leaf, pipe::chunk_base& out) override {
      if (bench_.ports_ != nullptr) return;  // it is where it belongs
      bench_.carry(first_stage + leaf + 1, out);
      out.clear();
    }
    void back_off(std::chrono::nanoseconds delay) override {
      bench_.now_ += delay.count();
      bench_.clock_.store(bench_.now_, std::memory_order_relaxed);
    }

   private:
    impl& bench_;
  };

  [[noreturn]] void refuse(const std::string& why) const {
    throw test_failure("the test at " + where_ + ": " + why);
  }

  void prepare(std::vector<std::unique_ptr<model::component>> parts, bool line) {
    model::plan p;
    p.components = std::move(parts);
    p.is_line = line;
    p.check(model::naming());
    p.require_valid();
    run_ = std::make_unique<run_detail::run_state>(std::move(p), "test", run_options{});
    log_ = &run_->counters.new_log();
    for (std::size_t c = 0; c < run_->plan.components.size(); ++c)
      contexts_.push_back(std::make_unique<own_context>(*this, *run_, *log_, c));
  }

  [[nodiscard]] bool is_source() const {
    return ports_ != nullptr ? ports_->inputs().empty() : run_->stages.front().info->in == nullptr;
  }

  // Calls `f`; what it throws is kept, and ends everything.
  template <class F> bool attempt(std::size_t component, F&& f) {
    if (over_) return false;
    if (run_->guard(component, 0, 0, std::forward<F>(f))) return true;
    over_ = had_error_ = true;
    error_ = run_->errors.kept();
    return false;
  }

  void count(std::size_t stage) {
    const auto& ref = run_->stages[stage];
    contexts_[ref.component]->collect({ref.stage, ref.stage + 1}, 0);
  }

  // Items for stage `i` of the line.
  void carry(std::size_t i, pipe::chunk_base& items) {
    if (items.empty()) return;
    if (i == run_->stages.size()) return items.move_items(0, items.size(), *outputs_.front().sent);
    const auto& ref = run_->stages[i];
    auto& c = *run_->plan.components[ref.component];
    const auto out = c.make_chunk(ref.stage);
    c.process({ref.stage, ref.stage + 1}, 0, *contexts_[ref.component], items, out.get());
    if (out) carry(i + 1, *out);
    count(i);
  }

  // Calls a hook of stage `i`, which may send.
  template <class F> void call_hook(std::size_t i, F&& hook) {
    const auto& ref = run_->stages[i];
    attempt(ref.component, [&] {
      auto& c = *run_->plan.components[ref.component];
      const auto out = c.make_chunk(ref.stage);
      hook(c, ref, *contexts_[ref.component], out.get());
      if (out) carry(i + 1, *out);
    });
  }

  void finish() {
    if (ports_ != nullptr) {
      for (std::size_t i = 0; i < left_.size(); ++i) left_[i] = waits(i);  // the ports forget it
      for (auto& all : waiting_) all.clear();
      attempt(0, [&] { ports_->finish(0, 0, *contexts_[0], nullptr); });
    } else {
      for (std::size_t i = 0; i < run_->stages.size() && !over_; ++i) {
        call_hook(i,
                  [&](auto& c, const auto& ref, auto& ctx, auto* out) { c.finish(ref.stage, 0, ctx, out); });
      }
    }
    over_ = true;
  }

  // Items at an input that the stage has not taken yet.
  [[nodiscard]] std::size_t waits(std::size_t input) const {
    if (ports_ == nullptr) return 0;
    std::size_t n = ports_->inputs()[input]->left();
    for (const auto& items : waiting_[input]) n += items->size();
    return n;
  }

  // Asks a stage that reads its ports itself for as long as it does anything, as a run would.
  void choose() {
    const auto sent = [&] {
      std::size_t n = 0;
      for (const auto& o : outputs_) n += o.sent->size();
      return n;
    };
    const auto left = [&] {
      std::size_t n = 0;
      for (const auto* p : ports_->inputs()) n += p->pushed() ? 0 : p->left();
      return n;
    };
    for (bool again = true; again && !over_ && !ports_->over() && ports_->chooses();) {
      for (std::size_t i = 0; i < waiting_.size(); ++i) {
        auto* const p = ports_->inputs()[i];
        if (p->pushed() || p->left() > 0) continue;
        if (!waiting_[i].empty()) {
          p->offer(*waiting_[i].front());
          waiting_[i].pop_front();
        } else if (closed_[i] && !std::exchange(told_[i], true)) {
          p->close();
        }
      }
      const auto before = std::pair(sent(), left());
      attempt(0, [&] { ports_->run(*contexts_[0]); });
      count(0);
      again = std::pair(sent(), left()) != before || can_tell();
    }
    if (over_) return;
    if (ports_->over()) return finish();
    if (!std::all_of(closed_.begin(), closed_.end(), [](bool c) { return c; })) return;
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      if (ports_->inputs()[i]->left() == 0 && waiting_[i].empty()) continue;
      attempt(0, [&] {
        throw error("stage " + name() + "': its on_run leaves items at the input '" +
                    ports_->inputs()[i]->name() + "' though nothing more will come on any of its inputs");
      });
    }
  }

  // Something can be told to the stage about one of its ports.
  [[nodiscard]] bool can_tell() const {
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      const auto* p = ports_->inputs()[i];
      if (!p->pushed() && p->left() == 0 && (!waiting_[i].empty() || (closed_[i] && !told_[i]))) return true;
    }
    return false;
  }

  // Returns how many items the source has given.
  std::size_t call_source() {
    if (over_) return 0;
    if (ports_ != nullptr) {
      std::size_t n = 0;
      for (const auto& o : outputs_) n += o.sent->size();
      attempt(0, [&] { ports_->run(*contexts_[0]); });
      count(0);
      std::size_t now = 0;
      for (const auto& o : outputs_) now += o.sent->size();
      if (!over_ && ports_->over()) finish();
      return now - n;
    }
    const auto& ref = run_->stages.front();
    auto& c = *run_->plan.components[ref.component];
    const auto out = c.make_chunk(ref.stage);
    model::produced made;
    contexts_[0]->not_before_ns = 0;
    attempt(0, [&] {
      made = c.produce({0, 1}, *contexts_[0], 1, out.get());
      if (out) carry(1, *out);
      count(0);
    });
    if (made.ended && !over_) finish();
    return made.items;
  }

  // When something happens next by itself.
  [[nodiscard]] std::int64_t due() const {
    auto next = contexts_[0]->not_before_ns > now_ ? contexts_[0]->not_before_ns : never;
    for (const auto* s : timed_)
      next = std::min(next, run_->plan.components[s->component]->deadline(s->stage));
    return next;
  }

  void pass_time(std::int64_t until) {
    const bool paced = ports_ == nullptr && run_->stages.front().info->source.paced;
    for (;;) {
      if (paced) {
        while (!over_ && call_source() > 0) {
        }
      }
      const auto next = over_ ? never : due();
      if (next > until) break;
      set_clock(std::max(now_, next));
      for (const auto* s : timed_) {
        if (run_->plan.components[s->component]->deadline(s->stage) > now_) continue;
        call_hook(static_cast<std::size_t>(s - run_->stages.data()),
                  [&](auto& c, const auto& ref, auto& ctx, auto* out) { c.on_time(ref.stage, ctx, out); });
      }
    }
    set_clock(std::max(now_, until));
  }

  void set_clock(std::int64_t t) {
    now_ = t;
    clock_.store(t, std::memory_order_relaxed);
  }

  std::atomic<std::int64_t> clock_{0};
  std::unique_ptr<run_detail::run_state> run_;
  run_detail::thread_log* log_ = nullptr;
  std::vector<std::unique_ptr<own_context>> contexts_;
  std::vector<const run_detail::run_state::stage_ref*> timed_;
  std::vector<std::deque<std::unique_ptr<pipe::chunk_base>>> waiting_;  // by input
  std::deque<bool> closed_;                                             // by the test
  std::deque<bool> told_;                                               // and the stage knows it
};

bench::bench(stage& s, std::source_location where) : impl_(std::make_unique<impl>(s, where)) {
  impl_->owner_ = this;
}

bench::bench(std::vector<std::unique_ptr<model::component>> line, std::source_location where)
    : impl_(std::make_unique<impl>(std::move(line), where)) {
  impl_->owner_ = this;
}

bench::~bench() = default;

void bench::give(std::size_t input, pipe::chunk_base& items) {
  impl_->give(input, items);
}
void bench::close(std::size_t input) {
  impl_->close(input);
}
void bench::end() {
  impl_->end();
}
void bench::run_source(std::size_t items) {
  impl_->run_source(items);
}
void bench::advance(std::chrono::nanoseconds by) {
  impl_->advance(by);
}
std::chrono::nanoseconds bench::now() const noexcept {
  return std::chrono::nanoseconds(impl_->now_);
}
bool bench::over() const noexcept {
  return impl_->over_;
}
pipe::chunk_base& bench::sent(std::size_t output) {
  return *impl_->outputs_.at(output).sent;
}
void bench::show(std::size_t output, std::function<std::string(pipe::chunk_base&)> show) {
  impl_->outputs_.at(output).show = std::move(show);
}
void bench::looked() noexcept {
  impl_->looked_ = true;
}
void bench::ignore(std::size_t output) noexcept {
  impl_->outputs_[output].ignored = true;
}
std::exception_ptr bench::take_error() {
  return std::exchange(impl_->error_, nullptr);
}

std::size_t bench::left(std::size_t input) const {
  return impl_->left(input);
}
void bench::expect_left(std::size_t input, std::size_t items) noexcept {
  impl_->may_be_left_[input] = items;
}

std::size_t bench::number_of(const model::input_port& p) {
  const auto& all = impl_->ports_->inputs();
  if (std::find(all.begin(), all.end(), &p) == all.end())
    fail("input '" + p.name() + "' belongs to another stage than the one that is tested");
  return p.index();
}

std::size_t bench::number_of(const model::output_port& p) {
  const auto& all = impl_->ports_->outputs();
  if (std::find(all.begin(), all.end(), &p) == all.end())
    fail("output '" + p.name() + "' belongs to another stage than the one that is tested");
  return p.index();
}

namespace {

template <class Ports>
auto& named(bench& b, const Ports& all, const char* kind, const std::string& name,
            const std::type_info& type) {
  std::string names;
  for (auto* p : all) {
    names += (names.empty() ? "" : ", ") + p->name();
    if (p->name() != name) continue;
    if (p->type() == type) return *p;
    b.fail(std::string("the items of ") + kind + " '" + name + "' are of type " +
           model::type_name(p->type()) + ", not " + model::type_name(type));
  }
  b.fail(std::string("there is no ") + kind + " '" + name +
         "' (there are: " + (names.empty() ? "none" : names) + ")");
}

}  // namespace

const model::input_port& bench::input(const std::string& name, const std::type_info& type) {
  return named(*this, impl_->ports_->inputs(), "input", name, type);
}
const model::output_port& bench::output(const std::string& name, const std::type_info& type) {
  return named(*this, impl_->ports_->outputs(), "output", name, type);
}
std::string bench::input_name(std::size_t input) const {
  return impl_->input_name(input);
}
std::string bench::output_name(std::size_t output) const {
  return impl_->output_name(output);
}

void bench::fail(const std::string& what) {
  auto text = "the test at " + impl_->where_ + ": " + what;
  if (impl_->error_) text += "\n  and it had thrown: " + model::message_of(impl_->error_);
  impl_->release();
  impl_->error_ = nullptr;
  throw test_failure(text);
}

void bench::conclude() {
  impl_->conclude();
}

}  // namespace THALWEG_NAMESPACE::testing_detail
