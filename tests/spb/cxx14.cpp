// The header of an application, and what all of them have, in the C++ of SPBench's programs.
#include APPLICATION

#include <SPar_Shared_Queue.hpp>
#include <spb/ranks.hpp>

static_assert(__cplusplus == 201402L, "");

void use_an_item() {
  spb::Item item;
  SharedQueue<spb::Item> queue(1, 1, queue_order::by_item);
  if (spb::Source::op(item)) queue.enqueue(item);
}
