// How programs are written: attributes over several lines, comments in them, macros around them, odd strings.
// clang-format off
#include <cstdio>
#include <string>

#define SQUARE(x) ((x) * (x))
#define PRINT(text)            \
  do {                         \
    std::puts((text).c_str()); \
  } while (false)

/* [[spar::ToStream]] in a comment is not one: [[spar::Stage]] */
// [[spar::ToStream]] for (;;) {}

int main() {
  const std::string odd = "[[spar::ToStream]] \" [[spar::Stage, spar::Input(x)]]";
  const char* raw = R"raw([[spar::Stage]] " ) " // not a comment)raw";
  [[ spar :: ToStream ,
     spar::Input( odd, raw ) /* shared */ ]]
  for (int i = 0; i < 12; ++i)
  {
    int value = i; std::string text; const char letter = '"';
    [[spar::Stage,
      spar::Input(value,  // what comes
                  i),
      spar::Output(value, text), spar::Replicate( 2 )]]
    {
      value = SQUARE(value) + (i % 2 == 0 ? SQUARE(2) : 0);
      // A comment with a brace }
      text = "}" + std::to_string(value) + '{';
    }
    // Between the stages.
    [[ spar::Stage, spar::Input(text, letter) ]] { text = letter + text; text += ';'; PRINT(text); }
  }
  std::printf("%zu %s\n", odd.size(), raw);
	[[spar::ToStream]] for (int i = 0; i < 3; i++) { [[spar::Stage, spar::Input(i)]] { std::printf("%d\n", i); } }
#if 0
  [[spar::ToStream]] for (int i = 0; i < 3; i++) { [[spar::Stage, spar::Input(nothing)]] {} }
#endif
  return 0;
}
