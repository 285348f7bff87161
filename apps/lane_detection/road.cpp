#include "apps/lane_detection/road.hpp"

#include <algorithm>

#include "apps/support/film/paint.hpp"
#include "apps/support/random.hpp"

namespace apps::lane_detection {
namespace {

constexpr int speed = 800;  // per frame: 24 m in a second
constexpr int change_takes = 75, longest = 150;

/// Goes smoothly from 0 to `one` while `at` goes from 0 to `end`.
std::int64_t eased(std::int64_t at, std::int64_t end, std::int64_t one) {
  at = std::clamp<std::int64_t>(at, 0, end);
  return one * at * at * (3 * end - 2 * at) / (end * end * end);
}

/// Goes from one value to the next along the road.
class changing_value {
 public:
  changing_value(int first, int soften) : now_(first), from_(first), to_(first), soften_(soften) {}
  [[nodiscard]] bool done(std::int64_t distance) const { return distance >= end_; }
  void turn_to(int next, std::int64_t distance, std::int64_t length) {
    from_ = now_;
    to_ = next;
    start_ = distance;
    end_ = distance + length;
  }
  int at(std::int64_t distance) {
    now_ = from_ + static_cast<int>(eased(distance - start_, soften_, to_ - from_));
    return now_;
  }

 private:
  int now_, from_, to_;
  std::int64_t start_ = 0, end_ = 0;
  int soften_;
};

/// What happens for a while: at most one of a lane change and other cars, which therefore never meet.
class episodes {
 public:
  episodes(std::uint64_t seed, int lane) : dice_(seed), lane_(lane) {}

  void next(moment& now) {
    if (at_ == length_) start();
    now.sideways = lane_width * lane_ + lane_width / 2;
    now.lane = lane_;
    if (kind_ == kind::lane_change) {
      const auto moved = static_cast<int>(eased(at_, change_takes, lane_width));
      now.sideways += target_ > lane_ ? moved : -moved;
      now.lane = moved < lane_width / 2 ? lane_ : target_;
      now.changing = at_ > 0 && at_ < change_takes;
      if (at_ == length_ - 1) lane_ = target_;
    }
    if (kind_ == kind::passing || kind_ == kind::following) show_cars(now);
    ++at_;
  }

 private:
  enum class kind { alone, lane_change, passing, following };

  void start() {
    constexpr std::array likely = {kind::lane_change, kind::passing,     kind::alone,
                                   kind::following,   kind::lane_change, kind::passing};
    kind_ = likely[dice_.below(likely.size())];
    at_ = 0;
    length_ = static_cast<int>(dice_.between(change_takes + 5, longest));
    target_ = lane_ == 1 ? static_cast<int>(2 * dice_.below(2)) : 1;
    look_ = static_cast<std::uint32_t>(dice_.next() >> 32);
    start_at_ = static_cast<int>(dice_.between(25'000, 70'000));
  }

  void show_cars(moment& now) const {
    const auto middle = [](int lane) { return lane_width * lane + lane_width / 2; };
    if (kind_ == kind::following) {
      // One that we come near to, and that then drives away.
      const int near = static_cast<int>(eased(std::min(at_, length_ - at_), length_ / 2, 60'000));
      now.vehicles[now.vehicle_count++] = {.ahead = 85'000 - near, .sideways = middle(lane_), .look = look_};
      return;
    }
    // Beside us some are faster, others slower.
    for (const int lane : {lane_ - 1, lane_ + 1}) {
      if (lane < 0 || lane >= lanes_of_road) continue;
      const int slower = static_cast<int>(look_ >> (8 * lane) & 0xFF) * 3 - 200;
      const int ahead = start_at_ + 9'000 * lane - slower * at_;
      if (ahead < 5'000 || ahead > 110'000) continue;
      now.vehicles[now.vehicle_count++] = {ahead, middle(lane), look_ + static_cast<std::uint32_t>(lane)};
    }
    if (now.vehicle_count == 2 && now.vehicles[0].ahead < now.vehicles[1].ahead)
      std::swap(now.vehicles[0], now.vehicles[1]);
  }

  random dice_;
  kind kind_ = kind::alone;
  int lane_, target_ = 0;
  int at_ = 0, length_ = 0;
  std::uint32_t look_ = 0;
  int start_at_ = 0;
};

}  // namespace

std::vector<moment> drive(std::uint64_t seed, std::uint32_t frames) {
  // Each draw is a statement: in which order a call's arguments are computed is up to the compiler.
  random dice(seed);
  const int first_lane = static_cast<int>(dice.below(lanes_of_road));
  episodes happening(dice.next(), first_lane);
  changing_value curvature(0, 40'000);
  changing_value light(256, 60'000);
  std::int64_t crossing = dice.between(30'000, 60'000);
  std::int64_t heading = 0;
  const auto phase = static_cast<std::int64_t>(dice.below(0x10000));

  std::vector<moment> film(frames);
  for (std::uint32_t i = 0; i < frames; ++i) {
    auto& now = film[i];
    now.distance = std::int64_t{i} * speed;
    happening.next(now);
    now.sideways += wave(phase + std::int64_t{i} * 437, 90) + wave(std::int64_t{i} * 1021, 40);
    now.pitch = wave(std::int64_t{i} * 5003, 10) + wave(phase + std::int64_t{i} * 1523, 14);
    if (curvature.done(now.distance)) {
      // Radii of 400 m and more; every third stretch or so is straight.
      const int turn = static_cast<int>(dice.between(-2'600, 2'600));
      const auto length = dice.between(50'000, 160'000);
      curvature.turn_to(dice.chance(0.3) ? 0 : turn, now.distance, length);
    }
    now.curvature = curvature.at(now.distance);
    heading += std::int64_t{now.curvature} * speed;
    now.heading = static_cast<int>(heading >> 14);
    if (light.done(now.distance)) {
      const auto length = dice.between(80'000, 300'000);
      light.turn_to(static_cast<int>(dice.between(150, 280)), now.distance, length);
    }
    now.light = light.at(now.distance);
    if (now.distance > crossing + crossing_length) crossing += dice.between(150'000, 420'000);
    now.crossing = crossing;
  }
  return film;
}

}  // namespace apps::lane_detection
