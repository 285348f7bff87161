// Where a source begins to read the partitions of its topic.
#pragma once

#include <thalweg/net/kafka_inlet.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client.hpp"

namespace THALWEG_NAMESPACE::net::kafka {

/// Where the partitions end now: behind their last messages. So each of them has a broker that answers,
/// without which a source would wait for ever. None if the wait was given up. \throws network_error
std::optional<std::vector<std::int64_t>> ends_of(client& to, std::int32_t partitions);
/// For each partition what `start` means there. As `ends_of`.
std::optional<std::vector<std::int64_t>> beginnings(client& to, const kafka_start& start,
                                                    std::int32_t partitions);

/// What the brokers are asked: of each partition, where the first message is that is not older than `time`,
/// in milliseconds; or, in place of a time, where its beginning or its end is, by librdkafka's word for it.
partition_list question(const std::string& topic, std::int32_t partitions, std::int64_t time);
/// What they have answered. A partition without such a message is read from its end on.
/// \throws network_error  if that is not known, either
std::vector<std::int64_t> places_in(const rd_kafka_topic_partition_list_t& answer,
                                    const std::vector<std::int64_t>& ends);

}  // namespace THALWEG_NAMESPACE::net::kafka
