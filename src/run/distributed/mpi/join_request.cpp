#include "join_request.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "collective.hpp"
#include "constants.hpp"
#include "message.hpp"

namespace THALWEG_NAMESPACE::run_detail::distributed {

namespace {

constexpr int bridge_tag = 12;

}  // namespace

// A path stays the same path with this in it.
std::string command_for_joiners(const std::string& program) {
  const std::filesystem::path path(program);
  return (path.parent_path() / "." / path.filename()).string();
}

bool is_for_joiners(const std::string& command) {
  const std::filesystem::path path(command);
  return path.is_absolute() && path.parent_path().filename() == ".";
}

std::string this_program() {
  return std::filesystem::read_symlink("/proc/self/exe").string();
}

std::vector<std::string> own_command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> all;
  for (std::size_t at = 0; at < text.size(); at += all.back().size() + 1) all.emplace_back(text.c_str() + at);
  return all;
}

void send_to(int rank, const bytes& what, MPI_Comm inter) {
  const auto n = static_cast<std::int32_t>(what.size());
  send_number(rank, n, inter);
  MPI_Request r = MPI_REQUEST_NULL;
  MPI_Isend(what.data(), n, MPI_BYTE, rank, join_request_tag, inter, &r);
  wait_for(r);
}

bytes receive_from(int rank, MPI_Comm inter) {
  const auto n = receive_number(rank, inter);
  bytes what(read_or_end(inter, [&] { return checked_length(rank, static_cast<std::uint64_t>(n)); }));
  MPI_Request r = MPI_REQUEST_NULL;
  MPI_Irecv(what.data(), static_cast<int>(what.size()), MPI_BYTE, rank, join_request_tag, inter, &r);
  wait_for(r);
  return what;
}

void send_number(int rank, std::int32_t n, MPI_Comm inter) {
  MPI_Request r = MPI_REQUEST_NULL;
  MPI_Isend(&n, 1, MPI_INT32_T, rank, join_request_tag, inter, &r);
  wait_for(r);
}

std::int32_t receive_number(int rank, MPI_Comm inter) {
  std::int32_t n = 0;
  MPI_Request r = MPI_REQUEST_NULL;
  MPI_Irecv(&n, 1, MPI_INT32_T, rank, join_request_tag, inter, &r);
  wait_for(r);
  return n;
}

group group::make(MPI_Comm side, MPI_Comm bridge, int other_leader, bool joins, int workers) {
  group c;
  MPI_Comm two_sides = MPI_COMM_NULL;
  MPI_Intercomm_create(side, 0, bridge, other_leader, bridge_tag, &two_sides);
  MPI_Intercomm_merge(two_sides, joins ? 1 : 0, &c.comm);
  MPI_Comm_free(&two_sides);
  c.env = discover_joined_environment(c.comm, workers);
  c.times = clocks::measured(c.comm, c.env.node_of);
  return c;
}

bool group::all_agree(bool mine) const {
  int one = mine ? 1 : 0;
  int all = 0;
  MPI_Request r = MPI_REQUEST_NULL;
  MPI_Iallreduce(&one, &all, 1, MPI_INT, MPI_MIN, comm, &r);
  wait_for(r);
  return all != 0;
}

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
