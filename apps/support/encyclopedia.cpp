#include "apps/support/encyclopedia.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <unordered_set>

namespace apps {

namespace {

template <std::size_t n> std::string_view one_of(random& dice, const std::string_view (&choices)[n]) {
  return choices[dice.below(n)];
}

constexpr std::string_view onsets[] = {
    "",   "b",  "c",  "d",  "f",  "g",  "h",  "l",  "m",  "n",  "p",   "r",  "s",  "t", "v",  "w",
    "b",  "c",  "d",  "f",  "g",  "h",  "l",  "m",  "n",  "p",  "r",   "s",  "t",  "v", "br", "ch",
    "cl", "cr", "fl", "gr", "pl", "pr", "qu", "sh", "sp", "st", "str", "th", "tr", "wh"};
constexpr std::string_view vowels[] = {"a", "a", "e", "e",  "e",  "i",  "i",
                                       "o", "o", "u", "ai", "ea", "ie", "ou"};
constexpr std::string_view codas[] = {"",  "",  "",   "",   "",   "",   "",   "",   "",   "c",  "d",
                                      "l", "l", "m",  "n",  "n",  "n",  "r",  "r",  "r",  "s",  "s",
                                      "t", "t", "ck", "ct", "ll", "nd", "ng", "nt", "rn", "ss", "st"};
constexpr std::string_view suffixes[] = {"",    "",    "",     "al",  "ed", "er",   "ic",  "ing",
                                         "ion", "ity", "ment", "ous", "s",  "ship", "tion"};
constexpr std::string_view months[] = {"Arn",  "Belm",  "Cor",   "Dast", "Ember", "Fenn",
                                       "Gaul", "Harth", "Ister", "Junn", "Kelm",  "Lorn"};
constexpr std::string_view fields[] = {"name",     "image",      "caption",   "born",
                                       "area_km2", "population", "region",    "language",
                                       "founded",  "website",    "elevation", "coordinates"};

}  // namespace

const std::string_view encyclopedia::head =
    "<mediawiki version=\"0.10\" xml:lang=\"xx\">\n"
    "  <siteinfo>\n"
    "    <sitename>Invented encyclopedia</sitename>\n"
    "    <case>first-letter</case>\n"
    "  </siteinfo>\n";
const std::string_view encyclopedia::tail = "</mediawiki>\n";

encyclopedia::encyclopedia(std::uint64_t seed) : dice_(seed) {
  invent_words();
  weigh_words();
  chain_words();
}

// Frequent words are short, as in every language. What draws stands in a statement of its own, here and
// below: compilers evaluate operands in different orders.
std::string encyclopedia::invent_word(std::size_t rank) {
  constexpr std::size_t particles = 60, short_words = 600, common_words = 6000;
  const auto most = rank < short_words ? 1 : rank < common_words ? 2 : 3;
  std::string made;
  for (auto left = dice_.between(std::max(1, most - 1), most); left > 0; --left) {
    made += one_of(dice_, onsets);
    made += one_of(dice_, vowels);
    if (rank >= particles) made += one_of(dice_, codas);
  }
  if (rank >= short_words) made += one_of(dice_, suffixes);
  return made;
}

void encyclopedia::invent_words() {
  std::unordered_set<std::string> known;
  starts_.push_back(0);
  while (known.size() < words) {
    auto made = invent_word(known.size());
    if (!known.insert(made).second) continue;
    letters_ += made;
    starts_.push_back(static_cast<std::uint32_t>(letters_.size()));
  }
}

// Zipf's law as Mandelbrot refined it: the frequency of the word of rank r is proportional to 1 / (r + 2.7).
// The table is M. D. Vose's (A Linear Algorithm for Generating Random Numbers with a Given Distribution,
// 1991), in whole numbers.
void encyclopedia::weigh_words() {
  std::vector<std::uint64_t> weights(words);
  std::uint64_t all = 0;
  for (std::size_t r = 0; r < words; ++r) all += weights[r] = (std::uint64_t{1} << 36U) / (10 * r + 27);
  std::vector<word> poor, rich;
  for (std::size_t r = 0; r < words; ++r) {
    weights[r] *= words;  // 1 column is worth `all`
    (weights[r] < all ? poor : rich).push_back(static_cast<word>(r));
  }
  columns_.assign(words, {UINT32_MAX, 0});
  while (!poor.empty() && !rich.empty()) {
    const word p = poor.back(), r = rich.back();
    poor.pop_back();
    columns_[p] = {static_cast<std::uint32_t>((weights[p] << 16U) / (all >> 16U)), r};
    weights[r] -= all - weights[p];
    if (weights[r] < all) {
      rich.pop_back();
      poor.push_back(r);
    }
  }
}

void encyclopedia::chain_words() {
  chain_.resize(words);
  for (auto& next : chain_)
    for (auto& w : next) w = draw(dice_.next());
}

encyclopedia::word encyclopedia::draw(std::uint64_t random_bits) const {
  const auto w = static_cast<word>(random_bits % words);
  const column& c = columns_[w];
  return (random_bits >> 32U) < c.share ? w : c.other;
}

encyclopedia::word encyclopedia::next_word() {
  constexpr std::uint64_t follows = 26, returns = 3;  // of 64
  const auto bits = dice_.next();
  const auto how = (bits >> 15U) % 64;
  if (how < follows) return last_ = chain_[last_][(bits >> 21U) % successors];
  if (how < follows + returns) return last_ = topic_[(bits >> 32U) % topic_.size()];
  return last_ = draw(bits);
}

void encyclopedia::append_capitalised(std::string& to, word w) const {
  const auto at = to.size();
  to += text_of(w);
  to[at] = static_cast<char>(to[at] - 'a' + 'A');
}

void encyclopedia::append_digits(std::string& to, std::uint64_t number, unsigned at_least) {
  const auto text = std::to_string(number);
  if (text.size() < at_least) to.append(at_least - text.size(), '0');
  to += text;
}

void encyclopedia::append_name(std::string& to) {
  append_capitalised(to, topic_[dice_.below(topic_.size())]);
  if (dice_.chance(0.6)) {
    to += ' ';
    append_capitalised(to, draw(dice_.next()));
  }
}

void encyclopedia::append_date(std::string& to) {
  append_digits(to, 1 + dice_.below(28));
  to += ' ';
  to += one_of(dice_, months);
  to += ' ';
  append_digits(to, 1700 + dice_.below(322));
}

void encyclopedia::append_link(std::string& to) {
  to += "[[";
  append_name(to);
  if (dice_.chance(0.4)) {
    to += '|';
    to += text_of(next_word());
  }
  to += "]]";
}

void encyclopedia::append_reference(std::string& to) {
  to += "&lt;ref name=&quot;";
  to += text_of(draw(dice_.next()));
  append_digits(to, dice_.below(100));
  to += "&quot;&gt;{{cite web|url=https://www.";
  to += text_of(draw(dice_.next()));
  to += ".example/";
  to += text_of(next_word());
  to += '/';
  append_digits(to, dice_.below(10'000'000));
  to += "|title=";
  append_name(to);
  to += "|access-date=";
  append_date(to);
  to += "}}&lt;/ref&gt;";
}

void encyclopedia::append_sentence(std::string& to) {
  const auto length = dice_.between(6, 26);
  append_capitalised(to, next_word());
  for (std::int64_t i = 1; i < length; ++i) {
    const auto kind = dice_.below(256);
    if (kind < 12 && i + 1 < length) to += ',';
    to += ' ';
    if (kind >= 250) {
      append_date(to);
    } else if (kind >= 246) {
      append_digits(to, dice_.below(100'000));
    } else if (kind >= 236) {
      append_link(to);
    } else if (kind >= 230) {
      append_name(to);
    } else if (kind >= 228) {
      to += "''";
      to += text_of(next_word());
      to += "''";
    } else {
      to += text_of(next_word());
    }
  }
  to += '.';
  if (dice_.chance(0.1)) append_reference(to);
}

void encyclopedia::append_paragraph(std::string& to) {
  for (auto sentences = dice_.between(2, 7); sentences > 0; --sentences) {
    append_sentence(to);
    to += sentences > 1 ? " " : "\n\n";
  }
}

void encyclopedia::append_list(std::string& to) {
  for (auto entries = dice_.between(3, 12); entries > 0; --entries) {
    to += "* ";
    append_link(to);
    to += " - ";
    for (auto n = dice_.between(1, 8); n > 0; --n) {
      to += text_of(next_word());
      to += n > 1 ? ' ' : '\n';
    }
  }
  to += '\n';
}

void encyclopedia::append_table(std::string& to) {
  to += "{| class=&quot;wikitable sortable&quot;\n";
  for (auto rows = dice_.between(3, 15); rows > 0; --rows) {
    to += "|-\n| ";
    append_name(to);
    to += " || ";
    append_date(to);
    to += " || align=&quot;right&quot; | ";
    append_digits(to, dice_.below(1'000'000));
    to += '\n';
  }
  to += "|}\n\n";
}

void encyclopedia::append_infobox(std::string& to) {
  to += "{{Infobox ";
  to += text_of(topic_[0]);
  to += '\n';
  for (const auto field : fields) {
    if (dice_.chance(0.4)) continue;
    to += "| ";
    to += field;
    to.append(14 - field.size(), ' ');
    to += "= ";
    dice_.chance(0.5) ? append_name(to) : append_date(to);
    to += '\n';
  }
  to += "}}\n";
}

void encyclopedia::append_article(std::string& to) {
  if (dice_.chance(0.5)) append_infobox(to);
  to += "'''";
  to += title_;
  to += "''' ";
  append_paragraph(to);
  // Most articles are short, a few are very long.
  const auto sections = dice_.below(dice_.chance(0.1) ? 24 : 6);
  for (std::uint64_t s = 0; s < sections; ++s) {
    to += "== ";
    append_name(to);
    to += " ==\n";
    for (auto paragraphs = dice_.between(1, 3); paragraphs > 0; --paragraphs) append_paragraph(to);
    if (dice_.chance(0.2)) append_list(to);
    if (dice_.chance(0.1)) append_table(to);
  }
  for (auto categories = dice_.between(1, 5); categories > 0; --categories) {
    to += "[[Category:";
    append_name(to);
    to += "]]\n";
  }
}

void encyclopedia::append_page(std::string& to) {
  for (auto& w : topic_) w = draw(dice_.next());
  title_.clear();
  append_name(title_);
  article_.clear();
  append_article(article_);

  revision_ += 1 + dice_.below(5000);
  page_ += 1 + dice_.below(30);
  to += "  <page>\n    <title>";
  to += title_;
  to += "</title>\n    <ns>0</ns>\n    <id>";
  append_digits(to, page_);
  to += "</id>\n    <revision>\n      <id>";
  append_digits(to, revision_);
  to += "</id>\n      <timestamp>";
  append_digits(to, 2010 + dice_.below(12));
  for (const auto& [before, from, most] :
       {std::tuple{'-', 1U, 12U}, {'-', 1U, 28U}, {'T', 0U, 24U}, {':', 0U, 60U}, {':', 0U, 60U}}) {
    to += before;
    append_digits(to, from + dice_.below(most), 2);
  }
  to += "Z</timestamp>\n      <contributor>\n        <username>";
  append_capitalised(to, draw(dice_.next()));
  append_digits(to, dice_.below(1000));
  to += "</username>\n        <id>";
  append_digits(to, dice_.below(10'000'000));
  to += "</id>\n      </contributor>\n      <model>wikitext</model>\n      <text bytes=\"";
  append_digits(to, article_.size());
  to += "\" xml:space=\"preserve\">";
  to += article_;
  to += "</text>\n      <sha1>";
  for (int i = 0; i < 31; ++i) to += "0123456789abcdefghijklmnopqrstuvwxyz"[dice_.below(36)];
  to += "</sha1>\n    </revision>\n  </page>\n";
}

}  // namespace apps
