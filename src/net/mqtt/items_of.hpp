#pragma once

#include "client.hpp"

namespace THALWEG_NAMESPACE::net::mqtt {

/// Says in the properties of a message of which type its item is, by its tag: as the content type of MQTT 5.
void say_items(properties& of, const std::string& tag);
/// Of which type the item of a message is, by its tag; empty where it does not say.
std::string items_of(const mosquitto_property* message);

}  // namespace THALWEG_NAMESPACE::net::mqtt
