/// Word count: how often each word of a text comes.
///
/// ```cpp
/// namespace wc = apps::word_count;
/// wc::source source("text.xml");
/// wc::counts counts;
/// while (auto some = source()) counts(wc::split(std::move(*some)));
/// wc::sink sink("words.txt");
/// sink(counts);
/// sink.close();
/// ```
///
/// `split` needs nothing but its passage. `counts` has state, which can be divided by words: of n counts,
/// each takes the words of its part (`divide`), and the sink takes them all. `combine` before that makes
/// fewer words of many.
#pragma once

#include "apps/support/application.hpp"
#include "apps/word_count/combine.hpp"
#include "apps/word_count/counts.hpp"
#include "apps/word_count/passage.hpp"
#include "apps/word_count/sink.hpp"
#include "apps/word_count/source.hpp"
#include "apps/word_count/split.hpp"

namespace apps::word_count {

/// What tools need to know.
const application& about();

}  // namespace apps::word_count
