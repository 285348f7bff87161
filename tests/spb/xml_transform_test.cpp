#include "apps/xml_transform/xml_transform.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <xml_transform.hpp>

#include "run.hpp"

namespace {

using testing::ExitedWithCode;
namespace xml = apps::xml_transform;
namespace fs = std::filesystem;

/// Three documents, and a style sheet that adds up what is in one.
class XmlTransform : public run_test {
 protected:
  void SetUp() override {
    fs::create_directory(folder);
    write(style,
          "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>\n"
          "<xsl:output method='text'/>\n"
          "<xsl:template match='/a'>sum <xsl:value-of select='sum(b)'/></xsl:template>\n"
          "</xsl:stylesheet>\n");
    write(document(0), "<a><b>2</b><b>40</b></a>");
    write(document(1), "<a/>");
    write(document(2), "<a><b>-1</b></a>");
  }
  fs::path document(std::size_t number) const { return folder / (std::to_string(number) + ".xml"); }
  void begin(std::initializer_list<std::string> more = {}) { begin_with(folder, more); }
  static void run() { run_in_order<spb::Item, spb::Source, spb::Load, spb::Transform, spb::Sink>(); }

  /// Whether the archive has the three results, whose contents stand between headers and zeros.
  void expect_results() const {
    xml::archive_reader archive(output());
    for (const auto& [name, content] :
         {std::pair{"0.txt", "sum 42"}, std::pair{"1.txt", "sum 0"}, std::pair{"2.txt", "sum -1"}}) {
      const auto found = archive.next();
      ASSERT_TRUE(found) << name;
      EXPECT_EQ(found->name, name);
      EXPECT_EQ(found->content, content);
    }
    EXPECT_FALSE(archive.next());
  }

  const fs::path folder = path("folder"), style = folder / "sum.xsl";
};

TEST_F(XmlTransform, DocumentsBecomePagesWhateverTheBatch) {
  begin();
  run();
  EXPECT_FALSE(fs::exists(output()));
  end();
  expect_results();
  begin({"-in-memory", "-batch-size", "2"});
  for (std::size_t i = 0; i < 3; ++i) fs::resize_file(document(i), 0);  // they have been read
  run();
  end();
  expect_results();
}

TEST_F(XmlTransform, ThreadsShareTheStyleSheet) {
  begin();
  SharedQueue<spb::Item> in_order(1, 2, queue_order::by_item);
  std::vector<std::jthread> threads;
  threads.reserve(2);
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&] {
      for (spb::Item item; spb::Source::op(item);) {
        spb::Load::op(item);
        spb::Transform::op(item);
        in_order.enqueue(std::move(item));
      }
      in_order.close();
    });
  for (spb::Item item; in_order.dequeue(item);) spb::Sink::op(item);
  threads.clear();
  end();
  expect_results();
}

TEST_F(XmlTransform, DocumentsOutOfOrderAreAnError) {
  begin();
  leave_out_the_first<spb::Item, spb::Source, spb::Sink>();
  EXPECT_EXIT(end(), ExitedWithCode(1), "document 1 came where document 0 was due");
}

TEST_F(XmlTransform, ADocumentThatIsNotWellFormedIsNamedAndNoArchiveIsLeft) {
  write(document(1), "<a>\n<b></a>");
  begin();
  run();
  EXPECT_EXIT(spb::Metrics::stop(), ExitedWithCode(1), "1.xml', line 2: ");
  EXPECT_FALSE(fs::exists(output()));
}

TEST_F(XmlTransform, AStyleSheetThatIsNoneIsNamed) {
  write(style, "<a/>");
  EXPECT_EXIT(begin(), ExitedWithCode(1), "sum.xsl' is no style sheet");
}

TEST_F(XmlTransform, DocumentsAndStyleSheetAreNeverTheOutput) {
  are_never_the_output(folder, {document(1), style});
}

}  // namespace
