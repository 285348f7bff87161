#pragma once

#include <thalweg/model/codec.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "../graph/exchange.hpp"

/// The messages of a stream between ranks as they lie in bytes, and what of all that comes from other ranks
/// can be one. Nothing here calls MPI.
namespace THALWEG_NAMESPACE::run_detail::distributed {

/// What stands at the head of each message.
struct header {
  enum class kind : std::uint8_t {
    items,
    credit,
    allow,
    progress,
    end,
    stop,
    cancel,
    pause,
    resume,
    resize,
    set,
    quiescence,
    watch,
    figures,
    meet
  };
  kind what = kind::items;
  std::uint8_t paced = 0, ranked = 0;  ///< paced of set: what
  std::uint8_t apart = 0;              ///< the content is too long: without its lengths it is the first block
  std::uint32_t channel_id = 0;        ///< of resize and set: the stage
  std::uint32_t items = 0;             ///< of resize: how many replicas
  std::uint32_t blocks = 0;  ///< that follow as messages of their own; their lengths end the content
  std::int64_t number = 0;   ///< of the run of items; of credit: how many runs; of progress: below which; of
                             ///< what all ranks are told: the rank that began
  std::int64_t grant = 0;    ///< of items: whether they have waited for credit; of allow: how many work
  std::int64_t position = 0, born_ns = 0,
               upto = 0;  ///< position of resize: its time; of set: the value; of watch: how often, in ns
};

/// A message that has come and been found good.
struct message {
  header head;
  std::span<const std::byte> items;    ///< what lies between the head and the lengths; of figures: the rows
  std::vector<std::uint64_t> lengths;  ///< of the blocks that follow
};

/// \throws codec_error  that says what rank `from` has sent
[[noreturn]] void refuse(int from, const std::string& what);

/// `n` bytes are to come from there. They are the sender's word, and memory is taken for them before they
/// come: more than the machine has would be the end of this process. \throws codec_error  if they are
std::size_t checked_length(int from, std::uint64_t n);

/// Tells the messages that may come to a rank from bytes that are none.
///
/// State: what may come: which channels have an end here and which ranks have the other one, or have said
/// that no more comes from there, which stages have replicas, how many ranks there may be.
/// Written by: one thread, while the network is laid out, and as it receives.
/// Invariant: who acts on a message that has been read finds what it names, in each table that it is looked
/// up in, and its numbers are such that they can be added up.
class message_reader {
 public:
  /// `ranks`: so many there may be.
  explicit message_reader(int ranks) : ranks_(ranks) {}

  /// A channel. `receives`: this rank gets what it carries; `sends`: this rank gives it, and is given credit.
  void add(std::uint32_t channel_id, const dataflow::route& way, bool receives, bool sends);
  /// Which stages may be resized, by number, and whether ranks ask each other if they stand still.
  void start(std::vector<bool> farms, bool may_stand_still);
  /// Whether others may be about to join.
  void expect_joiners(bool so) noexcept { joiners_ = so; }

  /// \throws codec_error  if it is none that may come
  [[nodiscard]] message read(int from, std::span<const std::byte> content);

 private:
  struct channel_ends {
    bool receives = false, sends = false;
    std::vector<bool> from, to, ended;  // by rank
  };

  [[nodiscard]] const channel_ends& channel_of(int from, const header& head) const;
  void check(int from, const header& head) const;
  void check_setting(int from, const header& head) const;
  void check_open(int from, const header& head) const;
  void check_items(int from, message& m) const;

  const int ranks_;
  std::vector<channel_ends> channels_;
  std::vector<bool> farms_;
  bool may_stand_still_ = false, joiners_ = false;
};

}  // namespace THALWEG_NAMESPACE::run_detail::distributed
