#include "apps/xml_transform/xml_transform.hpp"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/support/hash.hpp"
#include "apps/xml_transform/inputs.hpp"
#include "apps/xml_transform/page.hpp"
#include "apps/xml_transform/statement.hpp"
#include "message.hpp"
#include "stages/scratch.hpp"

namespace xml = apps::xml_transform;
namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

namespace {

std::string style(const std::string& content, const std::string& method = "text") {
  return "<xsl:stylesheet version=\"1.0\" xmlns:xsl=\"http://www.w3.org/1999/XSL/Transform\">\n<xsl:output "
         "method=\"" +
         method + "\"/>\n" + content + "\n</xsl:stylesheet>\n";
}

/// What the operators make of the documents of a folder, in one thread.
void run(const fs::path& folder, const fs::path& to, xml::input_held held = xml::input_held::on_disk) {
  const auto collection = xml::read_collection(folder);
  const auto by = std::make_shared<const xml::style_sheet>(collection.style);
  xml::source source(collection.documents, held);
  const xml::load load;
  const xml::transform transform{by};
  xml::sink sink(to, collection, *by);
  while (auto document = source()) sink(transform(load(std::move(*document))));
  sink.close();
}

std::vector<std::pair<std::string, std::string>> files_of(const fs::path& archive) {
  std::vector<std::pair<std::string, std::string>> found;
  xml::archive_reader reader(archive);
  while (const auto next = reader.next()) found.emplace_back(next->name, next->content);
  return found;
}

class XmlTransform : public testing::Test {
 protected:
  std::string transformed(const std::string& document, const std::string& sheet) const {
    const auto file = dir.write("a.xml", document);
    const auto tree = xml::parse(document, file);
    return xml::style_sheet(dir.write("a.xsl", sheet)).apply(*tree, file);
  }
  scratch dir;
};

TEST_F(XmlTransform, AppliesAStyleSheet) {
  const auto sheet = style(
      "<xsl:template match='/a'><xsl:value-of select='sum(b)'/>;<xsl:value-of select='c'/></xsl:template>");
  EXPECT_EQ(transformed("<a><b>2</b><b>40</b><c>x &lt; y &amp; \xC3\xA9</c></a>", sheet),
            "42;x < y & \xC3\xA9");
  EXPECT_EQ(transformed("<!DOCTYPE a [<!ENTITY e 'told'>]><a><c>&e;<![CDATA[<]]></c></a>", sheet), "0;told<");
  EXPECT_EQ(transformed("<a/>", style("<xsl:template match='/'/>")), "");
}

TEST_F(XmlTransform, ResultsAreNamedByTheirKind) {
  for (const auto& [method, ending] : {std::pair{"html", ".html"}, {"text", ".txt"}, {"xml", ".xml"}})
    EXPECT_STREQ(xml::style_sheet(dir.write("a.xsl", style("", method))).ending(), ending);
}

TEST_F(XmlTransform, BadDocumentsAreNamedWithTheirLine) {
  const auto wrong = [&](const std::string& text) { return message_of([&] { xml::parse(text, "a.xml"); }); };
  EXPECT_EQ(wrong(""), "'a.xml' is empty");
  EXPECT_THAT(wrong("no XML"), HasSubstr("'a.xml', line 1: "));
  EXPECT_THAT(wrong("<a>\n<b>\n</a>"), AllOf(HasSubstr("'a.xml', line 3: "), HasSubstr("mismatch: b")));
  EXPECT_THAT(wrong("<a>\n<b/>\n"), HasSubstr("'a.xml', line 3: "));
  EXPECT_THAT(wrong("<a>\n\xFF</a>"), HasSubstr("'a.xml', line 2: "));
  xml::document missing;
  missing.file = dir / "none.xml";
  EXPECT_THAT(message_of([&] { xml::load{}(missing); }), HasSubstr("none.xml"));
}

TEST_F(XmlTransform, BadStyleSheetsAreNamedWithTheirLine) {
  const auto wrong = [&](const std::string& text) {
    return message_of([&] { xml::style_sheet(dir.write("a.xsl", text)); });
  };
  EXPECT_THAT(wrong("<a>\n<b></a>"), HasSubstr("a.xsl', line 2: "));
  EXPECT_THAT(wrong(style("<xsl:template match='/'>\n<xsl:value-of select='('/></xsl:template>")),
              AllOf(HasSubstr("a.xsl' is no style sheet: "), HasSubstr("line 4 element value-of")));
  EXPECT_THAT(wrong("<a/>"), HasSubstr("a.xsl' is no style sheet: "));
  EXPECT_THAT(message_of([&] { xml::style_sheet(dir / "none.xsl"); }), HasSubstr("none.xsl"));
}

TEST_F(XmlTransform, WhatFailsOnTheWayIsNamed) {
  const auto wrong = [&](const std::string& content) {
    return message_of(
        [&] { transformed("<a/>", style("<xsl:template match='/'>\n" + content + "</xsl:template>")); });
  };
  EXPECT_THAT(
      wrong("<xsl:message terminate='yes'>no total</xsl:message>"),
      AllOf(HasSubstr("a.xml' cannot be transformed by '"), HasSubstr("a.xsl': "), HasSubstr("no total")));
  EXPECT_THAT(wrong("<xsl:value-of select='unknown()'/>"),
              AllOf(HasSubstr("line 4 element value-of"), HasSubstr("unknown")));
  EXPECT_THAT(wrong("<xsl:call-template name='none'/>"), HasSubstr("none"));
}

TEST_F(XmlTransform, WhatStandsElsewhereIsNotLoaded) {
  const auto secret = dir.write("secret.txt", "told to nobody").string();
  const auto wrong = [&](const std::string& declared, const std::string& content) {
    return message_of(
        [&] { xml::parse("<!DOCTYPE a [" + declared + "]>\n<a>" + content + "</a>", "a.xml"); });
  };
  for (const auto& place : {"file://" + secret, secret, std::string("http://127.0.0.1:9/x")}) {
    EXPECT_EQ(wrong("<!ENTITY e SYSTEM '" + place + "'>", "&e;"),
              "'a.xml', line 2: the entity 'e' stands elsewhere, and is not loaded");
    EXPECT_EQ(wrong("<!ENTITY e SYSTEM '" + place + "'><!ENTITY f '<b>&e;</b>'>", "&f;"),
              "'a.xml', line 1: the entity 'e' stands elsewhere, and is not loaded");
    EXPECT_EQ(wrong("<!ENTITY % e SYSTEM '" + place + "'>%e;", ""),
              "'a.xml', line 1: the entity 'e' stands elsewhere, and is not loaded");
  }
  // What is declared and not used does no harm, nor does a document type that is elsewhere.
  const auto sheet = style("<xsl:template match='/a'>[<xsl:value-of select='.'/>]</xsl:template>");
  EXPECT_EQ(transformed("<!DOCTYPE a [<!ENTITY e SYSTEM '" + secret + "'>]><a>b</a>", sheet), "[b]");
  EXPECT_EQ(transformed("<!DOCTYPE a SYSTEM 'http://127.0.0.1:9/a.dtd'><a>b</a>", sheet), "[b]");
  // Nor does a style sheet bring it in through another document, which then counts as missing.
  const auto by_way = style(
      "<xsl:template match='/a'><xsl:value-of select=\"document('other.xml')\"/>;"
      "<xsl:value-of select=\"document('one%20more.xml', /)\"/></xsl:template>");
  dir.write("one more.xml", "<a>good</a>");
  dir.write("other.xml", "<!DOCTYPE a [<!ENTITY e SYSTEM '" + secret + "'>]><a>&e;</a>");
  EXPECT_EQ(transformed("<a/>", by_way), ";good");
  dir.write("other.xml", "<a>other</a>");
  EXPECT_EQ(transformed("<a/>", by_way), "other;good");
}

TEST_F(XmlTransform, EntitiesThatGrowWithoutEndAreRefused) {
  // Ten times as much with each level.
  std::string levels = "<!ENTITY e0 'lol'>";
  for (int i = 1; i < 12; ++i) {
    const auto name = "&e" + std::to_string(i - 1) + ";";
    levels += "<!ENTITY e" + std::to_string(i) + " '";
    for (int k = 0; k < 10; ++k) levels += name;
    levels += "'>";
  }
  EXPECT_THAT(message_of([&] { xml::parse("<!DOCTYPE a [" + levels + "]><a>&e11;</a>", "a.xml"); }),
              HasSubstr("'a.xml', line 1: "));
  // Much, again and again.
  std::string often;
  for (int i = 0; i < 100'000; ++i) often += "&e;";
  EXPECT_THAT(message_of([&] {
                xml::parse(
                    "<!DOCTYPE a [<!ENTITY e '" + std::string(100'000, 'x') + "'>]><a>" + often + "</a>",
                    "a.xml");
              }),
              HasSubstr("'a.xml', line 1: "));
  EXPECT_THAT(
      message_of([&] { xml::parse("<!DOCTYPE a [<!ENTITY e '&f;'><!ENTITY f '&e;'>]><a>&e;</a>", "a.xml"); }),
      HasSubstr("loop"));
}

TEST_F(XmlTransform, StyleSheetMayNotWriteFiles) {
  const auto sheet =
      "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform' "
      "xmlns:e='http://icl.com/saxon' extension-element-prefixes='e'>"
      "<xsl:template match='/'><e:output href='" +
      (dir / "made").string() +
      "'>x</e:output></xsl:template>"
      "</xsl:stylesheet>";
  EXPECT_THAT(message_of([&] { transformed("<a/>", sheet); }), HasSubstr("cannot be transformed"));
  EXPECT_FALSE(fs::exists(dir / "made"));
}

TEST_F(XmlTransform, FolderHasDocumentsAndOneStyleSheet) {
  const auto wrong = [&] { return message_of([&] { xml::read_collection(dir.path()); }); };
  EXPECT_THAT(wrong(), EndsWith("' has no .xml files"));
  dir.write("b.xml", "<a/>");
  dir.write("a.xml", "<a/>");
  EXPECT_THAT(wrong(), EndsWith("' has no .xsl files"));
  dir.write("s.xsl", style(""));
  const auto found = xml::read_collection(dir.path());
  EXPECT_THAT(found.documents, ElementsAre(dir / "a.xml", dir / "b.xml"));
  EXPECT_EQ(found.style, dir / "s.xsl");
  dir.write("t.xsl", style(""));
  EXPECT_THAT(wrong(), EndsWith("has several style sheets: 's.xsl', 't.xsl'"));
}

TEST_F(XmlTransform, SinkWantsAllDocumentsInOrderAndNoInputInItsPlace) {
  for (const auto* name : {"a.xml", "b.xml"}) dir.write(name, "<a/>");
  dir.write("s.xsl", style(""));
  const auto collection = xml::read_collection(dir.path());
  const xml::style_sheet by(collection.style);
  const auto write = [&](const std::vector<std::uint64_t>& numbers) {
    xml::sink sink(dir / "out.tar", collection, by);
    for (const auto number : numbers) {
      xml::document one;
      one.number = number;
      one.file = collection.documents.at(number);
      one.page = std::string(number * 700, 'x');
      sink(one);
    }
    sink.close();
  };
  EXPECT_THAT(message_of([&] { write({1}); }), EndsWith("document 1 came where document 0 was due"));
  EXPECT_THAT(message_of([&] { write({0}); }), EndsWith("out.tar' is not written: document 1 is missing"));
  for (const auto* input : {"b.xml", "s.xsl"})
    EXPECT_THAT(message_of([&] { xml::sink(dir / input, collection, by); }), HasSubstr("is the input"));
  EXPECT_THAT(dir.names(), ElementsAre("a.xml", "b.xml", "s.xsl"));  // nothing half written
  write({0, 1});
  EXPECT_THAT(files_of(dir / "out.tar"),
              ElementsAre(std::pair("a.txt", ""), std::pair("b.txt", std::string(700, 'x'))));
}

TEST_F(XmlTransform, ArchivesAreThoseOfTar) {
  xml::archive_writer out(dir / "a.tar");
  out.add("one.html", "first");
  out.add("two.html", std::string(512, 'y'));
  EXPECT_THAT(message_of([&] { out.add(std::string(101, 'n'), ""); }), HasSubstr("name is too long"));
  out.close();
  const auto unpack = "tar -C '" + dir.path().string() + "' -xf '" + (dir / "a.tar").string() + "'";
  ASSERT_EQ(std::system(unpack.c_str()), 0);
  EXPECT_EQ(scratch::read(dir / "one.html"), "first");
  EXPECT_EQ(scratch::read(dir / "two.html"), std::string(512, 'y'));

  const auto good = scratch::read(dir / "a.tar");
  const auto wrong = [&](const std::string& bytes) {
    return message_of([&] { files_of(dir.write("b.tar", bytes)); });
  };
  EXPECT_THAT(wrong(""), HasSubstr("b.tar' is cut off"));
  EXPECT_THAT(wrong(good.substr(0, 700)), HasSubstr("b.tar' is cut off"));
  EXPECT_THAT(wrong(good.substr(0, good.size() - 512)), HasSubstr("another end"));
  auto damaged = good;
  damaged[3] = 'x';
  EXPECT_THAT(wrong(damaged), HasSubstr("b.tar' is damaged"));
  damaged = good;
  damaged[512 + 5] = 'x';  // behind the five bytes of the first file
  EXPECT_THAT(wrong(damaged), HasSubstr("b.tar' has something"));
  damaged = good;
  --damaged[106];  // of the mode, and of the user: the sum stays the same
  ++damaged[114];
  EXPECT_THAT(wrong(damaged), HasSubstr("b.tar' has something"));
}

/// The input `test`, made once, and what the operators make of it.
class XmlTransformInput : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    input = std::make_unique<scratch>();
    xml::generate("test", input->path(), [](std::uint64_t done, std::uint64_t) { told = done; });
    results = std::make_unique<scratch>();
    run(input->path(), output());
  }
  static void TearDownTestSuite() {
    input.reset();
    results.reset();
  }
  static fs::path output() { return *results / "pages.tar"; }
  void refused(const std::vector<std::pair<std::string, std::string>>& files, const std::string& says) const {
    xml::archive_writer out(dir / "out.tar");
    for (const auto& [name, content] : files) out.add(name, content);
    out.close();
    const auto verdict = xml::verify("test", input->path(), dir / "out.tar");
    EXPECT_FALSE(verdict.good);
    EXPECT_THAT(verdict.says, EndsWith(says));
  }

  static inline std::unique_ptr<const scratch> input, results;
  static inline std::uint64_t told = 0;
  scratch dir;
};

TEST_F(XmlTransformInput, IsTheSameOnEveryMachine) {
  apps::hasher all;
  for (const auto& name : input->names()) all.add(scratch::read(*input / name));
  EXPECT_EQ(all.hex(), "a71a9b46269e57569f2f3e2cc42121322f6b1581fe02c16095ba2d1234e34abb");
  EXPECT_EQ(input->names().size(), 61U);
  EXPECT_EQ(told, 60U);
  std::uint64_t shortest = 1'000'000, longest = 0;
  for (const auto& file : xml::read_collection(input->path()).documents) {
    shortest = std::min<std::uint64_t>(shortest, fs::file_size(file));
    longest = std::max<std::uint64_t>(longest, fs::file_size(file));
  }
  EXPECT_GT(longest, 20 * shortest);
}

TEST_F(XmlTransformInput, MayBeHeldInMemory) {
  run(input->path(), dir / "held.tar", xml::input_held::in_memory);
  EXPECT_EQ(apps::hash_of_file(dir / "held.tar"), apps::hash_of_file(output()));
}

TEST_F(XmlTransformInput, ThreadsShareAStyleSheet) {
  const auto collection = xml::read_collection(input->path());
  const xml::transform transform{std::make_shared<const xml::style_sheet>(collection.style)};
  const auto pages = files_of(output());
  constexpr std::size_t threads = 4;
  std::vector<int> wrong(threads, -1);
  {
    std::vector<std::jthread> working;
    for (std::size_t i = 0; i < threads; ++i)
      working.emplace_back([&, i] {
        int count = 0;
        xml::source source(collection.documents);
        // All threads do the same documents at the same time.
        while (auto document = source()) {
          const auto number = document->number;
          if (number % 2 == 0) continue;
          if (transform(xml::load{}(std::move(*document))).page != pages.at(number).second) ++count;
        }
        wrong[i] = count;
      });
  }
  EXPECT_THAT(wrong, testing::Each(0));
}

TEST_F(XmlTransformInput, VerifierAcceptsASequentialRun) {
  const auto [good, says] = xml::verify("test", input->path(), output());
  EXPECT_TRUE(good) << says;
  EXPECT_EQ(says, "60 pages, as written by hand");
}

TEST_F(XmlTransformInput, VerifierRefusesOtherArchives) {
  const auto pages = files_of(output());
  auto other = pages;
  other[7].second.replace(other[7].second.find("</td>"), 5, "</TD>");
  refused(other, "'statement00007.html' is not the page of its statement");
  other = pages;
  std::swap(other[3], other[4]);
  refused(other, "'statement00004.html' comes where 'statement00003.html' is due");
  other = pages;
  std::swap(other[3].second, other[4].second);
  refused(other, "'statement00003.html' is not the page of its statement");
  other.pop_back();
  other[3] = pages[3];
  other[4] = pages[4];
  refused(other, "'statement00059.html' is missing");
  other = pages;
  other.emplace_back("more.html", "");
  refused(other, "it has more than 60 pages");
  EXPECT_THAT(message_of([&] { xml::verify("test", input->path(), dir / "none.tar"); }),
              HasSubstr("none.tar"));
}

TEST(XmlTransformAbout, NamesInputsAndOperators) {
  const auto& about = xml::about();
  EXPECT_EQ(about.name, "xml_transform");
  EXPECT_THAT(about.operators, ElementsAre("source", "load", "transform", "sink"));
  EXPECT_THAT(about.inputs, testing::ElementsAreArray(apps::classes));
  EXPECT_EQ(message_of([&] { about.generate("tiny", "", {}); }), "xml_transform has no input 'tiny'");
}

}  // namespace
