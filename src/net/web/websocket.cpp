#include <thalweg/net/websocket.hpp>
#include <thalweg/observe/text.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/websocket.hpp>

#include "back_off.hpp"
#include "wire.hpp"

namespace THALWEG_NAMESPACE::net {

namespace {

using namespace web;
namespace websocket = boost::beast::websocket;

// A server that closes it so may be there again later.
bool passes(std::uint16_t code) {
  constexpr std::array codes{1001, 1006, 1011, 1012, 1013, 1014};
  return std::ranges::find(codes, code) != codes.end();
}

class websocket_stream final : public web_stream<websocket_message> {
 public:
  websocket_stream(const std::string& url, const websocket_options& how)
      : to_(endpoint_of(url, how)),
        where_(shown(url)),
        first_(how.first),
        longest_(static_cast<std::size_t>(how.longest)),
        pause_(how.reconnect) {}
  ~websocket_stream() override {
    if (link_ && !ended_) link_->next_layer().leave();
  }

  std::optional<websocket_message> next(const std::stop_token& stop) override {
    wakes_.interrupt_on(stop);
    if (!failure_.empty()) throw network_error(failure_);
    for (;;) {
      try {
        if (too_long_) refuse();
        return read();
      } catch (const connection_lost& e) {
        link_.reset();
        const auto delay = pause_.next();
        if (!delay) throw network_error(failure_ = e.what());
        again_at_ = from_now(*delay);
      } catch (const network_error& e) {
        if (!too_long_) {
          link_.reset();
          failure_ = e.what();
        }
        throw;
      }
    }
  }
  bool give_up() override {
    if (!std::exchange(too_long_, false)) return false;
    skips_ = !link_->is_message_done();
    return true;
  }

 private:
  std::optional<websocket_message> read() {
    constexpr std::size_t piece = std::size_t{64} << 10U;
    if (ended_ || (!link_ && !open())) return {};
    auto into = boost::asio::dynamic_buffer(data_);
    for (;;) {
      wire::error_code error;
      link_->read_some(into, piece, error);
      if (error) return over(error);
      pause_.begin_anew();
      if (skips_)
        into.consume(into.size());
      else if (data_.size() > longest_)
        refuse();
      if (!link_->is_message_done()) continue;
      if (!std::exchange(skips_, false))
        return websocket_message{std::exchange(data_, {}), link_->got_text()};
    }
  }

  // False if the wait was given up.
  bool open() {
    if (wakes_.waits.wait(-1, 0, again_at_) == waited::given_up) return false;
    data_.clear();
    skips_ = false;
    link_.emplace(to_, wakes_);
    if (!link_->next_layer().connect()) {
      link_.reset();
      return false;
    }
    link_->set_option(websocket::stream_base::decorator([this](websocket::request_type& request) {
      request.set(boost::beast::http::field::user_agent, "thalweg");
      if (!to_.bearer.empty()) request.set(boost::beast::http::field::authorization, "Bearer " + to_.bearer);
      for (const auto& [name, value] : to_.headers) request.set(name, value);
    }));
    link_->read_message_max(0);  // a message that is too long is found here, where it can be left out
    const auto [host, target] = host_and_target(to_.url);
    wire::error_code error;
    link_->handshake(host, target, error);
    if (error == websocket::error::upgrade_declined) decline(link_->next_layer().status());
    if (!error) link_->next_layer().opened();
    link_->text(true);
    for (const auto& message : first_)
      if (!error) link_->write(boost::asio::buffer(message), error);
    if (!error) return true;
    (void)over(error);
    return false;
  }

  // Beast gives an answer only to those whom it welcomes.
  [[noreturn]] void decline(const std::string& status) const {
    const auto says = where_ + " answers " + observe::printable(status);
    if (is_overloaded(std::strtol(status.c_str(), nullptr, 10))) throw connection_lost(says);
    throw network_error(says);
  }

  // What an error is about: the end, a wait that was given up, or something that is thrown.
  std::optional<websocket_message> over(const wire::error_code& error) {
    namespace asio = boost::asio::error;
    if (wakes_.over()) return {};
    if (error == websocket::error::closed) return closed();
    if (error == asio::timed_out && !link_->next_layer().is_opened())
      throw connection_lost(where_ + ": the WebSocket has not opened within " +
                            std::to_string(to_.connect_within.count()) + " ms");
    if (error == asio::timed_out)
      throw connection_lost(where_ + " has sent nothing for " + std::to_string(to_.longest_silence->count()) +
                            " ms, not even an answer to a ping");
    if (error == asio::eof || error == asio::connection_reset ||
        error == boost::beast::http::error::end_of_stream)
      throw connection_lost(where_ + ": the connection broke off");
    throw network_error(where_ + ": " + error.message());
  }

  std::optional<websocket_message> closed() {
    const auto why = link_->reason();
    if (why.code == websocket::close_code::none || why.code == websocket::close_code::normal) {
      ended_ = true;
      return {};
    }
    auto says = where_ + " has closed the WebSocket: " + std::to_string(why.code);
    if (why.reason.size() > 0) says += ", " + observe::printable({why.reason.data(), why.reason.size()});
    if (passes(why.code)) throw connection_lost(says);
    throw network_error(says);
  }

  [[noreturn]] void refuse() {
    too_long_ = true;
    data_.clear();
    throw network_error(where_ + ": a message has more than .longest, " + std::to_string(longest_) +
                        " bytes");
  }

  const endpoint to_;
  const std::string where_;
  const std::vector<std::string> first_;
  const std::size_t longest_;
  waker wakes_;
  back_off pause_;
  moment again_at_{};
  std::optional<websocket::stream<wire>> link_{};
  std::string data_{};
  bool ended_ = false;
  bool too_long_ = false;  // it is refused
  bool skips_ = false;     // it is left out
  std::string failure_{};
};

}  // namespace

void open_websocket::check(const std::string& url, const options& how, model::stage_info& info) {
  constexpr std::string_view schemes[] = {"ws", "wss"};
  web::check(endpoint_of(url, how), schemes, info.problems);
  if (has_user(url))
    info.problems.push_back("'" + shown(url) + "' has a user: say who it is by .headers or .bearer");
  check_longest(how.longest, "message", info.problems);
}

std::unique_ptr<web_stream<websocket_message>> open_websocket::open(const std::string& url,
                                                                    const options& how) {
  return std::make_unique<websocket_stream>(url, how);
}

}  // namespace THALWEG_NAMESPACE::net
