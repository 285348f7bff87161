#include "items_of.hpp"

#include <cstdlib>
#include <memory>
#include <string_view>

#include <mqtt_protocol.h>

namespace THALWEG_NAMESPACE::net::mqtt {

namespace {

constexpr std::string_view kind = "application/x-thalweg;items=";

}  // namespace

void say_items(properties& of, const std::string& tag) {
  if (!tag.empty()) of.add(MQTT_PROP_CONTENT_TYPE, std::string(kind) + tag);
}

std::string items_of(const mosquitto_property* message) {
  char* text = nullptr;
  ::mosquitto_property_read_string(message, MQTT_PROP_CONTENT_TYPE, &text, false);
  const std::unique_ptr<char, freed<std::free>> owner(text);
  const std::string_view says = text != nullptr ? text : "";
  return says.starts_with(kind) ? std::string(says.substr(kind.size())) : std::string();
}

}  // namespace THALWEG_NAMESPACE::net::mqtt
