#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <bzip2.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "run.hpp"

// What programs define for `bzip2_main`. Tests look at what becomes of the item on its way.
namespace {
std::atomic<int> compressed{0}, decompressed{0};
}  // namespace

void compress() {
  spb::Metrics::init();
  for (spb::Item item; spb::Source::op(item); ++compressed) {
    spb::Compress::op(item);
    spb::Sink::op(item);
  }
  spb::Metrics::stop();
}

void decompress() {
  spb::Metrics::init();
  for (spb::Item item; spb::Source_d::op(item); ++decompressed) {
    spb::Decompress::op(item);
    spb::Sink_d::op(item);
  }
  spb::Metrics::stop();
}

namespace {

using namespace std::chrono_literals;
using testing::ExitedWithCode;
namespace fs = std::filesystem;

constexpr std::size_t block = 900'000 - 19;

class Bzip2 : public run_test {
 protected:
  fs::path text(std::size_t size, const std::string& name = "text") {
    // No letter comes twice in a row: bzip2 writes down runs first, which can make a block longer.
    std::string made(size, ' ');
    std::uint32_t x = 1;
    for (std::size_t i = 0; i < size; ++i)
      made[i] = static_cast<char>((i % 2 == 0 ? 'a' : 'A') + ((x = x * 1664525 + 1013904223) >> 28U));
    write(path(name), made);
    return path(name);
  }
  // Source and sink alone, which is much faster than compression.
  static std::vector<std::size_t> copy() {
    std::vector<std::size_t> sizes;
    for (spb::Item item; spb::Source::op(item);) {
      sizes.push_back(item.size());
      spb::Sink::op(item);
    }
    return sizes;
  }
  nlohmann::json results() { return nlohmann::json::parse(read(path("json"))); }
};

TEST_F(Bzip2, CompressesAndRestores) {
  const auto original = text(block + 1'000);
  with_arguments(spb::bzip2_main, original);
  EXPECT_EQ(compressed, 2);
  fs::rename(output(), path("packed.bz2"));
  with_arguments(spb::bzip2_main, path("packed.bz2"));
  EXPECT_EQ(decompressed, 2);
  EXPECT_EQ(read(output()), read(original));
}

TEST_F(Bzip2, OperatorsAreObjectsToo) {
  begin_with(text(1'000));
  const spb::Source source;
  spb::Item item;
  ASSERT_TRUE(source.op(item));
  const spb::Compress compress(item);
  const spb::Sink sink;
  sink.op(item);
  EXPECT_FALSE(source.op(item));
  end();
  EXPECT_TRUE(read(output()).starts_with("BZh9"));
}

TEST_F(Bzip2, ThroughputCountsElementsNotItems) {
  begin_with(text(3 * block + 5), {"-batch-size", "3", "-json", path("json")});
  EXPECT_EQ(copy(), (std::vector<std::size_t>{3, 1}));
  end();
  const auto found = results();
  EXPECT_EQ(found["elements"], 4);
  EXPECT_NEAR(found["throughput"].get<double>(), 4 / found["seconds"].get<double>(), 1e-6);
  EXPECT_FALSE(found.contains("latency"));
}

TEST_F(Bzip2, InMemoryItGivesTheSame) {
  const auto original = text(2 * block);
  begin_with(original, {"-in-memory"});
  copy();
  end();
  EXPECT_EQ(read(output()), read(original));
}

TEST_F(Bzip2, LatencyIsKnownFromEndToEndAndOfEachOperator) {
  begin_with(text(block + 1), {"-latency", "-json", path("json")});
  for (spb::Item item; spb::Source::op(item);) {
    std::this_thread::sleep_for(20ms);
    spb::Sink::op(item);
  }
  end();
  const auto found = results();
  EXPECT_EQ(found["latency"]["count"], 2);
  EXPECT_GE(found["latency"]["mean_ms"].get<double>(), 20);
  double before = found["latency"]["min_ms"];
  EXPECT_GE(before, 20);
  for (const auto* later : {"p50_ms", "p95_ms", "p99_ms", "p99_9_ms", "p99_99_ms", "max_ms"}) {
    EXPECT_GE(found["latency"][later].get<double>(), before) << later;
    before = found["latency"][later];
  }
  for (const auto* moment : {"min_at", "max_at"}) {
    EXPECT_GE(found["latency"][moment].get<double>(), 0.020);
    EXPECT_LE(found["latency"][moment].get<double>(), found["seconds"].get<double>());
  }
  std::uint64_t all = 0;
  for (const auto& bucket : found["latency"]["histogram"]) all += bucket[1].get<std::uint64_t>();
  EXPECT_EQ(all, 2U);
  ASSERT_EQ(found["operators"].size(), 3U);
  EXPECT_EQ(found["operators"][0]["name"], "source");
  EXPECT_EQ(found["operators"][0]["time"]["count"], 2);
  EXPECT_EQ(found["operators"][1]["time"]["count"], 0);  // nobody called it
  EXPECT_EQ(found["operators"][2]["time"]["count"], 2);
  EXPECT_LT(2 * found["operators"][2]["time"]["mean_ms"].get<double>(),
            found["seconds"].get<double>() * 1e3 - 2 * 20)
      << "the pauses are not among its time";
}

TEST_F(Bzip2, MonitorTakesSamples) {
  begin_with(text(3 * block), {"-monitor", "10", "-json", path("json")});
  for (spb::Item item; spb::Source::op(item);) {
    spb::Sink::op(item);
    std::this_thread::sleep_for(15ms);
  }
  end();
  const auto samples = results()["samples"];
  EXPECT_GE(samples.size(), 4U);
  double elements = 0, last = 0;
  for (const auto& sample : samples) {
    elements += sample["throughput"].get<double>() * (sample["seconds"].get<double>() - last);
    last = sample["seconds"];
    EXPECT_GT(sample["resident_bytes"].get<std::uint64_t>(), 1'000'000U);
    EXPECT_FALSE(sample.contains("rate") || sample.contains("p99_ms"));
  }
  EXPECT_NEAR(elements, 3, 1e-3);
}

TEST_F(Bzip2, MonitorTakesSamplesOfStagesWhereTheEnvironmentWantsThem) {
  const auto file = path("stages.jsonl");
  const auto samples_with = [&](std::initializer_list<std::string> options) {
    fs::remove(file);
    ::setenv("THALWEG_MONITOR", file.c_str(), 1);
    begin_with(text(3 * block), options);
    ::unsetenv("THALWEG_MONITOR");
    namespace tw = thalweg;
    tw::run(tw::source([] {
              spb::Item item;
              return spb::Source::op(item) ? std::optional(item) : std::nullopt;
            }) |
            tw::sink([](spb::Item item) { spb::Sink::op(item); }, {.name = "last"}));
    end();
    return fs::exists(file) ? read(file) : std::string();
  };
  EXPECT_EQ(samples_with({}), "");
  const auto samples = samples_with({"-monitor", "3600000"});
  EXPECT_NE(samples.find(R"("name":"last")"), std::string::npos) << samples;
  EXPECT_EQ(std::ranges::count(samples, '\n'), 1);
}

TEST_F(Bzip2, SamplesTellOfFrequencyBatchesAndLatency) {
  begin_with(text(6 * block),
             {"-monitor", "20", "-latency", "-frequency", "100", "-batch-size", "2", "-json", path("json")});
  for (spb::Item item; spb::Source::op(item);) spb::Sink::op(item);
  end();
  double longest = 0;
  bool some = false;
  const auto found = results();
  for (const auto& sample : found["samples"]) {
    EXPECT_EQ(sample["rate"], 100);
    if (sample["throughput"] == 0) continue;
    EXPECT_EQ(sample["batch"], 2);
    EXPECT_GE(sample["max_ms"].get<double>(), sample["p50_ms"].get<double>());
    longest = std::max(longest, sample["max_ms"].get<double>());
    some = true;
  }
  EXPECT_TRUE(some);
  // Windows know the greatest to the bounds of its bucket only.
  EXPECT_NEAR(longest, found["latency"]["max_ms"].get<double>(), 0.04 * longest);
}

TEST_F(Bzip2, ResourcesAreKnown) {
  begin_with(text(2 * block), {"-json", path("json")});
  std::thread([] { copy(); }).join();
  end();
  const auto found = results();
  ASSERT_EQ(found["cpu_seconds_of_threads"].size(), 1U);
  EXPECT_GT(found["cpu_seconds_of_threads"][0].get<double>(), 0);
  EXPECT_LE(found["cpu_seconds_of_threads"][0].get<double>(), found["cpu_seconds"].get<double>() + 0.01);
  EXPECT_GT(found["minor_faults"].get<int>(), 0);
  EXPECT_GT(found["voluntary_switches"].get<int>(), 0);  // it has waited for the thread
  EXPECT_TRUE(found.contains("involuntary_switches") && found.contains("major_faults"));
}

TEST_F(Bzip2, TheLatencyOfEachItemGoesToAFile) {
  begin_with(text(3 * block), {"-batch-size", "2", "-latency-file", path("latencies")});
  copy();
  EXPECT_FALSE(fs::exists(path("latencies")));
  end();
  const auto lines = read(path("latencies"));
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 3);
  EXPECT_NE(lines.find(",2,0\n"), std::string::npos);
  EXPECT_NE(lines.find(",1,0\n"), std::string::npos);
}

TEST_F(Bzip2, AStreamThatFailsLeavesNoLatencies) {
  const auto run = [&] {
    begin_with(text(3 * block), {"-latency-file", path("latencies")});
    leave_out_the_first<spb::Item, spb::Source, spb::Sink>();
    end();
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(1), "order|place|block");
  EXPECT_FALSE(fs::exists(path("latencies")));
}

TEST_F(Bzip2, LatenciesHaveAFileOfTheirOwn) {
  EXPECT_EXIT(begin_with(text(1), {"-latency-file", output()}), testing::ExitedWithCode(1), "-latency-file");
  EXPECT_EXIT(begin_with(text(1), {"-latency-file", path("x"), "-json", path("x")}),
              testing::ExitedWithCode(1), "-latency-file");
}

TEST_F(Bzip2, MetricsOfTheProgramAreTold) {
  spb::Metric size("size", "elements of an item");
  size.note(100);  // before the stream
  begin_with(text(3 * block), {"-batch-size", "2", "-json", path("json")});
  for (const auto elements : copy()) size.note(static_cast<double>(elements));
  end();
  const auto found = results()["metrics"];
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]["name"], "size");
  EXPECT_EQ(found[0]["count"], 2);
  EXPECT_EQ(found[0]["sum"], 3);
  EXPECT_EQ(found[0]["max"], 2);
}

TEST_F(Bzip2, BytesCloseItems) {
  begin_with(text(5 * block), {"-batch-bytes", "1000000"});
  EXPECT_EQ(copy(), (std::vector<std::size_t>{2, 2, 1}));
  end();
}

TEST_F(Bzip2, ThroughputAndLatencyCanBeAskedWhileTheStreamRuns) {
  EXPECT_EQ(spb::Metrics::getAverageThroughput(), 0);
  begin_with(text(5 * block));
  EXPECT_EQ(spb::Metrics::getInstantLatency(1), 0);  // from here on clocks are read
  spb::Item item;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(spb::Source::op(item));
    std::this_thread::sleep_for(10ms);
    spb::Sink::op(item);
  }
  EXPECT_GT(spb::Metrics::getInstantThroughput(10), 0);
  EXPECT_GT(spb::Metrics::getAverageThroughput(), 0);
  EXPECT_GE(spb::Metrics::getInstantLatency(10), 10);
  EXPECT_GE(spb::Metrics::getAverageLatency(), 10);
  std::this_thread::sleep_for(60ms);
  EXPECT_EQ(spb::Metrics::getInstantThroughput(0.02), 0);
  copy();
  end();
}

TEST_F(Bzip2, ItemsThatTheProgramCountsAreTheThroughput) {
  begin_with(text(1'000), {"-json", path("json")});
  copy();
  spb::Metrics::my_items_counter.fetch_add(17);
  end();
  EXPECT_EQ(results()["elements"], 17);
}

TEST_F(Bzip2, BatchesAndFrequencyChangeWhileTheStreamRuns) {
  begin_with(text(6 * block));
  spb::SPBench::setBatchSize(2);
  spb::Item item;
  ASSERT_TRUE(spb::Source::op(item));
  EXPECT_EQ(item.size(), 2U);
  spb::Sink::op(item);
  spb::SPBench::setBatchSize(1);
  spb::SPBench::setFrequency(100);
  auto before = std::chrono::steady_clock::now();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(spb::Source::op(item));
    spb::Sink::op(item);
  }
  EXPECT_GE(std::chrono::steady_clock::now() - before, 20ms);
  spb::SPBench::setFrequencyPattern("binary", 1, 50, 1'000);
  spb::SPBench::setBatchInterval(0.01);
  spb::SPBench::setBatchSize(0);
  EXPECT_EQ(copy().front(), 1U);  // fast enough, but there is only one left
  end();
}

TEST_F(Bzip2, UserArgumentsAreThere) {
  begin_with(text(10), {"-user-arg", "tbb", "-user-arg", "3", "-nthreads", "5"});
  EXPECT_EQ(spb::SPBench::getArg(0), "tbb");
  EXPECT_EQ(spb::SPBench::getArg(1), "3");
  EXPECT_EQ(spb::SPBench::getArgs(), 2);
  EXPECT_EQ(spb::nthreads, 5);
  EXPECT_EXIT(spb::SPBench::getArg(2), ExitedWithCode(1), "wants -user-arg 3 times");
}

TEST_F(Bzip2, ItemsOutOfOrderAreAnError) {
  begin_with(text(2 * block));
  leave_out_the_first<spb::Item, spb::Source, spb::Sink>();
  EXPECT_EXIT(end(), ExitedWithCode(1), "block 1 came where block 0 was due");
}

TEST_F(Bzip2, AnErrorEndsTheStreamAndLeavesNoOutput) {
  auto damaged = text(10, "text.bz2");
  write(damaged, "BZh91AY&SY and what is no block");
  EXPECT_EXIT(
      {
        begin_with(damaged);
        spb::Item item;
        while (spb::Source_d::op(item)) spb::Sink_d::op(item);
        EXPECT_FALSE(spb::Source_d::op(item));
        spb::Metrics::stop();
      },
      ExitedWithCode(1), "program: .*text.bz2' is truncated");
  EXPECT_FALSE(fs::exists(output()));
}

TEST_F(Bzip2, AFrequencyThatEndsBeforeTheInputIsAnErrorAndLeavesNoOutput) {
  const auto original = text(3 * block);
  const auto shorter = path("trace.csv");
  write(shorter, "0.001\n0.002\n");
  const auto ends = [&](const fs::path& input, std::initializer_list<std::string> options) {
    EXPECT_EXIT(with_arguments(spb::bzip2_main, input, options), ExitedWithCode(1),
                "ends before its input, after [12] elements: the frequency asks for no more");
    EXPECT_FALSE(fs::exists(output()));
  };
  ends(original, {"-freq-patt", "trace," + shorter.string()});
  ends(original, {"-frequency", "1e-300"});
  with_arguments(spb::bzip2_main, original);
  fs::rename(output(), path("packed.bz2"));
  ends(path("packed.bz2"), {"-freq-patt", "trace," + shorter.string()});
  write(shorter, "0.001\n0.002\n0.003\n");
  const auto run = [&] {
    with_arguments(spb::bzip2_main, path("packed.bz2"), {"-freq-patt", "trace," + shorter.string()});
    std::exit(0);
  };
  EXPECT_EXIT(run(), ExitedWithCode(0), "");
  EXPECT_EQ(read(output()), read(original));
}

TEST_F(Bzip2, WhatIsBehindTheLastStreamIsLeftOutAndTold) {
  const auto original = text(1'000);
  with_arguments(spb::bzip2_main, original);
  const auto packed = read(output());
  write(path("packed.bz2"), packed + "more");
  testing::internal::CaptureStderr();
  with_arguments(spb::bzip2_main, path("packed.bz2"));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("program: what begins at byte " + std::to_string(packed.size()) +
                                 " of the input is no .bz2 stream, and is left out"));
  EXPECT_EQ(read(output()), read(original));
}

TEST_F(Bzip2, OfNothingIsNothing) {
  with_arguments(spb::bzip2_main, text(0), {"-json", path("json")});
  EXPECT_EQ(read(output()).size(), 14U);  // as bzip2's
  EXPECT_EQ(results()["elements"], 0);
  fs::rename(output(), path("packed.bz2"));
  with_arguments(spb::bzip2_main, path("packed.bz2"));
  EXPECT_EQ(read(output()), "");
}

TEST_F(Bzip2, WrongOptionsEndTheProcess) {
  EXPECT_EXIT(begin_with(path("nothing")), ExitedWithCode(1), "neither a file nor an input of bzip2");
  EXPECT_EXIT(begin_with(text(10), {"-verify"}), ExitedWithCode(1),
              "-verify: what should come of .* is not known");
  EXPECT_EXIT(begin_with(text(10), {"-nthreads", "x"}), ExitedWithCode(1), "program: -nthreads: 'x'");
  EXPECT_EXIT(begin_with(text(10), {"-help"}), ExitedWithCode(0), "");
  EXPECT_EXIT(spb::SPBench::setFrequency(-1), ExitedWithCode(1), "above 0");
}

TEST_F(Bzip2, TextIsNotDecompressed) {
  begin_with(text(10));
  spb::Item item;
  EXPECT_FALSE(spb::Source_d::op(item));
  EXPECT_EXIT(spb::Metrics::stop(), ExitedWithCode(1), "it can be compressed, not decompressed");
}

TEST_F(Bzip2, EachSourceHasAnInputAndAnOutput) {
  const auto original = text(7 * block), short_one = text(2 * block, "short");
  begin_with(original, {"-input", short_one, "-latency", "-json", path("json")});
  {
    spb::Source one(2, 0, 3, 0), other;
    other.setBatchSize(1);
    other.setBatchInterval(1);
    other.setQueueMaxSize(2);
    other.setFrequency(500);
    other.init();
    SharedQueue<spb::Item> in_order(1, 2, queue_order::by_item);
    std::jthread first([&] {
      for (spb::Item item; one.getItem(item);) in_order.enqueue(std::move(item));
      in_order.close();
    });
    std::jthread second([&] {
      while (!other.depleted()) in_order.enqueue(other.getItem());
      EXPECT_FALSE(other.getItem());
      in_order.close();
    });
    for (spb::Item item; in_order.dequeue(item);) spb::Sink::op(item);
    EXPECT_EQ(one.getSourceName(), "text");
    EXPECT_EQ(other.getSourceName(), "short");
    EXPECT_GT(one.getAverageThroughput(), 0);
    EXPECT_GT(other.getInstantThroughput(100), 0);
    EXPECT_GT(one.getAverageLatency() + one.getInstantLatency(100), 0);
  }
  end();
  EXPECT_EQ(read(output()), read(original));
  EXPECT_EQ(read(path("output.2")), read(short_one));
  const auto sources = results()["sources"];
  ASSERT_EQ(sources.size(), 2U);
  EXPECT_EQ(sources[0]["elements"], 7);
  EXPECT_EQ(sources[1]["elements"], 2);
  for (const auto& source : sources) EXPECT_EQ(source["latency"]["count"], source["elements"]);
}

// As SPBench's programs do: nothing begins the measurement, and the run is ended twice.
TEST_F(Bzip2, WithASourceBeginsTheMeasurement) {
  const auto original = text(3 * block);
  with_arguments(spb::init_bench, original, {"-json", path("json")});
  {
    spb::Source source(1, 0, 1, 0);
    source.init();  // runs already
    while (!source.depleted()) {
      auto item = source.getItem();
      EXPECT_EQ(item.sourceId, 0);
      EXPECT_EQ(item.batch_size, 1);
      spb::Sink::op(item);
    }
    spb::Metrics::init();  // too late to begin
    spb::end_bench();
  }
  spb::end_bench();
  EXPECT_EQ(read(output()), read(original));
  EXPECT_EQ(results()["elements"], 3);
}

TEST_F(Bzip2, MoreSourcesThanInputsReadThemAgain) {
  const auto original = text(2 * block);
  begin_with(original);
  {
    spb::Source one(1, 0, 0, 0), other(1, 0, 0, 0);
    while (!(one.depleted() && other.depleted()))
      for (auto* source : {&one, &other}) {
        auto item = source->getItem();
        spb::Sink::op(item);
      }
  }
  end();
  EXPECT_EQ(read(path("output.2")), read(original));
}

TEST_F(Bzip2, SeveralInputsAreReadBySeveralSourcesOfOneKind) {
  const auto one = text(10), other = text(20, "other");
  write(path("packed.bz2"), "BZh9");
  const auto sources = [&](const fs::path& second) {
    begin_with(one, {"-input", second});
    spb::Source first(1, 0, 1, 0), more(1, 0, 1, 0);
  };
  EXPECT_EXIT(sources(path("packed.bz2")), ExitedWithCode(1),
              "of several inputs all are .bz2 files, or none");
  EXPECT_EXIT(sources(output()), ExitedWithCode(1), "output");
  EXPECT_EXIT(
      {
        begin_with(one, {"-input", other});
        copy();
        end();
      },
      ExitedWithCode(1), "-input was given 2 times, but the program has 1 source");
}

TEST_F(Bzip2, ASourceGoesByTheOptionsUnlessItIsTold) {
  begin_with(text(5 * block), {"-batch-size", "3"});
  spb::Source by_options, told;
  EXPECT_EQ(by_options.getBatchSize(), 3);
  told.setBatchSize(1);
  EXPECT_EQ(told.getBatchSize(), 1);
  told.setFrequency(20);
  EXPECT_EQ(told.getFrequency(), 20);
  told.setFrequency(0);
  EXPECT_EQ(told.getFrequency(), 0);
  by_options.init();
  EXPECT_EQ(by_options.getItem().size(), 3U);
  EXPECT_EQ(by_options.getItem().size(), 2U);
  EXPECT_FALSE(by_options.getItem());
}

TEST_F(Bzip2, NobodyWaitsForASourceThatIsNotStarted) {
  begin_with(text(5 * block));
  spb::Source source;
  EXPECT_FALSE(source.getItem());
  EXPECT_EXIT(source.depleted(), ExitedWithCode(1), "call its init");
  EXPECT_EXIT(source.setQueueMaxSize(-1), ExitedWithCode(1), "fewer than 0 items");
}

TEST_F(Bzip2, NobodyWaitsInSilence) {
  begin_with(text(block));
  spb::detail::source_control source;
  source.set_frequency(0.5);
  source.start([](spb::detail::feed&) {}, [] {});
  testing::internal::CaptureStderr();
  for (int i = 0; i < 7; ++i) source.tell_waiting();
  const auto told = testing::internal::GetCapturedStderr();
  EXPECT_THAT(told, testing::HasSubstr("source 1, text, has given no item for 10 s"));
  EXPECT_THAT(told, testing::HasSubstr("for 40 s; its frequency is"));
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 3);  // 10, 20 and 40 s
}

TEST_F(Bzip2, ASourceThatIsNotReadToItsEndStops) {
  begin_with(text(5 * block));
  spb::Source source(1, 0, 1, 0);
  EXPECT_TRUE(source.getItem());
  end();
  EXPECT_FALSE(source.getItem());
}

}  // namespace
