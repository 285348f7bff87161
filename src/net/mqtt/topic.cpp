#include <thalweg/net/mqtt_topic.hpp>

#include <mosquitto.h>

namespace THALWEG_NAMESPACE {

namespace {

std::string problem_with_broker(const mqtt_topic& of) {
  if (of.host.empty()) return "'" + of.text() + "' names no broker to connect to";
  if (of.topic.empty()) return "'" + of.text() + "' names no topic";
  if (of.username.empty() && !of.password.empty())
    return "'" + of.text() + "' has a .password and no .username";
  if (of.tls && of.tls->certificate.empty() != of.tls->key.empty())
    return "'" + of.text() + "' has only one of .certificate and .key: give both, or none";
  return {};
}

}  // namespace

net::address mqtt_topic::broker() const {
  constexpr std::uint16_t plain = 1883, secured = 8883;
  return {host, port != 0 ? port : tls ? secured : plain};
}

std::string mqtt_topic::text() const {
  return (tls ? "mqtts://" : "mqtt://") + broker().text() + "/" + topic;
}

std::string mqtt_topic::problem_of_source() const {
  if (auto problem = problem_with_broker(*this); !problem.empty()) return problem;
  if (::mosquitto_sub_topic_check(topic.c_str()) != MOSQ_ERR_SUCCESS)
    return "'" + topic + "' cannot be a topic filter: + is a whole level, and # is the last one";
  return {};
}

std::string mqtt_topic::problem_of_sink() const {
  if (auto problem = problem_with_broker(*this); !problem.empty()) return problem;
  if (::mosquitto_pub_topic_check(topic.c_str()) != MOSQ_ERR_SUCCESS)
    return "'" + topic + "' cannot be a topic to send to: a topic has no + and no #";
  return {};
}

}  // namespace THALWEG_NAMESPACE
