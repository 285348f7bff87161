#include "http.hpp"

#include <thalweg/net/address.hpp>
#include <thalweg/observe/json.hpp>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include <httplib.h>
#include <netinet/tcp.h>

#include "access.hpp"
#include "assets.hpp"
#include "connections.hpp"
#include "control.hpp"
#include "metrics.hpp"
#include "newcomers.hpp"
#include "quiet_thread.hpp"
#include "remote_control.hpp"
#include "tap.hpp"
#include "worker_threads.hpp"

namespace THALWEG_NAMESPACE::live {

namespace {

using namespace std::chrono_literals;
using httplib::Request;
using httplib::Response;

constexpr std::string_view record_path = "/api/record", controller_path = "/api/controller";
constexpr std::size_t longest_body = 64U << 10U;
constexpr auto between_signs_of_life = 1s;
constexpr auto between_looks_at_peers = 1s;
constexpr auto between_looks_at_the_run = 250ms;  // whether the run is over
constexpr auto to_ask = 5s, to_ask_in_a_crowd = 1s;
constexpr auto to_take = 5s;  // for a client that reads nothing
// For the machine of a client to confirm what has been sent: one that is gone, without a word, does not.
constexpr unsigned to_confirm_ms = 10'000;
constexpr auto to_hear_the_end = 500ms;
// Besides those that listen: who asks for something else, and who is turned away.
constexpr std::size_t other_threads = 8;
constexpr int most_taps = 4;  // each keeps one of those threads for a while
constexpr int most_at_the_door = 128;

// The interface has another result in later versions. `look` is called when somebody has come, and now and
// then while nobody comes.
class task_queue final : public httplib::TaskQueue {
 public:
  task_queue(std::size_t most, std::function<void(bool has_come)> look)
      : threads_(most), look_(std::move(look)) {}
  using taken = decltype(std::declval<httplib::TaskQueue&>().enqueue({}));
  taken enqueue(std::function<void()> f) override {
    look_(true);
    threads_.give(std::move(f));
    return taken(true);
  }
  void on_idle() override { look_(false); }
  void shutdown() override { threads_.finish(); }

 private:
  worker_threads threads_;
  const std::function<void(bool)> look_;
};

void refuse(Response& to, int status, std::string_view why) {
  std::string text;
  observe::json_writer(text).begin_object().member("error", why).end_object();
  to.status = status;
  to.set_content(text, "application/json");
}

// As it lies in the library, and never compressed: that would take the stream's processors.
void give(Response& to, std::string_view bytes, std::string_view kind) {
  to.status = 200;
  if (bytes.empty()) return to.set_content("", std::string(kind));
  to.set_content_provider(bytes.size(), std::string(kind),
                          [bytes](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
                            return sink.write(bytes.data() + offset, length);
                          });
}

void give_made(Response& to, std::shared_ptr<const std::string> text, std::string_view kind) {
  to.status = 200;
  to.set_content_provider(text->size(), std::string(kind),
                          [text](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
                            return sink.write(text->data() + offset, length);
                          });
}

void give_made(Response& to, std::string made, std::string_view kind) {
  give_made(to, std::make_shared<const std::string>(std::move(made)), kind);
}

std::string packed(const std::vector<history::event>& events) {
  std::string all;
  for (const auto& one : events)
    all.append("event: ").append(one.name).append("\ndata: ").append(*one.data).append("\n\n");
  return all.empty() ? ": \n\n" : all;
}

// Makes a server without what it does to the program: it ignores SIGPIPE everywhere.
std::unique_ptr<httplib::Server> made_server() {
  struct sigaction before {};
  ::sigaction(SIGPIPE, nullptr, &before);
  auto made = std::make_unique<httplib::Server>();
  ::sigaction(SIGPIPE, &before, nullptr);
  return made;
}

// Paths of requests with a body that are not for the run alone.
bool is_said_to_more(std::string_view path) {
  return path == record_path || path == controller_path;
}

// How long windows are; nothing: that is no such time.
std::optional<std::chrono::nanoseconds> window_length_of(const Request& asked) {
  if (!asked.has_param("every_ms")) return 100ms;
  const auto said = asked.get_param_value("every_ms");
  int ms = 0;
  const auto [end, wrong] = std::from_chars(said.data(), said.data() + said.size(), ms);
  if (wrong != std::errc() || end != said.data() + said.size()) return std::nullopt;
  return std::chrono::milliseconds(ms);
}

std::string interface_of(const options& how) {
  // Of the two numbers that the name has, the one that all machines have.
  return how.address.empty() || how.address == "localhost" ? "127.0.0.1" : how.address;
}

}  // namespace

struct http_server::state {
  state(const options& o, history& h, sampler& s, recording& t)
      : how(o),
        past(h),
        runs(s),
        traces(t),
        places(static_cast<std::size_t>(o.clients) + other_threads),
        server(made_server()) {}

  using answer = httplib::Server::HandlerResponse;
  answer before_routing(const Request& asked, Response& to);
  void look(const Request& asked, Response& to);
  void order(const Request& asked, Response& to);
  [[nodiscard]] bool may(const Request& asked, Response& to, std::string_view what);
  void tap(const Request& asked, Response& to);
  void listen_to_events(const Request& asked, Response& to);
  void listen_to_windows(const Request& asked, Response& to);
  void hear_controller(const Request& asked, Response& to);
  void give_recording(Response& to);

  const options how;
  history& past;
  sampler& runs;
  recording& traces;
  remote_control controllers{runs};
  const std::size_t places;
  newcomers at_the_door{{.patience = to_ask, .in_a_crowd = to_ask_in_a_crowd, .places = places}};
  std::unique_ptr<httplib::Server> server;
  int port = 0;
  // Shared with answers that may outlive a call.
  std::shared_ptr<std::atomic<int>> listeners = std::make_shared<std::atomic<int>>(0);
  std::atomic<int> taps{0};
  std::atomic<bool> leaves{false}, ended{false};
  std::thread thread{};
};

http_server::http_server(const options& how, history& past, sampler& runs, recording& traces)
    : state_(std::make_unique<state>(how, past, runs, traces)) {
  auto& my = *state_;
  auto& server = *my.server;
  server.new_task_queue = [&my] {
    return new task_queue(my.places, [&my](bool has_come) {
      if (has_come || my.at_the_door.any_waits())
        my.at_the_door.look(my.port, std::chrono::steady_clock::now());
    });
  };
  server.set_idle_interval(between_looks_at_peers);
  server.set_keep_alive_max_count(1);
  server.set_read_timeout(to_ask);
  server.set_write_timeout(to_take);
  server.set_keep_alive_timeout(std::chrono::seconds(to_ask).count());
  server.set_payload_max_length(longest_body);
  // Two programs at one port would each get some of its clients.
  int door = -1;
  server.set_socket_options([&door](int socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    // Those that are let in have it from there.
    ::setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &to_confirm_ms, sizeof to_confirm_ms);
    door = socket;
  });
  server.set_default_headers(
      {{"Content-Security-Policy",
        "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
       {"X-Content-Type-Options", "nosniff"},
       {"Referrer-Policy", "no-referrer"},
       {"Cache-Control", "no-store"}});
  server.set_error_handler([](const Request&, Response& to) {
    if (to.body.empty())
      refuse(to, to.status, to.status == 413 ? "the body is too long" : "this is no request");
  });
  server.set_pre_routing_handler(
      [&my](const Request& asked, Response& to) { return my.before_routing(asked, to); });
  server.Post("/api/[a-z-]+", [&my](const Request& asked, Response& to) { my.order(asked, to); });

  const auto interface = interface_of(how);
  if (how.port == 0) {
    my.port = server.bind_to_any_port(interface);
  } else if (server.bind_to_port(interface, how.port)) {
    my.port = how.port;
  }
  if (my.port <= 0)
    throw network_error("cannot listen at " +
                        net::address{interface, static_cast<std::uint16_t>(how.port)}.text() +
                        ": it is no address of this machine, or its port is taken");
  // The library lets so few wait that a page with its parts is a crowd.
  ::listen(door, most_at_the_door);
  my.thread = quiet_thread([&my] {
    my.server->listen_after_bind();
    my.ended = true;
  });
  // What the library makes when it first needs it is gone at the end of the program before all that was made
  // earlier: with this, it is made before whatever may still answer then.
  say_to(door, "GET / HTTP/1.1\r\nRange: bytes=0-\r\n\r\n");
}

http_server::~http_server() {
  auto& my = *state_;
  if (!my.thread.joinable()) return;
  my.leaves = true;
  // Those who listen, and read, hear the end.
  for (auto left = to_hear_the_end; *my.listeners > 0 && left > 0ms; left -= 1ms)
    std::this_thread::sleep_for(1ms);
  // It cannot be stopped before it has begun.
  while (!my.server->is_running() && !my.ended) std::this_thread::sleep_for(1ms);
  my.server->stop();
  // Some may have been accepted a moment ago.
  while (!my.ended) {
    cut_connections_at(my.port);
    std::this_thread::sleep_for(1ms);
  }
  my.thread.join();
}

int http_server::port() const noexcept {
  return state_->port;
}

std::string http_server::url() const {
  const auto& named = state_->how.address;
  const bool anywhere = named.empty() || named == "0.0.0.0" || named == "::";
  return "http://" +
         net::address{anywhere ? "localhost" : named, static_cast<std::uint16_t>(state_->port)}.text() + "/";
}

http_server::state::answer http_server::state::before_routing(const Request& asked, Response& to) {
  if (!is_our_host(asked.get_header_value("Host"), how.address)) {
    refuse(to, 421, "this server has another name");
  } else if (asked.method == "GET" || asked.method == "HEAD") {
    look(asked, to);
  } else if (asked.method != "POST" || (!is_control(asked.path) && !is_said_to_more(asked.path))) {
    refuse(to, 404, "there is nothing here");
  } else if (asked.is_multipart_form_data()) {
    refuse(to, 415, "the body must be JSON");
  } else if (asked.has_header("Transfer-Encoding") ||
             ((has_body(asked.path) || is_said_to_more(asked.path)) && !asked.has_header("Content-Length"))) {
    refuse(to, 411, "the length of the body must be given");
  } else if (asked.has_header("Content-Length")) {
    return answer::Unhandled;  // what is not read makes the connection break before the answer is
  } else {
    order(asked, to);
  }
  return answer::Handled;
}

void http_server::state::look(const Request& asked, Response& to) {
  constexpr std::string_view assets = "/assets/";
  const std::string_view path = asked.path;
  at_the_door.has_asked(asked.remote_addr, asked.remote_port);
  if (!asked.ranges.empty()) {
    refuse(to, 416, "only the whole can be had");
  } else if (path == "/api/events") {
    listen_to_events(asked, to);
  } else if (path == controller_path) {
    listen_to_windows(asked, to);
  } else if (path == "/api/tap") {
    tap(asked, to);
  } else if (path == "/api/state") {
    give_made(to, past.state(), "application/json; charset=utf-8");
  } else if (path == "/api/recording") {
    give_recording(to);
  } else if (path == "/metrics") {
    const auto [now, paused] = runs.last();
    give_made(to, now ? metrics_text(*now, paused) : "\n", "text/plain; version=0.0.4; charset=utf-8");
  } else if (path == "/healthz") {
    const auto now = runs.last().now;
    give(to, now && now->final() ? "done\n" : "running\n", "text/plain; charset=utf-8");
  } else if (const auto page = asset_at("index.html"); page && path == "/") {
    give(to, page->bytes, kind_of(page->path));
  } else if (const auto part =
                 path.starts_with(assets) ? asset_at(path.substr(assets.size())) : std::nullopt) {
    give(to, part->bytes, kind_of(part->path));
  } else {
    refuse(to, 404, "there is nothing here");
  }
}

bool http_server::state::may(const Request& asked, Response& to, std::string_view what) {
  const auto permitted = permission_by(asked.get_header_value("Authorization"), how.token);
  if (permitted == permission::none) {
    refuse(to, 403, "this server has no token, so no client may " + std::string(what));
  } else if (permitted == permission::wrong_token) {
    to.set_header("WWW-Authenticate", "Bearer");
    refuse(to, 401, "this needs the header Authorization: Bearer, and the token of the server");
  }
  return permitted == permission::given;
}

void http_server::state::tap(const Request& asked, Response& to) {
  if (!may(asked, to, "see its items")) return;
  const struct counted {
    std::atomic<int>& all;
    const int number = ++all;
    ~counted() { --all; }
  } mine{taps};
  if (mine.number > most_taps) return refuse(to, 503, "too many clients look into the stream already");
  const auto said = [&](const char* name) { return asked.get_param_value(name); };
  auto [status, text] = tapped(runs, {said("edge"), said("stage"), said("items"), said("wait")}, leaves);
  if (status != 200) return refuse(to, status, text);
  give_made(to, std::move(text), "application/json; charset=utf-8");
}

void http_server::state::order(const Request& asked, Response& to) {
  at_the_door.has_asked(asked.remote_addr, asked.remote_port);
  if (!may(asked, to, "change the run")) return;
  if (asked.path == controller_path) return hear_controller(asked, to);
  const auto [status, error] =
      asked.path == record_path ? traces.begin(asked.body) : change(runs, asked.path, asked.body);
  if (!error.empty()) return refuse(to, status, error);
  to.status = status;
  to.set_content("{}", "application/json");
}

void http_server::state::give_recording(Response& to) {
  const auto [status, trace, error, left] = traces.now();
  if (!trace) return refuse(to, status, error);
  give_made(to, trace, "application/json; charset=utf-8");
  to.status = status;
  if (status == 200) {
    to.set_header("Content-Disposition", R"(attachment; filename="trace.json")");
  } else {
    to.set_header("Retry-After", std::to_string(std::chrono::ceil<std::chrono::seconds>(left).count()));
  }
}

void http_server::state::listen_to_events(const Request& asked, Response& to) {
  std::optional<std::chrono::nanoseconds> since;
  if (asked.has_param("since")) {
    const auto said = asked.get_param_value("since");
    std::int64_t ns = 0;
    const auto [end, wrong] = std::from_chars(said.data(), said.data() + said.size(), ns);
    if (wrong != std::errc() || end != said.data() + said.size())
      return refuse(to, 400, "since is a time in ns, as samples have it");
    since = std::chrono::nanoseconds(ns);
  }
  // Counts as long as the answer lives.
  auto listener = std::shared_ptr<void>(nullptr, [all = listeners](void*) { --*all; });
  if (++*listeners > how.clients) return refuse(to, 503, "too many clients listen already");
  to.status = 200;
  to.set_chunked_content_provider("text/event-stream", [this, listener, place = past.from(since)](
                                                           std::size_t, httplib::DataSink& sink) mutable {
    const auto events = past.after(place, between_signs_of_life);
    if (!events) return false;
    const auto text = packed(*events);
    return sink.write(text.data(), text.size());
  });
}

void http_server::state::listen_to_windows(const Request& asked, Response& to) {
  // The headers alone would make a controller of somebody who reads nothing.
  if (asked.method == "HEAD") return refuse(to, 405, "only GET reads windows");
  if (!may(asked, to, "control the run")) return;
  const auto every = window_length_of(asked);
  if (!every) return refuse(to, 400, "every_ms is a whole number of milliseconds");
  auto place = std::shared_ptr<void>(nullptr, [all = listeners](void*) { --*all; });
  if (++*listeners > how.clients) return refuse(to, 503, "too many clients listen already");
  auto begun = controllers.begin(*every);
  if (const auto* const why = std::get_if<outcome>(&begun)) return refuse(to, why->status, why->error);
  to.status = 200;
  to.set_chunked_content_provider(
      "text/event-stream", [this, place, reading = std::get<remote_control::reader>(std::move(begun)),
                            seen = std::uint64_t{0}](std::size_t, httplib::DataSink& sink) mutable {
        const bool over = leaves || reading.run->done() || reading.planner.expired();
        std::string text = ": \n\n";
        if (over) {
          constexpr std::string_view last = "event: end\ndata: {}\n\n";
          if (sink.write(last.data(), last.size())) sink.done();
          return true;
        }
        if (const auto line = reading.from->after(seen, between_looks_at_the_run)) {
          seen = line->number;
          text = "event: window\ndata: " + *line->json + "\n";
        }
        return sink.write(text.data(), text.size());
      });
}

void http_server::state::hear_controller(const Request& asked, Response& to) {
  const auto said = controllers.take(asked.body);
  if (said.empty())
    return refuse(to, 409, "no client reads windows of a run that goes on: GET /api/controller first");
  to.set_content(said, "application/json");
}

}  // namespace THALWEG_NAMESPACE::live
