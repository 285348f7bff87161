#include "sample_file.hpp"

#include <thalweg/observe/json.hpp>
#include <thalweg/observe/resources.hpp>

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../observe/run_json.hpp"
#include "write_all.hpp"

namespace THALWEG_NAMESPACE::run_detail {

namespace {

// Counts since the begin; times, rates and levels of the window.
void write(observe::json_writer& json, const stage_report& now, const stage_report& window) {
  json.begin_object().member("name", now.name()).member("replicas", now.replicas());
  json.member("items_in", now.items_in()).member("items_out", now.items_out());
  json.member("busy_ns", now.busy().count());
  if (window.timed()) {
    json.member("service_ns_per_item", window.service_time().count());
    json.member("parallelism", window.parallelism());
  }
  json.member("waited_for_input_ns", now.waited_for_input().count());
  json.member("waited_for_output_ns", now.waited_for_output().count());
  if (window.data().totals.occupancy.samples != 0)
    json.member("occupancy", window.occupancy().mean).member("capacity", window.occupancy().capacity);
  if (window.data().totals.reorder.samples != 0) json.member("reorder", window.reorder().mean);
  observe::write_shares(json, now);
  json.member("errors", now.errors()).member("retries", now.retries()).member("skipped", now.skipped());
  json.member("dead_lettered", now.dead_lettered()).member("dropped", now.dropped());
  observe::write_batch(json, now);
  if (window.data().latency) observe::write_latency(json, window.latency());
  json.end_object();
}

// And no terminal, pipe or device, to which several may write.
bool is_file(int file) {
  struct stat its {};
  return ::fstat(file, &its) == 0 && S_ISREG(its.st_mode);
}

}  // namespace

std::string sample_line(const report& now, const report& window, const std::string& graph) {
  std::string text;
  observe::json_writer json(text);
  json.begin_object().member("time_ns", now.elapsed().count()).member("final", now.final());
  json.member("items", now.items()).member("dropped", now.dropped());
  json.member("throughput", window.throughput());
  json.member("paused_ns", now.paused().count()).member("cpu_ns", now.cpu_time().count());
  json.member("cores_used", window.cores_used());
  json.member("resident_bytes", observe::process_resources().resident_bytes);
  observe::write_latency(json, window.latency());
  json.key("stages").begin_array();
  for (std::size_t i = 0; i < now.stages().size(); ++i) write(json, now.stages()[i], window.stages()[i]);
  json.end_array();
  observe::write_bottleneck(json, window.bottleneck());
  observe::write_ranks(json, now);
  observe::write_happenings(json, now, window);
  if (!graph.empty()) json.key("graph").raw(graph);
  json.end_object();
  return text += '\n';
}

sample_file::sample_file(std::string path)
    : path_(std::move(path)), file_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666)) {
  const auto what = "cannot write the samples to '" + path_ + "'";
  if (file_ < 0) throw std::system_error(errno, std::generic_category(), what);
  if (!is_file(file_)) return;
  // Not every file system has locks.
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(file_);
    throw std::system_error(std::make_error_code(std::errc::device_or_resource_busy),
                            what + ", to which another run writes");
  }
  (void)!::ftruncate(file_, 0);
}

sample_file::~sample_file() {
  if (file_ >= 0) ::close(file_);
}

std::string sample_file::add(const std::string& line) {
  if (file_ < 0) return {};
  if (const int why = write_all(file_, line); why != 0) {
    (void)!::ftruncate(file_, whole_);  // no half of a line, where it is a file
    ::close(std::exchange(file_, -1));
    return "cannot write more samples to '" + path_ + "': " + std::generic_category().message(why);
  }
  whole_ += static_cast<std::int64_t>(line.size());
  return {};
}

}  // namespace THALWEG_NAMESPACE::run_detail
