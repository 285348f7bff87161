#include "joining.hpp"

#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "collective.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

namespace {

// Some tell where in their sources it was. MPICH does in a line for each function, and says in the last one
// what it was.
std::string text_of(int mpi_error) {
  char text[MPI_MAX_ERROR_STRING];
  int n = 0;
  MPI_Error_string(mpi_error, text, &n);
  const std::string all(text, static_cast<std::size_t>(n));
  const auto first = all.substr(0, all.find('\n'));
  constexpr std::string_view behind_function = "): ";
  const auto last = all.rfind(behind_function);
  if (!first.ends_with("error stack:") || last == std::string::npos) return first;
  const auto cause = all.substr(last + behind_function.size());
  return cause.substr(0, cause.find('\n'));
}

// Why it is better not to try, if there is a reason. The launcher of Open MPI 4 never ends where it has been
// asked for a process that it has no slot for, although MPI_Comm_spawn returns an error.
std::string missing_slots([[maybe_unused]] const join_request& to) {
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
  constexpr const char* permit = "OMPI_MCA_rmaps_base_oversubscribe";
  const auto variable = [](const char* name) {
    const char* const text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody changes it
    return std::string_view(text == nullptr ? "" : text);
  };
  if (variable("OMPI_COMM_WORLD_SIZE").empty()) return {};  // there is no launcher
  if (const auto may = variable(permit); may == "1" || may == "true" || may == "yes") return {};
  int* slots = nullptr;
  int known = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, static_cast<void*>(&slots), &known);
  if (known != 0 && *slots < to.in_all())
    return "there are " + std::to_string(*slots) + " slots for " + std::to_string(to.in_all()) +
           " processes, and the launcher was not started with --oversubscribe";
#endif
  return {};
}

}  // namespace

joining::joining(MPI_Comm comm, join_request to, std::chrono::milliseconds patience, int workers)
    : to_(std::move(to)),
      patience_(patience),
      workers_(workers),
      processes_(static_cast<std::size_t>(to_.count)) {
  MPI_Comm_dup(comm, &side_);
  MPI_Comm_rank(side_, &rank_);
  // There may be no memory for a thread when it is needed, and then the others would wait for this rank.
  thread_ = std::thread([this] { live(); });
}

joining::~joining() {
  over_ = true;
  work_.release();
  thread_.join();
  if (side_ != MPI_COMM_NULL) MPI_Comm_free(&side_);
}

void joining::become(state s) {
  if (s != state::started) watches_.clear();
  state_.store(s, std::memory_order_release);
  wake_();
}

std::vector<process> joining::begun() const {
  const auto n = static_cast<std::ptrdiff_t>(known_.load(std::memory_order_acquire));
  return {processes_.begin(), processes_.begin() + n};
}

void joining::start() {
  state_.store(state::starting, std::memory_order_release);
  work_.release();
}

void joining::meet(std::function<bool()> hold, std::function<void()> let_go) {
  hold_ = std::move(hold);
  let_go_ = std::move(let_go);
  state_.store(state::meeting, std::memory_order_release);
  work_.release();
}

void joining::live() {
  for (;;) {
    work_.acquire();
    if (over_) return;
    now() == state::starting ? spawn() : come_together();
  }
}

void joining::spawn() {
  problem_ = missing_slots(to_);
  if (!problem_.empty()) return become(state::failed);
  // As started: what the program has taken from its arguments meanwhile belongs to it.
  auto words = own_command_line();
  std::vector<char*> arguments;
  for (std::size_t i = 1; i < words.size(); ++i) arguments.push_back(words[i].data());
  arguments.push_back(nullptr);
  MPI_Comm self = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &self);
  MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
  std::vector<int> each(static_cast<std::size_t>(to_.count));
  const int error = MPI_Comm_spawn(command_for_joiners(this_program()).c_str(), arguments.data(), to_.count,
                                   MPI_INFO_NULL, 0, self, &inter_, each.data());
  MPI_Comm_free(&self);
  if (error != MPI_SUCCESS) {
    inter_ = MPI_COMM_NULL;
    problem_ = text_of(error);
    return become(state::failed);
  }
  bytes text;
  encode(to_, text);
  for (int i = 0; i < to_.count; ++i) send_to(i, text, inter_);
  for (int i = 0; i < to_.count; ++i) {
    processes_[static_cast<std::size_t>(i)] =
        read_or_end(inter_, [&] { return read_process(to_.first + i, receive_from(i, inter_)); });
    known_.fetch_add(1, std::memory_order_release);
    watches_.push_back(
        std::make_unique<stop_watch>(to_.first + i, processes_[static_cast<std::size_t>(i)], patience_));
  }
  bool all_there = true;
  for (int i = 0; i < to_.count; ++i) {
    const auto said =
        read_or_end(inter_, [&] { return read_answer(to_.first + i, receive_number(i, inter_)); });
    all_there = all_there && said == answer::same_job;
    other_job_ = other_job_ || said == answer::other_job;
  }
  for (int i = 0; i < to_.count; ++i) send_number(i, all_there ? 1 : 0, inter_);
  if (all_there) return become(state::started);
  problem_ = other_job_ ? "they build another job, or the same job with other options"
                        : "they have ended without starting this run";
  MPI_Comm_disconnect(&inter_);
  become(state::failed);
}

void joining::come_together() {
  if (rank_ == 0) MPI_Intercomm_merge(inter_, 0, &bridge_);
  group_ = group::make(side_, bridge_, 1, false, workers_);
  const bool held = hold_();
  const bool all = group_.all_agree(held);
  if (!all) {
    if (held) let_go_();
    part();
  }
  become(all ? state::met : state::too_late);
}

void joining::part() {
  if (group_.comm != MPI_COMM_NULL) MPI_Comm_free(&group_.comm);
  if (bridge_ != MPI_COMM_NULL) MPI_Comm_free(&bridge_);
  // Both sides are apart from now on: neither waits for the other one's end.
  if (inter_ != MPI_COMM_NULL) MPI_Comm_disconnect(&inter_);
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
