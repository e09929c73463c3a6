#include "words.h"

#include <cstdio>

static int failures = 0;

static void expect(const char *text, int words)
{
    const int counted = countWords(text);
    if (counted != words) {
        std::printf("FAILED: \"%s\" has %d words, counted %d\n", text, words, counted);
        ++failures;
    }
}

int main()
{
    expect("", 0);
    expect("one", 1);
    expect("one two three", 3);
    expect("  much   space ", 2);
    std::printf("%d failed\n", failures);
    return failures == 0 ? 0 : 1;
}
