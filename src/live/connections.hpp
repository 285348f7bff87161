#pragma once

#include <thalweg/version.hpp>

#include <functional>
#include <string_view>

namespace THALWEG_NAMESPACE::live {

/// Calls `with` with each connection that this process has accepted at this port. The socket is open during
/// the call, whatever becomes of the connection; it may be seen twice. False: some were left out, since the
/// process may open no more files. The library that serves them tells nobody their sockets.
bool each_connection_at(int port, const std::function<void(int socket)>& with);

/// Ends the connections that this process has accepted on this port: who reads or writes there fails, however
/// long the other side keeps silent.
void cut_connections_at(int port);

/// Says something to the one who listens at this socket, and waits until it has answered and closes, for
/// a few seconds at most. If there is no way to it, nothing happens.
void say_to(int listening, std::string_view request);

}  // namespace THALWEG_NAMESPACE::live
