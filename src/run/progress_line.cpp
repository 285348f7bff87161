#include "progress_line.hpp"

#include <thalweg/observe/text.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

#include "write_all.hpp"

namespace THALWEG_NAMESPACE::run_detail {

namespace {

using observe::joined;

constexpr std::chrono::seconds between_lines{10};
constexpr std::size_t usual_columns = 80;
constexpr std::string_view clear_line = "\r\x1b[K";

// Alone on its line, and the cursor at its begin: whatever else is written there begins at the left.
std::string redrawn(const std::string& text) {
  return joined({clear_line, text, "\r"});
}

// The first `columns` characters.
std::string cut_to(const std::string& text, std::size_t columns) {
  std::size_t end = 0;
  for (std::size_t n = 0; n < columns && end < text.size(); ++n)
    end += observe::utf8_length(std::string_view(text).substr(end));
  return text.substr(0, end);
}

bool is_terminal(int file) {
  const char* const kind = std::getenv("TERM");  // NOLINT(concurrency-mt-unsafe): nobody changes it meanwhile
  return ::isatty(file) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

double part_at_work(const stage_report& s) {
  return std::min(1.0, s.parallelism() / std::max(1, s.replicas()));
}

}  // namespace

std::string progress_text(const report& now, const report& window) {
  const stage_report* busiest = nullptr;
  std::uint64_t errors = 0;
  for (const auto& s : now.stages()) errors += s.errors();
  for (const auto& s : window.stages()) {
    if (s.timed() && (busiest == nullptr || part_at_work(s) > part_at_work(*busiest))) busiest = &s;
  }
  auto text = joined({observe::count_text(now.items()), now.items() == 1 ? " item, " : " items, ",
                      observe::rate_text(window.throughput())});
  if (busiest != nullptr)
    text += joined({", busiest: ", observe::printable(busiest->name()), " ",
                    observe::percent_text(part_at_work(*busiest))});
  if (errors != 0) text += joined({", ", observe::count_text(errors), errors == 1 ? " error" : " errors"});
  if (window.paused().count() != 0) text += ", paused";
  return text + joined({", ", observe::duration_text(static_cast<double>(now.elapsed().count()))});
}

progress_line::progress_line() : progress_line(STDERR_FILENO, is_terminal(STDERR_FILENO)) {}

void progress_line::show(const report& now, const report& window) {
  if (!terminal_ && now.elapsed() - last_ < between_lines) return;
  last_ = now.elapsed();
  shown_ = true;
  const auto text = progress_text(now, window);
  write(terminal_ ? redrawn(cut_to(text, columns() - 1)) : text + "\n");
}

void progress_line::end(const report& whole) {
  if (!shown_) return;
  write(joined({terminal_ ? clear_line : std::string_view(), progress_text(whole, whole), "\n"}));
}

std::size_t progress_line::columns() const {
  winsize size{};
  return ::ioctl(file_, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : usual_columns;
}

void progress_line::write(const std::string& text) const {
  (void)write_all(file_, text);  // a terminal that is gone is no reason to end the run
}

}  // namespace THALWEG_NAMESPACE::run_detail
