// A rank that sends what it cannot have meant: wrong_test.py looks at what is said of it.
#include <thalweg/run/mpi.hpp>
#include <thalweg/thalweg.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <ranges>
#include <string>
#include <vector>

#include <mpi.h>

#include "../../src/run/distributed/mpi/collective.hpp"
#include "../../src/run/distributed/mpi/constants.hpp"
#include "../../src/run/distributed/mpi/message.hpp"

namespace tw = thalweg;
using tw::run_detail::distributed::header;
using bytes = std::vector<std::byte>;

namespace {

std::string how;  // it goes wrong; empty: it does not

// The bytes to be sent, as they are to be in place of `given`.
bytes changed(bytes given, int tag) {
  constexpr int messages = 1, figures = 3;  // their tags
  if (tag == tw::run_detail::distributed::heartbeat_tag && how == "heartbeat") return {std::byte{7}};
  if (tag == figures && how == "figures") given.assign(given.size(), std::byte{0xFF});
  if (tag != messages || given.size() < sizeof(header)) return given;
  header head;
  std::memcpy(&head, given.data(), sizeof head);
  if (how == "channel") head.channel_id = 1'000;
  std::memcpy(given.data(), &head, sizeof head);
  if (how == "too_long" && head.what == header::kind::credit) given.emplace_back();
  if (how == "cut_off") given.resize(10);
  if (how == "answer" && head.what == header::kind::items &&
      given.size() > sizeof(head) + sizeof(std::int64_t)) {
    const std::int64_t run = 1'000;  // an answer begins with the number of the run that it is about
    std::memcpy(given.data() + sizeof head, &run, sizeof run);
  }
  return given;
}

// The farm of one rank, or of both, so that one divides the items up.
auto job(bool divided) {
  const auto same = [](const long& x) { return x; };
  tw::options work{.name = "work"};
  if (divided) work.schedule = tw::round_robin;
  return tw::source(std::views::iota(0L, 100L)) | tw::farm(same, work) | tw::sink([](long) {});
}

}  // namespace

// In place of MPI's own, which is PMPI_Isend then.
extern "C" int MPI_Isend(const void* from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  if (how.empty() || type != MPI_BYTE) return PMPI_Isend(from, n, type, to, tag, comm, request);
  static std::deque<bytes> sent;  // MPI may still look at them
  const auto* const begin = static_cast<const std::byte*>(from);
  const auto& now = sent.emplace_back(changed({begin, begin + n}, tag));
  return PMPI_Isend(now.data(), static_cast<int>(now.size()), type, to, tag, comm, request);
}

int main(int argc, char** argv) {
  const bool divided = argc > 1 && argv[1] == std::string("answer");
  const tw::mpi policy{argc,
                       argv,
                       {.place = {{"work", divided ? std::vector{0, 1} : std::vector{1}}},
                        .comm = tw::two_sided,
                        .share_memory = false}};
  if (argc > 1 && policy.rank() == 1) how = argv[1];
  if (how == "words") tw::run_detail::distributed::end_program("a name with \x1b[2J in it", MPI_COMM_WORLD);
  tw::run(job(divided), policy);
  if (policy.rank() == 0) std::puts("done");
}
