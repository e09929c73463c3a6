#include "words.h"

int countWords(const std::string &text)
{
    int words = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == ' ') {
            ++words;
        }
    }
    return words;
}
