// Which processors there are and binding threads to them: through hwloc where the library was built with it,
// through the system's own call otherwise. hwloc's picture of the machine takes milliseconds to load, so it
// is loaded only when a program pins something.
#include <thalweg/pipe/pause.hpp>
#include <thalweg/run/engine.hpp>

#include <atomic>
#include <cerrno>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sched.h>

#ifdef THALWEG_HAS_HWLOC
#include <hwloc.h>
#endif

namespace THALWEG_NAMESPACE::run_detail {

namespace {

cpu_set_t allowed_processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  return allowed;
}

bool is_in(const cpu_set_t& set, int processor) {
  return processor >= 0 && processor < CPU_SETSIZE && CPU_ISSET(static_cast<std::size_t>(processor), &set);
}

#ifdef THALWEG_HAS_HWLOC

class machine {
 public:
  static const machine& get() {
    static const machine m;
    return m;
  }

  // Returns 0, or the error number.
  [[nodiscard]] int bind(const std::vector<int>& processors) const {
    if (!loaded_) return ENOSYS;
    const std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)> set(hwloc_bitmap_alloc(),
                                                                            &hwloc_bitmap_free);
    for (const int p : processors) hwloc_bitmap_set(set.get(), static_cast<unsigned>(p));
    return hwloc_set_cpubind(topology_, set.get(), HWLOC_CPUBIND_THREAD) == 0 ? 0 : errno;
  }

  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;
  ~machine() {
    if (topology_ != nullptr) hwloc_topology_destroy(topology_);
  }

 private:
  machine() { loaded_ = hwloc_topology_init(&topology_) == 0 && hwloc_topology_load(topology_) == 0; }

  hwloc_topology_t topology_ = nullptr;
  bool loaded_ = false;
};

#endif

int bind_by_system(const std::vector<int>& processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int p : processors) CPU_SET(static_cast<std::size_t>(p), &set);
  return sched_setaffinity(0, sizeof set, &set) == 0 ? 0 : errno;
}

}  // namespace

int cores() {
  const auto allowed = allowed_processors();
  const int n = CPU_COUNT(&allowed);
  return n < 1 ? 1 : n;
}

std::vector<std::string> unusable_processors(const std::string& who, const std::vector<int>& processors) {
  const auto allowed = allowed_processors();
  std::vector<std::string> problems;
  for (const int p : processors) {
    if (!is_in(allowed, p)) {
      problems.push_back(who + ": .pin names processor " + std::to_string(p) +
                         ", which this process cannot use");
    }
  }
  return problems;
}

void bind_to(const std::vector<int>& processors) {
  if (processors.empty()) return;
  int failed = ENOSYS;
#ifdef THALWEG_HAS_HWLOC
  failed = machine::get().bind(processors);
#endif
  if (failed != 0) failed = bind_by_system(processors);
  if (failed != 0)
    throw error("cannot bind a thread to its processors: " + std::generic_category().message(failed));
}

std::thread begin_elsewhere(std::function<void()> life) {
  const auto allowed = allowed_processors();
  auto others = allowed;
  if (const int here = sched_getcpu(); is_in(allowed, here)) CPU_CLR(static_cast<std::size_t>(here), &others);
  if (CPU_COUNT(&others) == 0) return std::thread(std::move(life));
  const auto placed = std::make_shared<std::atomic<bool>>(false);
  std::thread made([placed, life = std::move(life)] {
    if (!pipe::spin_until([&] { return placed->load(std::memory_order_acquire); })) placed->wait(false);
    life();
  });
  pthread_setaffinity_np(made.native_handle(), sizeof others, &others);  // moves it, if it waits for this one
  pthread_setaffinity_np(made.native_handle(), sizeof allowed,
                         &allowed);  // and from there it may go anywhere
  placed->store(true, std::memory_order_release);
  placed->notify_one();
  return made;
}

affinity_guard::affinity_guard() : before_(allowed_processors()) {}

affinity_guard::~affinity_guard() {
  sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace THALWEG_NAMESPACE::run_detail
