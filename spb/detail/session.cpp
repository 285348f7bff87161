#include "spb/detail/session.hpp"

#include <thalweg/flow/own_schedule.hpp>
#include <thalweg/model/errors.hpp>
#include <thalweg/observe/text.hpp>
#include <thalweg/run/engine.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "apps/support/cache.hpp"
#include "apps/support/error.hpp"
#include "apps/support/files.hpp"
#include "apps/support/interruption.hpp"
#include "apps/support/progress_bar.hpp"
#include "apps/support/registered_input.hpp"
#include "apps/support/stream_file.hpp"
#include "apps/support/temporary.hpp"
#include "apps/support/terminal_line.hpp"
#include "spb/api.hpp"
#include "spb/detail/account.hpp"
#include "spb/detail/crew.hpp"
#include "spb/detail/early_end.hpp"
#include "spb/detail/failure.hpp"
#include "spb/detail/feed.hpp"
#include "spb/detail/measurement.hpp"
#include "spb/detail/network.hpp"
#include "spb/detail/recorder.hpp"
#include "spb/detail/running_sources.hpp"

namespace spb {

int nthreads = 1;

namespace detail {
namespace {

namespace fs = std::filesystem;

struct run_state {
  std::string program = "spb";
  options asked;
  places where;
  application_link link;
  std::vector<std::string> operators;
  std::optional<apps::output_file> json;
  std::optional<crew> of;       // where several processes make the run
  bool agreed = false;          // these, on how the stream has ended
  std::vector<places> more;     // those of source objects behind the first one
  int sources = 0;              // that are objects
  bool source_began = false;    // one of them began the measurement
  std::string called = {};      // as what the program was
  apps::temporary for_a_while;  // a folder for what has no place, an output that nobody asked for, say
};

run_state& current() {
  static run_state one;
  return one;
}

// Another process tells what is wrong.
struct told_elsewhere {};

void give_up() {
  auto& run = current();
  if (const auto discard = std::exchange(run.link.discard, nullptr)) discard();
  run.where.network.reset();
  run.json.reset();
  run.for_a_while.remove();
}

// Of several processes all get here; if one has failed, all do. Where a sink complains of what others have
// not done, these know why: so the first process tells its error only if nobody else has one. None goes
// before all have removed what was for a while: with the first that ends, launchers kill the others.
void agree(const std::exception_ptr& own) {
  const auto& run = current();
  const auto failed = run.of->exchange(own ? "x" : "");
  auto teller = std::find(failed.begin() + 1, failed.end(), "x") - failed.begin();
  if (teller == std::ssize(failed)) {
    if (failed.front().empty()) return;
    teller = 0;
  }
  give_up();
  run.of->exchange({});
  if (teller == run.of->rank) std::rethrow_exception(own);
  throw told_elsewhere();
}

// Calls `f`. Of several processes all do so together.
template <class F> void together(F&& f) {
  if (!current().of) return std::forward<F>(f)();
  std::exception_ptr own;
  try {
    std::forward<F>(f)();
  } catch (...) {
    own = std::current_exception();
  }
  agree(own);
}

bool is_first() {
  const auto& of = current().of;
  return !of || of->first();
}

// An error that nobody catches, of an interface that cannot have its threads, say: nothing is left behind,
// and it is told as others are. Threads may still run, so none of their objects is touched.
[[noreturn]] void end_with_uncaught_error() noexcept {
  const auto error = std::current_exception();
  if (error) remark(thalweg::model::message_of(error));
  apps::remove_temporaries();
  if (!error) std::abort();
  std::_Exit(1);
}

// The stream ends as by an error, what else takes long by an exception. The same signal again ends the
// program at once.
void note_signal(int signal) {
  apps::stop_signal.store(signal, std::memory_order_relaxed);
  stream_failed.store(true, std::memory_order_relaxed);
}

// Signals that are ignored, or that the program handles, stay as they are.
void watch_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction handled {};
    if (::sigaction(signal, nullptr, &handled) != 0 || handled.sa_handler != SIG_DFL) continue;
    handled.sa_handler = note_signal;
    handled.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
    ::sigaction(signal, &handled, nullptr);
  }
}

// By the signal, so that who started the program can tell. Several processes part before: mpirun of Open MPI
// 4.1 with PMIx 4.2 may itself never end where one does not (it frees twice what it knows of that one).
void end_by_signal() {
  const auto& run = current();
  remark("interrupted");
  give_up();
  if (run.of) run.of->leave();
  const int signal = apps::stop_signal;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// A new folder, of a name that nobody else uses; the same one for all of a run.
const fs::path& folder_for_a_while() {
  auto& made = current().for_a_while;
  if (!made.path().empty()) return made.path();
  auto name = (fs::temp_directory_path() / ("thalweg-" + current().link.about->name + "-XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr)
    throw apps::error("cannot make a folder '" + name + "': " + std::generic_category().message(errno));
  made = apps::temporary(name);
  return made.path();
}

// Pipes and devices lie in no folder, and their names may lead to none: /dev/stdout to pipe:[42].
bool is_no_file(const fs::path& path) {
  return fs::is_other(fs::status(path));
}

bool lies_in(const fs::path& path, const fs::path& folder) {
  if (is_no_file(path)) return false;
  const auto all = fs::weakly_canonical(path), first = fs::canonical(folder);
  return std::mismatch(first.begin(), first.end(), all.begin(), all.end()).first == first.end();
}

// What a program writes may not replace what the input is made of; its results, nothing beside it either.
void check_written(const places& where) {
  for (const auto& written : {where.output, where.json, where.latencies}) {
    if (written.empty()) continue;
    if (fs::is_directory(where.input) && (!where.input_class.empty() || written != where.output) &&
        lies_in(written, where.input))
      throw apps::error("'" + written.string() + "' would lie in the folder of the input, '" +
                        where.input.string() + "'");
  }
  forbid_overwriting(where.input, where);
  const auto same = [](const fs::path& one, const fs::path& other) {
    if (one.empty() || other.empty() || is_no_file(one) || is_no_file(other)) return false;
    return fs::weakly_canonical(one) == fs::weakly_canonical(other);
  };
  if (same(where.json, where.output))
    throw apps::error("'" + where.json.string() + "' cannot be both the output and the file of -json");
  if (same(where.latencies, where.output) || same(where.latencies, where.json))
    throw apps::error("'" + where.latencies.string() +
                      "' cannot be both the file of -latency-file and that of -output or -json");
}

// What was found to be where it should; what is written has to be checked.
void place_output(places& found, const options& asked) {
  if (!stream_address_of(asked.output.string())) found.output = asked.output;
  found.json = asked.json;
  found.latencies = asked.latency_file;
}

// A file that another process sends: it has a place that nothing else has, and is never there.
places places_of_bytes(const options& asked, played_input played) {
  if (asked.verify)
    throw apps::error("-verify: what should come of '" + asked.input +
                      "' is not known, where bytes come from");
  places found;
  const auto& folder = folder_for_a_while();
  found.input_name = fs::path(played.input).filename().string();
  found.input = folder / found.input_name;
  read_input_from(std::move(played.bytes), found.input);
  place_output(found, asked);
  return found;
}

places find_places(const options& asked, const application_link& link) {
  places found;
  const auto& about = *link.about;
  const auto& inputs = about.inputs;
  auto name = asked.input;
  bool of_player = false;
  if (const auto from = stream_address_of(asked.input)) {
    if (asked.in_memory)
      throw std::invalid_argument(
          "-in-memory: what is played comes when it is played, not before the stream");
    auto played = await_player(*from, link);
    if (played.bytes) return places_of_bytes(asked, std::move(played));
    found.network = std::move(played.elements);
    name = std::move(played.input);
    of_player = played.of_player;
  }
  found.input_name = name;
  std::error_code ignored;
  if (std::find(inputs.begin(), inputs.end(), name) != inputs.end()) {
    found.input_class = name;
    apps::progress_bar bar(about.name + " " + name);
    found.input = apps::provide_input(about, name, [&](std::uint64_t done, std::uint64_t all) {
      apps::check_interruption();
      if (!asked.quiet) bar.show(done, all);
    });
  } else if (auto mine = of_player ? std::nullopt : apps::find_registered_input(about.name, name)) {
    if (!fs::exists(mine->file, ignored))
      throw apps::error("the input '" + mine->name + "' of " + about.name + " is '" + mine->file.string() +
                        "', which is not there");
    found.input = mine->file;
    found.registered = std::move(mine);
  } else if (!of_player && fs::exists(name, ignored)) {
    found.input = name;
  } else if (!of_player) {
    auto names = inputs;
    for (const auto& one : apps::registered_inputs(about.name)) names.push_back(one.name);
    const auto near = thalweg::observe::closest_name(name, names);
    throw apps::error("'" + name + "' is neither a file nor an input of " + about.name +
                      (near.empty() ? "" : ": did you mean '" + std::string(near) + "'?"));
  }
  const bool has_hash = found.registered && !found.registered->output_hash.empty();
  if (asked.verify && found.input_class.empty() && !has_hash)
    throw apps::error("-verify: what should come of '" + name + "' is not known, only of the classes of " +
                      about.name + " and of inputs registered with a hash (./thalweg new-input)");
  place_output(found, asked);
  check_written(found);
  return found;
}

// Where the sink writes for a source object behind the first one: with its number before the ending.
fs::path output_of(const fs::path& output, std::size_t stream) {
  return output.parent_path() /
         (output.stem().string() + '.' + std::to_string(stream + 1) + output.extension().string());
}

// Opens input and output for a source object behind the first one.
void open_stream(std::size_t stream) {
  auto& run = current();
  auto asked = run.asked;
  asked.input = asked.inputs[stream % asked.inputs.size()];
  for (const auto& one : {run.asked.input, asked.input, asked.output.string()})
    if (stream_address_of(one))
      throw std::invalid_argument(one +
                                  ": several sources have an input and an output each, which are files");
  asked.json.clear();
  asked.latency_file.clear();
  asked.output = output_of(run.where.output, stream);
  auto where = find_places(asked, run.link);
  forbid_overwriting(run.where.input, where);
  forbid_overwriting(where.input, run.where);
  for (const auto& other : run.more) {
    forbid_overwriting(other.input, where);
    forbid_overwriting(where.input, other);
  }
  run.link.open(asked, where);
  run.more.push_back(std::move(where));
}

// Every input that was named should have been read.
void require_all_read() {
  const auto& run = current();
  const auto most = run.more.size() + 1;
  if (run.asked.inputs.size() > most)
    throw std::invalid_argument("-input was given " + std::to_string(run.asked.inputs.size()) +
                                " times, but the program has " + std::to_string(most) +
                                (most == 1 ? " source" : " sources"));
}

std::optional<apps::verdict> verdict_on(const places& where) {
  auto& run = current();
  if (!run.asked.verify) return std::nullopt;
  return where.registered ? apps::verify_registered(*where.registered, where.output)
                          : run.link.about->verify(where.input_class, where.input, where.output);
}

// Of all outputs: what is wrong with the first that is wrong, if any is.
std::optional<apps::verdict> verdict_on_all() {
  const auto& run = current();
  auto all = verdict_on(run.where);
  for (std::size_t i = 0; all && all->good && i < run.more.size(); ++i) {
    auto one = *verdict_on(run.more[i]);
    all->says += "; source " + std::to_string(i + 2) + ": " + one.says;
    all->good = one.good;
  }
  return all;
}

// By which latencies count. A frequency of the program's own says itself when elements are due.
std::optional<thalweg::net::sender_clock> clock_of_sender() {
  const auto& from = current().where.network;
  if (!from || common_feed().paced()) return std::nullopt;
  const auto clock = from->clock();
  return clock.by == thalweg::net::sender_clock::relation::unknown ? std::nullopt : std::optional(clock);
}

void flush_results() {
  if (std::fflush(stdout) != 0)
    throw apps::error(std::string("cannot write the results to standard output: ") +
                      std::generic_category().message(errno));
}

}  // namespace

void end_with_current_error() noexcept {
  try {
    throw;
  } catch (const apps::interruption&) {
    end_by_signal();
  } catch (const told_elsewhere&) {
    give_up();
  } catch (...) {
    remark(thalweg::model::message_of(std::current_exception()));
    give_up();
  }
  std::exit(1);  // NOLINT(concurrency-mt-unsafe): the stream is at its end
}

void throw_failure() {
  apps::check_interruption();
  if (const auto error = kept_failure()) std::rethrow_exception(error);
  check_early_end();
}

void remark(const std::string& says) {
  apps::wipe_line();
  std::fprintf(stderr, "%s: %s\n", current().program.c_str(), says.c_str());
}

void forbid_overwriting(const fs::path& input, const places& where) {
  std::error_code ignored;
  for (const auto* written : {&where.output, &where.json, &where.latencies})
    if (fs::equivalent(input, *written, ignored))
      throw apps::error("'" + written->string() + "' is the input: it cannot be the output, too");
}

void forbid_overwriting(const std::vector<fs::path>& inputs, const places& where) {
  for (const auto& input : inputs) forbid_overwriting(input, where);
}

void join(const crew& of) {
  current().of = of;
}

namespace {

// What the others have no part in: they have operators only, and one of them may have the source.
void leave_to_the_first(options& asked) {
  asked.output.clear();
  asked.json.clear();
  asked.latency_file.clear();
  asked.monitor_ms = 0;
  asked.verify = false;
  asked.in_memory = asked.in_memory && current().of->has_source;
  asked.quiet = true;
}

void require_fit_for_several(const options& asked) {
  if (current().of->one_thread && asked.nthreads != 1)
    throw std::invalid_argument("-nthreads " + std::to_string(asked.nthreads) +
                                ": each rank of this program has one thread; mpirun -n asks for more ranks");
  if (!asked.feed.empty()) throw std::invalid_argument("-feed: one process plays an input, not several");
  if (stream_address_of(asked.input))
    throw std::invalid_argument("-input " + asked.input +
                                ": what is played comes to one process, and this program is several");
}

void show_help() {
  const auto& run = current();
  if (is_first()) std::fputs(help_text(run.program, run.link.about->output).c_str(), stdout);
  std::exit(0);  // NOLINT(concurrency-mt-unsafe): nothing has begun
}

// A program of Thalweg also samples its stages, into the file that the environment names. Others have none.
void monitor_stages(const options& asked) {
  const char* file = std::getenv("THALWEG_MONITOR");  // NOLINT(concurrency-mt-unsafe): nothing has begun
  if (asked.monitor_ms > 0 && file != nullptr && *file != '\0')
    thalweg::run_detail::monitor_next_run(file, std::chrono::milliseconds(asked.monitor_ms));
}

// Programs with SPar's annotations read from the environment how many replicas stages have that name no
// number, and which policy they run under.
void tell_annotated_programs() {
  const auto workers = std::to_string(nthreads);
  ::setenv("SPAR_NUM_WORKERS", workers.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): nothing has begun
  ::setenv("THALWEG_SPAR_POLICY", ("pool:" + workers).c_str(), 0);  // NOLINT(concurrency-mt-unsafe): the same
}

void open(int argc, char** argv) {
  auto& run = current();
  run.asked = parse(argc, argv);
  if (run.asked.help) show_help();
  const auto& about = *run.link.about;
  if (run.asked.input.empty())
    throw std::invalid_argument("which input? -input with a file or one of " + about.inputs.front() +
                                ", ..., " + about.inputs.back());
  if (run.of) require_fit_for_several(run.asked);
  if (!is_first()) leave_to_the_first(run.asked);
  nthreads = run.asked.nthreads;
  tell_annotated_programs();
  auto& feed = common_feed();
  feed.set_batch_size(run.asked.batch_size);
  feed.set_batch_bytes(run.asked.batch_bytes);
  feed.set_batch_interval(run.asked.batch_interval);
  feed.set_late(run.asked.late);
  if (run.asked.frequency) feed.set_frequency(*run.asked.frequency);
  thalweg::flow::know_due_rate([] { return common_feed().items_due(); });
  run.where = find_places(run.asked, run.link);
  if (!run.asked.feed.empty()) {
    play_input(run.asked, run.where, run.link);
    flush_results();
    std::exit(0);  // NOLINT(concurrency-mt-unsafe): no stream has begun
  }
  if (run.where.output.empty()) run.where.output = folder_for_a_while() / "output";
  if (const auto to = stream_address_of(run.asked.output.string()))
    send_output_on(*to, run.where.output, about.name, run.asked.verify);
  // Before the stream, which would be for nothing if this failed behind it.
  if (!run.where.json.empty()) run.json.emplace(run.where.json);
  run.operators = run.link.open(run.asked, run.where);
  if (apps::is_stream_left())
    throw apps::error("-output: what " + about.name + " writes is no file, which could be sent on");
  monitor_stages(run.asked);
}

// The end of the stream: what was measured, or why it has failed.
void end_stream() {
  auto& run = current();
  running_sources::end_all();
  measurement::end();
  if (!run.of) return throw_failure();
  if (std::exchange(run.agreed, true)) return;
  together(throw_failure);
  measurement::add(run.of->exchange(measurement::told()));
}

}  // namespace

void begin(int argc, char** argv, application_link link) {
  auto& run = current();
  if (argc > 0) {
    run.called = argv[0];
    run.program = fs::path(argv[0]).filename().string();
  }
  or_end([&] {
    running_sources::end_all();
    if (const auto discard = std::exchange(run.link.discard, nullptr)) discard();
    run.more.clear();
    run.sources = 0;
    run.source_began = false;
    forget_failure();
    forget_early_end();
    apps::stop_signal = 0;
    watch_signals();
    std::set_terminate(end_with_uncaught_error);
    run.link = std::move(link);
    run.agreed = false;
    together([&] { open(argc, argv); });
  });
}

std::string begin_source(feed& by) {
  auto& run = current();
  if (!run.link.about) throw apps::error("init_bench has not been called");
  if (!measurement::running()) {
    Metrics::init();
    run.source_began = true;
  }
  by.set_source(next_source());
  const auto stream = static_cast<std::size_t>(run.sources++);
  if (stream > 0) open_stream(stream);
  const auto& where = stream == 0 ? run.where : run.more.back();
  return fs::path(where.input_name).stem().string();
}

}  // namespace detail

void Metrics::init() {
  const auto& run = detail::current();
  if (run.source_began) return;
  Metric::clear_all();
  detail::or_end([&] {
    if (run.of) run.of->exchange({});  // so that the time of none is measured while others still begin
    const bool watched = !run.asked.quiet && ::isatty(STDERR_FILENO) == 1;
    detail::measurement::begin({run.asked.latency, run.asked.monitor_ms, run.link.counts_at_source,
                                run.operators, run.where.latencies, watched ? run.program : std::string()});
  });
}

void Metrics::stop() {
  detail::or_end(detail::end_stream);
}

void Metrics::enable_latency() {
  detail::current().asked.latency = true;
  detail::latency_wanted = true;
}
void end_bench() {
  auto& run = detail::current();
  // SPBench's programs with several sources call it, and `bzip2_main` behind them.
  if (run.link.about && !run.link.discard) return;
  detail::or_end([&] {
    detail::end_stream();
    if (!detail::is_first()) return detail::give_up();
    detail::require_all_read();
    run.link.complete();
    const auto verified = detail::verdict_on_all();
    apps::check_interruption();
    const detail::account of{run.program, run.link.about->name,     run.asked, detail::measurement::found(),
                             verified,    detail::clock_of_sender()};
    detail::show(of);
    if (run.json) detail::write_json(of, *run.json);
    if (verified && !verified->good) throw apps::error("the output is wrong: " + verified->says);
    detail::give_up();
    detail::flush_results();
  });
}

std::string SPBench::getArg(int i) {
  const auto& given = detail::current().asked.user_args;
  detail::or_end([&] {
    if (i < 0 || static_cast<std::size_t>(i) >= given.size())
      throw std::invalid_argument("the program wants -user-arg " + std::to_string(i + 1) +
                                  " times, as it asks for argument " + std::to_string(i));
  });
  return given[static_cast<std::size_t>(i)];
}
int SPBench::getArgs() {
  return static_cast<int>(detail::current().asked.user_args.size());
}
std::string SPBench::getExecPath() {
  return detail::current().called;
}

}  // namespace spb
