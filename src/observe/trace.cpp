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

// The events of one thread: written by it alone, readable up to the size that it has published.
class trace_recorder::lane {
 public:
  lane(std::size_t thread, std::size_t most)
      : thread_(thread), most_(most), blocks_((most + block - 1) / block) {}

  void append(const event& e) noexcept {
    const std::size_t n = size_.load(std::memory_order_relaxed);
    if (n == most_) {
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

  std::size_t thread() const noexcept { return thread_; }
  std::size_t size() const noexcept { return size_.load(std::memory_order_acquire); }
  const event& operator[](std::size_t i) const noexcept { return blocks_[i / block][i % block]; }
  std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t block = 4096;

  std::size_t thread_;
  std::size_t most_;
  std::vector<std::unique_ptr<event[]>> blocks_;
  std::atomic<std::size_t> size_{0};
  std::atomic<std::uint64_t> dropped_{0};
};

trace_recorder::trace_recorder(std::vector<std::string> stages, std::size_t events_per_thread)
    : stages_(std::move(stages)), events_per_thread_(events_per_thread) {}

trace_recorder::~trace_recorder() = default;

void trace_recorder::append(std::size_t thread, const event& e) noexcept {
  lane* to = thread < most_threads ? lanes_[thread].load(std::memory_order_acquire) : nullptr;
  if (to == nullptr) to = open_lane(thread);
  if (to == nullptr) {
    lost_.fetch_add(1, std::memory_order_relaxed);
  } else {
    to->append(e);
  }
}

// Once per thread. A trace never stops a run: without memory for it, the events count as dropped.
trace_recorder::lane* trace_recorder::open_lane(std::size_t thread) noexcept {
  if (thread >= most_threads) return nullptr;
  const std::lock_guard hold(mutex_);
  try {
    lane* made = owned_.emplace_back(std::make_unique<lane>(thread, events_per_thread_)).get();
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

void trace_recorder::mark(std::size_t stage, std::int64_t at_ns, std::string_view text) {
  const std::lock_guard hold(mutex_);
  if (marks_.size() == events_per_thread_) {
    lost_.fetch_add(1, std::memory_order_relaxed);
  } else {
    marks_.push_back({stage, at_ns, std::string(text)});
  }
}

std::uint64_t trace_recorder::recorded() const {
  const std::lock_guard hold(mutex_);
  std::uint64_t n = marks_.size();
  for (const auto& each : owned_) n += each->size();
  return n;
}

std::uint64_t trace_recorder::dropped() const {
  const std::lock_guard hold(mutex_);
  return all_dropped();
}

// Under the lock, as the next two.
std::uint64_t trace_recorder::all_dropped() const {
  std::uint64_t n = lost_.load(std::memory_order_relaxed) + dropped_elsewhere_;
  for (const auto& each : owned_) n += each->dropped();
  return n;
}

std::int64_t trace_recorder::origin() const {
  if (origin_) return *origin_;
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const auto& each : owned_) {
    // Events are in order of their ends; a nested one may have started later than the next.
    for (std::size_t i = 0, n = each->size(); i != n; ++i) first = std::min(first, (*each)[i].start);
  }
  for (const mark_event& m : marks_) first = std::min(first, m.at);
  return first;
}

template <class Sink>
void trace_recorder::generate_events(json_writer& json, std::string& text, Sink&& sink) const {
  constexpr std::size_t enough = std::size_t{1} << 16;
  const auto from = origin();
  std::vector<std::pair<const lane*, std::size_t>> lanes;
  lanes.reserve(owned_.size());
  for (const auto& each : owned_) lanes.emplace_back(each.get(), each->size());
  std::ranges::sort(lanes, {}, [](const auto& l) { return l.first->thread(); });

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
  const auto metadata = [&](const char* what, std::size_t thread, const auto& write_value) {
    begin_event("M", what, thread);
    json.key("args").begin_object();
    write_value();
    json.end_object().end_object();
  };

  metadata("process_name", 0, [&] { json.member("name", process_name_); });
  metadata("process_sort_index", 0, [&] { json.member("sort_index", process_); });
  for (const auto& [each, size] : lanes) {
    const std::size_t thread = each->thread();
    const bool named = thread < thread_names_.size() && !thread_names_[thread].empty();
    metadata("thread_name", thread, [&] {
      json.member("name",
                  named ? thread_names_[thread] : std::string("thread ").append(std::to_string(thread)));
    });
    metadata("thread_sort_index", thread, [&] { json.member("sort_index", thread); });
  }
  for (const auto& [each, size] : lanes) {
    for (std::size_t i = 0; i != size; ++i) {
      const event& e = (*each)[i];
      if (e.stages > 0) {
        begin_event("X", names_of(e), each->thread());
        json.member("cat", "stage").member("ts", since(e.start));
        json.member("dur", microseconds(e.duration)).key("args").begin_object();
        json.member("items", e.items).member("sequence", e.sequence).end_object().end_object();
      } else {
        begin_event("C", std::string("waiting for ").append(name_of(e.stage)), each->thread());
        json.member("ts", since(e.start)).key("args").begin_object();
        json.member("items", e.items).end_object().end_object();
      }
      if (text.size() >= enough) sink(text);
    }
  }
  for (const mark_event& m : marks_) {
    begin_event("i", m.text, 0);
    json.member("s", "p").member("cat", "mark").member("ts", since(m.at)).key("args").begin_object();
    json.member("stage", name_of(m.stage)).end_object().end_object();
    if (text.size() >= enough) sink(text);
  }
}

// Gives `sink` the text so far whenever there is enough of it to be worth a write, and once at the end; the
// sink empties it.
template <class Sink> void trace_recorder::generate(Sink&& sink) const {
  const std::lock_guard hold(mutex_);  // recording goes on: it needs the lock only for new threads and marks
  std::string text;
  json_writer json(text);
  json.begin_object().member("displayTimeUnit", "ns").key("otherData").begin_object();
  json.member("dropped_events", all_dropped()).end_object();
  json.key("traceEvents").begin_array();
  generate_events(json, text, sink);
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
  generate_events(json, text, [](const std::string&) {});
  return text;
}

void trace_recorder::add_events(std::string events, std::uint64_t dropped) {
  const std::lock_guard hold(mutex_);
  if (!events.empty()) events_elsewhere_.push_back(std::move(events));
  dropped_elsewhere_ += dropped;
}

std::string trace_recorder::to_json() const {
  std::string all;
  generate([&](std::string& text) {
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
  generate([&](std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), out.get()) != text.size()) fail();
    text.clear();
  });
  if (std::fclose(out.release()) != 0) fail();
}

}  // namespace THALWEG_NAMESPACE::observe
