/// `live::server`: shows a stream in the browser while it runs.
#pragma once

#include <thalweg/live/options.hpp>
#include <thalweg/net/address.hpp>
#include <thalweg/run/run.hpp>

#include <memory>
#include <string>

namespace THALWEG_NAMESPACE::live {

/// A page about a run, served over HTTP/1.1 from its construction on: its graph, its numbers now and over the
/// last minutes, and what limits it; docs/observing.md says what else it serves. All its functions may be
/// called from any thread.
///
/// One thread looks at the run every `options::every`, as `execution::stats` does; further threads answer the
/// clients. None of them holds up the run, however slow a client is. It stays after the run has ended, until
/// it is destroyed: then its connections are closed and its threads end. The header comes with the component
/// `thalweg::live`.
///
/// ```cpp
/// #include <thalweg/live/server.hpp>
/// auto job = tw::source(std::views::iota(0, 1000)) | tw::sink([](int) {});
/// tw::live::server page(tw::launch(job), {.title = "numbers", .announce = false});
/// assert(page.url().starts_with("http://127.0.0.1:"));
/// assert(page.wait().items() == 1000);
/// ```
class server {
 public:
  /// Takes the run, and ends it as the destructor of `execution` does.
  ///
  /// Throws `network_error` if it cannot listen there, and `thalweg::error` for options without sense. Then
  /// the run is cancelled.
  explicit server(thalweg::execution&& run, options how = {});
  /// The same of a run that the caller keeps, and keeps where it is, for longer than the server.
  explicit server(thalweg::execution& run, options how = {});
  server(const server&) = delete;
  server& operator=(const server&) = delete;
  ~server();

  /// The run that it shows.
  [[nodiscard]] thalweg::execution& execution() const noexcept;
  /// Waits for the end of the run: what `execution::wait` returns and throws. From then on the page shows the
  /// run as it has ended.
  report wait() const;

  /// Where the page is, such as `http://127.0.0.1:40213/`.
  [[nodiscard]] std::string url() const;
  /// The port on which it listens.
  [[nodiscard]] int port() const noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace THALWEG_NAMESPACE::live
