#pragma once

#include <thalweg/version.hpp>

#include <string_view>

namespace THALWEG_NAMESPACE::live {

/// Ends the connections that this process has accepted on this port: who reads or writes there fails, however
/// long the other side keeps silent. The library that serves them tells nobody their sockets.
void cut_connections_at(int port);

/// Says something to the one who listens at this socket, and waits until it has answered and closes, for
/// a few seconds at most. If there is no way to it, nothing happens.
void say_to(int listening, std::string_view request);

}  // namespace THALWEG_NAMESPACE::live
