#pragma once

#include <string>

/// The number of words in a text; words are separated by one or more spaces.
int countWords(const std::string &text);
