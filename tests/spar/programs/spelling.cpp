// How a text can be spelled: digraphs, lines that go on, comments and literals that look like attributes,
// lines of the preprocessor, names in other languages.
#include <cstdio>
#include <string>

#define SQUARE(x) ((x) * (x))
#define BLOCK(x) \
  {              \
    x += 1;      \
    x *= 2;      \
  }

// [[spar::ToStream]] for (;;)
void literals() {
  const char* text = "[[spar::ToStream]] for (;;) {";
  const char* raw = R"x([[spar::Stage, spar::Input(a)]] { " )x";
  [[spar::ToStream]] for (int i = 0; i < 3; i++) {
    std::string all = R"([[spar::Stage]] "\)";                                          // [[spar::Stage]]
    [[spar::Stage, /* spar::Input(nothing), */ spar::Input(i, all), spar::Output(all),  // spar::Output(x)
      spar::Replicate(2)]] {
      all += "}"; /* } */
      all += '}';
      all += std::to_string(i);
    }
    [[spar::Stage, spar::Input(all)]] { std::printf("%s %s %s\n", all.c_str(), text, raw); }  // }
  }
}

// clang-format off
void lines() {
  [ [ spar :: ToStream ] ] for (int i = 0; i < 4; i++) <%
    int val\
ue = i;
    <:<:spar::Stage, spar::Input(value), spar::Out\
put(value):>:> { value = \
      value + 1; }
    [[using spar: Stage, Input(value)]] [[spar::Output(value), spar::Replicate(2)]] BLOCK(value)
    [[spar::Stage, spar::Input(value)]] std::printf("%d\n", SQUARE(value));
  %>
}
// clang-format on

void directives() {
  [[spar::ToStream]] for (int i = 0; i < 5; i++) {
    int result = 0;
#if 0
    [[spar::Stage]] { nonsense }
#endif
    [[spar::Stage, spar::Input(i), spar::Output(result), spar::Replicate(3)]] {
#ifdef NOT_DEFINED
      result = 17;
#else
      result = i * 3;
#endif
#define TWICE(x) ((x) + (x))
      result = TWICE(result);
#undef TWICE
    }
    [[spar::Stage, spar::Input(result)]] { std::printf("%d\n", result); }
  }
}

void other_languages() {
  int zähler = 0;
  [[spar::ToStream]] for (int ι = 0; ι < 4; ι++) {
    std::string 名前 = "é" + std::to_string(ι);
    /* äöü */ [[spar::Stage, spar::Input(名前), spar::Output(名前), spar::Replicate(2)]] { 名前 += "ü"; }
    [[spar::Stage, spar::Input(名前), spar::Output(zähler)]] {
      zähler++;
      std::puts(名前.c_str());
    }
  }
  std::printf("%d\n", zähler);
}

int main() {
  literals();
  lines();
  directives();
  other_languages();
  return 0;
}
