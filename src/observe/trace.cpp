#include <thalweg/observe/json.hpp>
#include <thalweg/observe/trace.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <new>
#include <system_error>
#include <utility>

namespace THALWEG_NAMESPACE::observe {

// The events of one thread: written by it alone, readable up to the size that it has published. It belongs to
// one recording after the other, and the thread itself empties it when the next one has begun: nobody reads
// it then, since a recording begins under the lock that all readers hold.
class trace_recorder::lane {
 public:
  lane(std::size_t thread, std::size_t most) : thread_(thread), blocks_((most + block - 1) / block) {}

  // For this recording, of at most so many events, from now on.
  void use_for(std::uint32_t recording, std::size_t most) noexcept {
    if (recording_.load(std::memory_order_relaxed) == recording) return;
    most_ = most;
    depth_ = 0;
    for (auto& one : running_) one.set({});
    dropped_.store(0, std::memory_order_relaxed);
    size_.store(0, std::memory_order_relaxed);
    recording_.store(recording, std::memory_order_release);
  }

  void append(const event& e) noexcept {
    const std::size_t n = size_.load(std::memory_order_relaxed);
    if (n >= most_) {
      dropped_.store(dropped_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      return;
    }
    std::unique_ptr<event[]>& events = blocks_[n / block];
    if (!events) events.reset(new (std::nothrow) event[block]);
    if (!events) {
      dropped_.store(dropped_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      return;
    }
    events[n % block] = e;
    size_.store(n + 1, std::memory_order_release);
  }

  int begins(const running& what) noexcept {
    if (depth_ == running_.size()) return -1;
    running_[depth_].set(what);
    return static_cast<int>(depth_++);
  }
  // It may have begun before this recording: then nothing of it is here.
  void ends(int begun) noexcept {
    const auto place = static_cast<std::size_t>(begun);
    if (place >= depth_) return;
    while (depth_ > place) running_[--depth_].set({});
  }

  std::size_t thread() const noexcept { return thread_; }
  std::uint32_t recording() const noexcept { return recording_.load(std::memory_order_acquire); }
  std::size_t size() const noexcept { return size_.load(std::memory_order_acquire); }
  const event& operator[](std::size_t i) const noexcept { return blocks_[i / block][i % block]; }
  std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }
  template <class F> void each_running(F&& f) const {
    for (const auto& one : running_) {
      if (const auto now = one.get(); now.stages > 0) f(now);
    }
  }

  // The first of so many events that ended after a time: they are nearly in the order of their ends.
  std::size_t first_after(std::int64_t ns, std::size_t size) const noexcept {
    std::size_t low = 0, high = size;
    while (low < high) {
      const auto middle = low + (high - low) / 2;
      const auto& e = (*this)[middle];
      if (e.start + e.duration > ns) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

 private:
  static constexpr std::size_t block = 4096;
  static constexpr std::size_t most_within_each_other = 16;

  // Written by one thread. Others see a whole one, or none where it changes too often.
  class published {
   public:
    void set(const running& what) noexcept {
      const auto n = number_.load(std::memory_order_relaxed);
      number_.store(n + 1, std::memory_order_relaxed);
      start_.store(what.start, std::memory_order_release);
      stage_.store(what.stage, std::memory_order_release);
      stages_.store(what.stages, std::memory_order_release);
      number_.store(n + 2, std::memory_order_release);
    }
    running get() const noexcept {
      constexpr int tries = 8;
      for (int i = 0; i < tries; ++i) {
        const auto n = number_.load(std::memory_order_acquire);
        const running seen{start_.load(std::memory_order_acquire), stage_.load(std::memory_order_acquire),
                           stages_.load(std::memory_order_acquire)};
        if (n % 2 == 0 && number_.load(std::memory_order_relaxed) == n) return seen;
      }
      return {};
    }

   private:
    std::atomic<std::uint32_t> number_{0};
    std::atomic<std::uint32_t> stage_{0}, stages_{0};
    std::atomic<std::int64_t> start_{0};
  };

  const std::size_t thread_;
  std::size_t most_ = 0, depth_ = 0;  // of the thread alone
  std::vector<std::unique_ptr<event[]>> blocks_;
  std::atomic<std::uint32_t> recording_{0};
  std::atomic<std::size_t> size_{0};
  std::atomic<std::uint64_t> dropped_{0};
  std::array<published, most_within_each_other> running_{};
};

trace_recorder::trace_recorder(std::vector<std::string> stages, std::size_t events_per_thread)
    : stages_(std::move(stages)),
      most_per_thread_(events_per_thread),
      events_per_thread_(events_per_thread) {}

trace_recorder::~trace_recorder() = default;

void trace_recorder::append(std::size_t thread, const event& e) noexcept {
  lane* const to = lane_of(thread);
  if (to == nullptr) {
    lost_.fetch_add(1, std::memory_order_relaxed);
  } else if (e.start + e.duration >= from_.load(std::memory_order_relaxed)) {
    to->append(e);
  }
}

int trace_recorder::begins(std::size_t thread, std::size_t stage, std::int64_t start_ns,
                           std::size_t stages) noexcept {
  lane* const to = lane_of(thread);
  if (to == nullptr) return -1;
  return to->begins({start_ns, static_cast<std::uint32_t>(stage), static_cast<std::uint32_t>(stages)});
}

void trace_recorder::ends(std::size_t thread, int begun) noexcept {
  if (begun < 0) return;
  if (lane* const of = lane_of(thread)) of->ends(begun);
}

trace_recorder::lane* trace_recorder::lane_of(std::size_t thread) noexcept {
  lane* of = thread < most_threads ? lanes_[thread].load(std::memory_order_acquire) : nullptr;
  if (of == nullptr) of = open_lane(thread);
  if (of != nullptr) {
    const auto recording = recording_.load(std::memory_order_acquire);
    of->use_for(recording, events_per_thread_.load(std::memory_order_relaxed));
  }
  return of;
}

void trace_recorder::restart(std::int64_t from_ns, std::size_t events_per_thread) {
  const std::lock_guard hold(mutex_);
  marks_.clear();
  lost_.store(0, std::memory_order_relaxed);
  origin_ = from_ns;
  from_.store(from_ns, std::memory_order_relaxed);
  events_per_thread_.store(std::min(events_per_thread, most_per_thread_), std::memory_order_relaxed);
  recording_.fetch_add(1, std::memory_order_release);
}

std::vector<const trace_recorder::lane*> trace_recorder::lanes_now() const {
  std::vector<const lane*> now;
  const auto recording = recording_.load(std::memory_order_relaxed);
  for (const auto& each : owned_) {
    if (each->recording() == recording) now.push_back(each.get());
  }
  std::ranges::sort(now, {}, [](const lane* l) { return l->thread(); });
  return now;
}

// Once per thread. A trace never stops a run: without memory for it, the events count as dropped.
trace_recorder::lane* trace_recorder::open_lane(std::size_t thread) noexcept {
  if (thread >= most_threads) return nullptr;
  const std::lock_guard hold(mutex_);
  try {
    lane* made = owned_.emplace_back(std::make_unique<lane>(thread, most_per_thread_)).get();
    lanes_[thread].store(made, std::memory_order_release);
    return made;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void trace_recorder::name_thread(std::size_t thread, std::string name) {
  if (thread >= most_threads) return;
  const std::lock_guard hold(mutex_);
  if (thread_names_.size() <= thread) thread_names_.resize(thread + 1);
  thread_names_[thread] = std::move(name);
}

void trace_recorder::name_threads(std::string kind) {
  const std::lock_guard hold(mutex_);
  kind_of_thread_ = std::move(kind);
}

void trace_recorder::note_scope(std::string what) {
  const std::lock_guard hold(mutex_);
  scope_ = std::move(what);
}

void trace_recorder::mark(std::size_t stage, std::int64_t at_ns, std::string_view text) {
  const std::lock_guard hold(mutex_);
  if (at_ns < from_.load(std::memory_order_relaxed)) return;
  if (marks_.size() >= events_per_thread_.load(std::memory_order_relaxed)) {
    lost_.fetch_add(1, std::memory_order_relaxed);
  } else {
    marks_.push_back({stage, at_ns, std::string(text)});
  }
}

std::uint64_t trace_recorder::recorded() const {
  const std::lock_guard hold(mutex_);
  std::uint64_t n = marks_.size();
  for (const auto* each : lanes_now()) n += each->size();
  return n;
}

std::uint64_t trace_recorder::dropped() const {
  const std::lock_guard hold(mutex_);
  return all_dropped();
}

// Under the lock, as the next two.
std::uint64_t trace_recorder::all_dropped() const {
  std::uint64_t n = lost_.load(std::memory_order_relaxed) + dropped_elsewhere_;
  for (const auto* each : lanes_now()) n += each->dropped();
  return n;
}

std::int64_t trace_recorder::origin() const {
  if (origin_) return *origin_;
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const auto* each : lanes_now()) {
    // Events are in order of their ends; a nested one may have started later than the next.
    for (std::size_t i = 0, n = each->size(); i != n; ++i) first = std::min(first, (*each)[i].start);
  }
  for (const mark_event& m : marks_) first = std::min(first, m.at);
  return first;
}

template <class Sink>
void trace_recorder::generate_events(json_writer& json, std::string& text, const part& shown,
                                     Sink&& sink) const {
  constexpr std::size_t enough = std::size_t{1} << 16;
  const auto from = origin();
  struct section {
    const lane* of;
    std::size_t begin, end;
  };
  std::vector<section> sections;
  for (const auto* each : lanes_now()) {
    const auto size = each->size();
    const auto begin = std::max(each->first_after(shown.after_ns, size), size - std::min(size, shown.most));
    sections.push_back({each, begin, size});
  }

  // What has begun between the look for the first event and now counts from that one, too.
  const auto microseconds = [](std::int64_t ns) { return static_cast<double>(ns) / 1e3; };
  const auto since = [&](std::int64_t at) { return microseconds(std::max(at, from) - from); };
  const auto name_of = [&](std::size_t stage) {
    return stage < stages_.size() ? stages_[stage] : std::string("stage ").append(std::to_string(stage));
  };
  constexpr std::uint32_t most_names = 4;
  const auto names_of = [&](const event& e) {
    std::string names = name_of(e.stage);
    const auto shown = std::min(e.stages, most_names);
    for (std::uint32_t i = 1; i < shown; ++i) names.append(" + ").append(name_of(e.stage + i));
    if (e.stages > shown) names.append(" + ").append(std::to_string(e.stages - shown)).append(" more");
    return names;
  };
  const auto begin_event = [&](const char* phase, std::string_view name, std::size_t thread) {
    json.begin_object().member("ph", phase).member("name", name);
    json.member("pid", process_ + 1).member("tid", thread + 1);
  };
  // All but its end.
  const auto begin_run = [&](const event& e, std::size_t thread) {
    begin_event("X", names_of(e), thread);
    const auto before = std::max<std::int64_t>(0, from - e.start);
    json.member("cat", "stage").member("ts", since(e.start));
    json.member("dur", microseconds(std::max<std::int64_t>(0, e.duration - before)));
    json.key("args").begin_object().member("stage", e.stage);
    if (e.stages > 1) json.member("stages", e.stages);
    if (before > 0) json.member("began_before_us", microseconds(before));
  };
  const auto metadata = [&](const char* what, std::size_t thread, const auto& write_value) {
    begin_event("M", what, thread);
    json.key("args").begin_object();
    write_value();
    json.end_object().end_object();
  };

  metadata("process_name", 0, [&] { json.member("name", process_name_); });
  metadata("process_sort_index", 0, [&] { json.member("sort_index", process_); });
  for (const auto& [each, begin, end] : sections) {
    const std::size_t thread = each->thread();
    const bool named = thread < thread_names_.size() && !thread_names_[thread].empty();
    metadata("thread_name", thread, [&] {
      json.member("name", named ? thread_names_[thread] : kind_of_thread_ + std::to_string(thread));
    });
    metadata("thread_sort_index", thread, [&] { json.member("sort_index", thread); });
  }
  for (const auto& [each, begin, end] : sections) {
    for (std::size_t i = begin; i != end; ++i) {
      const event& e = (*each)[i];
      if (e.stages > 0) {
        begin_run(e, each->thread());
        json.member("items", e.items).member("sequence", e.sequence).end_object().end_object();
      } else {
        begin_event("C", std::string("waiting for ").append(name_of(e.stage)), each->thread());
        json.member("ts", since(e.start)).key("args").begin_object();
        json.member("items", e.items).end_object().end_object();
      }
      if (text.size() >= enough) sink(text);
    }
    if (shown.now_ns == 0) continue;
    each->each_running([&, lane = each](const running& one) {
      const event e{one.start, std::max<std::int64_t>(0, shown.now_ns - one.start), 0, 0, one.stage,
                    one.stages};
      begin_run(e, lane->thread());
      json.member("running", true).end_object().end_object();
    });
  }
  for (const mark_event& m : marks_) {
    if (m.at <= shown.after_ns) continue;
    begin_event("i", m.text, 0);
    json.member("s", "p").member("cat", "mark").member("ts", since(m.at)).key("args").begin_object();
    json.member("stage", name_of(m.stage)).end_object().end_object();
    if (text.size() >= enough) sink(text);
  }
}

// Gives `sink` the text so far whenever there is enough of it to be worth a write, and once at the end; the
// sink empties it.
template <class Sink> void trace_recorder::generate(const part& shown, Sink&& sink) const {
  const std::lock_guard hold(mutex_);  // recording goes on: it needs the lock only for new threads and marks
  std::string text;
  json_writer json(text);
  json.begin_object().member("displayTimeUnit", "ns").key("otherData").begin_object();
  json.member("dropped_events", all_dropped());
  if (!scope_.empty()) json.member("scope", scope_);
  json.end_object();
  json.key("traceEvents").begin_array();
  generate_events(json, text, shown, sink);
  for (const auto& more : events_elsewhere_) {
    json.raw(more);
    sink(text);
  }
  json.end_array().end_object();
  text += '\n';
  sink(text);
}

void trace_recorder::as_process(int number, std::string name, std::int64_t origin_ns) {
  const std::lock_guard hold(mutex_);
  process_ = number;
  process_name_ = std::move(name);
  origin_ = origin_ns;
}

std::string trace_recorder::events() const {
  const std::lock_guard hold(mutex_);
  std::string text;
  json_writer json(text);
  generate_events(json, text, {}, [](const std::string&) {});
  return text;
}

void trace_recorder::add_events(std::string events, std::uint64_t dropped) {
  const std::lock_guard hold(mutex_);
  if (!events.empty()) events_elsewhere_.push_back(std::move(events));
  dropped_elsewhere_ += dropped;
}

std::string trace_recorder::to_json(const part& shown) const {
  std::string all;
  generate(shown, [&](std::string& text) {
    all += text;
    text.clear();
  });
  return all;
}

void trace_recorder::write(const std::string& path) const {
  const auto fail = [&] {
    throw std::system_error(errno, std::generic_category(), "cannot write the trace to '" + path + "'");
  };
  struct closer {
    void operator()(std::FILE* f) const noexcept { std::fclose(f); }
  };
  std::unique_ptr<std::FILE, closer> out(std::fopen(path.c_str(), "wb"));
  if (!out) fail();
  generate({}, [&](std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), out.get()) != text.size()) fail();
    text.clear();
  });
  if (std::fclose(out.release()) != 0) fail();
}

}  // namespace THALWEG_NAMESPACE::observe
