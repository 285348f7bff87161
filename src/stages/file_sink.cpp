#include <thalweg/observe/logger.hpp>
#include <thalweg/stages/file_sink.hpp>

#include <string>

namespace THALWEG_NAMESPACE::stages {

namespace {

const observe::logger& log() {
  static const observe::logger lines(write_file::pattern);
  return lines;
}

}  // namespace

void write_file::check(model::stage_info& info) const {
  if (path.empty()) info.problems.emplace_back("its path is empty");
  const auto not_negative = [&](std::int64_t n, const char* what) {
    if (n < 0) info.problems.push_back(std::string(what) + " is negative");
  };
  const auto& r = how.rotate;
  not_negative(how.flush_every.count(), ".flush_every");
  not_negative(r.bytes, ".rotate.bytes");
  not_negative(r.every.count(), ".rotate.every");
  not_negative(r.keep, ".rotate.keep");
  if ((r.keep > 0 || r.named_by_time) && r.bytes == 0 && r.every.count() == 0)
    info.problems.emplace_back(
        ".rotate does not say when to put the file aside: give .rotate.bytes or .rotate.every");
  if (how.compressed.way() && grows())
    info.problems.emplace_back("a file that grows (.append, .flush_every, .rotate) cannot be .compressed");
  if (auto problem = how.compressed.problem(); !problem.empty())
    info.problems.push_back("its .compressed: " + std::move(problem));
}

void write_file::write_and_tell(std::string_view bytes, std::string_view end) {
  try {
    live->write(bytes, end);
    tell_of_success();
  } catch (const std::filesystem::filesystem_error& why) {
    tell(why);
    throw;
  }
}

// The items that come are there when the disk has room again; only those are given up that find no place
// until then.
void write_file::on_time(std::int64_t now) {
  try {
    live->on_time(now);
    tell_of_success();
  } catch (const std::filesystem::filesystem_error& why) {
    tell(why);
    throw;
  }
}

void write_file::tell_of_success() {
  if (!told || live->failing()) return;
  log().warning("'" + path.string() + "' can be written again");
  told = false;
}

void write_file::tell(const std::filesystem::filesystem_error& why) {
  if (!told) log().error(why.what());
  told = true;
}

}  // namespace THALWEG_NAMESPACE::stages
