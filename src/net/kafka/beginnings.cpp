#include "beginnings.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

namespace THALWEG_NAMESPACE::net::kafka {

namespace {

std::span<rd_kafka_topic_partition_t> all_of(const rd_kafka_topic_partition_list_t& list) {
  return {list.elems, static_cast<std::size_t>(list.cnt)};
}

// The answer to a question. Nothing if the wait was given up.
partition_list asked(client& to, std::int32_t partitions, std::int64_t time) {
  partition_list answer;
  const bool answered = to.ask([&](int ms) {
    answer = question(to.where.name, partitions, time);
    if (const auto error = rd_kafka_offsets_for_times(to.get(), answer.get(), ms)) return error;
    const auto all = all_of(*answer);
    const auto failed = std::find_if(all.begin(), all.end(), [](const auto& one) { return one.err != 0; });
    return failed != all.end() ? failed->err : RD_KAFKA_RESP_ERR_NO_ERROR;
  });
  if (!answered) answer.reset();
  return answer;
}

}  // namespace

partition_list question(const std::string& topic, std::int32_t partitions, std::int64_t time) {
  partition_list list(rd_kafka_topic_partition_list_new(partitions));
  for (std::int32_t i = 0; i < partitions; ++i)
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), i)->offset = time;
  return list;
}

std::vector<std::int64_t> places_in(const rd_kafka_topic_partition_list_t& answer,
                                    const std::vector<std::int64_t>& ends) {
  std::vector<std::int64_t> places;
  for (const auto& one : all_of(answer)) {
    const auto number = static_cast<std::size_t>(one.partition);
    if (one.offset < 0 && number >= ends.size())
      throw network_error("the topic '" + std::string(one.topic) + "', partition " +
                          std::to_string(one.partition) + ": the broker does not say where it ends");
    places.push_back(one.offset >= 0 ? one.offset : ends[number]);
  }
  return places;
}

std::optional<std::vector<std::int64_t>> ends_of(client& to, std::int32_t partitions) {
  const auto answer = asked(to, partitions, RD_KAFKA_OFFSET_END);
  return answer ? std::optional(places_in(*answer, {})) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> beginnings(client& to, const kafka_start& start,
                                                    std::int32_t partitions) {
  const auto in_topic = static_cast<std::size_t>(partitions);
  if (start.at == kafka_start::where::offsets && start.numbers.size() != in_topic)
    throw network_error(to.where.text() + " has " + std::to_string(partitions) +
                        " partitions, but .start has " + std::to_string(start.numbers.size()) + " offsets");
  // Before the question for a time, so that what comes between the two is not missed.
  const auto ends = ends_of(to, partitions);
  if (!ends) return {};
  switch (start.at) {
    case kafka_start::where::first:
      return std::vector<std::int64_t>(in_topic, RD_KAFKA_OFFSET_BEGINNING);
    case kafka_start::where::offset:
      return std::vector<std::int64_t>(in_topic, start.numbers.front());
    case kafka_start::where::offsets:
      return start.numbers;
    case kafka_start::where::time: {
      const auto answer = asked(to, partitions, start.numbers.front());
      return answer ? std::optional(places_in(*answer, *ends)) : std::nullopt;
    }
    case kafka_start::where::next:
      break;
  }
  return ends;  // a number: librdkafka's word for it would be looked up some time later
}

}  // namespace THALWEG_NAMESPACE::net::kafka
