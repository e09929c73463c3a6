#include "sandbox/policy/Text.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace spettro::sandbox::text {

namespace {

constexpr std::string_view HexDigits = "0123456789ABCDEF";

struct CharacterRange
{
    char32_t first;
    char32_t last;
};

// What a terminal obeys instead of showing, what has no width, and what changes the reading direction: with
// any of them a line can look like another one.
constexpr std::array HiddenCharacters{
    CharacterRange{0x00, 0x1F},     CharacterRange{0x7F, 0x9F},     CharacterRange{0xAD, 0xAD},
    CharacterRange{0x034F, 0x034F}, CharacterRange{0x061C, 0x061C}, CharacterRange{0x115F, 0x1160},
    CharacterRange{0x180B, 0x180F}, CharacterRange{0x200B, 0x200F}, CharacterRange{0x2028, 0x202E},
    CharacterRange{0x2060, 0x206F}, CharacterRange{0x3164, 0x3164}, CharacterRange{0xFE00, 0xFE0F},
    CharacterRange{0xFEFF, 0xFEFF}, CharacterRange{0xFFF0, 0xFFFB}, CharacterRange{0xE0000, 0xE0FFF},
};

bool isHidden(char32_t character)
{
    return std::any_of(HiddenCharacters.begin(), HiddenCharacters.end(),
                       [character](const CharacterRange &range) {
                           return character >= range.first && character <= range.last;
                       });
}

std::uint8_t byteAt(std::string_view text, std::size_t index)
{
    return static_cast<std::uint8_t>(text[index]);
}

bool hasContinuation(std::string_view text, std::size_t index)
{
    return index < text.size() && (byteAt(text, index) & 0xC0U) == 0x80U;
}

void appendByteEscape(std::string &out, char byte)
{
    const auto value = static_cast<std::uint8_t>(byte);
    out += "\\x";
    out += HexDigits[value >> 4U];
    out += HexDigits[value & 0x0FU];
}

void appendCharacterEscape(std::string &out, char32_t character)
{
    std::string digits;
    for (char32_t rest = character; rest != 0; rest >>= 4U) {
        digits.insert(digits.begin(), HexDigits[rest & 0x0FU]);
    }
    out += "\\u{" + digits + '}';
}

void appendHidden(std::string &out, std::string_view bytes, char32_t character)
{
    if (character == U'\n') {
        out += "\\n";
    } else if (character == U'\t') {
        out += "\\t";
    } else if (character < 0x80) {
        appendByteEscape(out, bytes.front());
    } else {
        appendCharacterEscape(out, character);
    }
}

enum class Backslash { Kept, Doubled };

std::string escape(std::string_view text, Backslash backslash)
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const Character character = firstCharacter(text);
        const std::string_view bytes = text.substr(0, std::max<std::size_t>(character.length, 1));
        if (character.length == 0) {
            appendByteEscape(out, bytes.front());
        } else if (isHidden(character.value)) {
            appendHidden(out, bytes, character.value);
        } else if (character.value == U'\\' && backslash == Backslash::Doubled) {
            out += "\\\\";
        } else {
            out += bytes;
        }
        text.remove_prefix(bytes.size());
    }
    return out;
}

bool isPlainForShell(char character)
{
    constexpr std::string_view Marks = "_@%+=:,./-";
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z')
           || (character >= '0' && character <= '9') || Marks.find(character) != std::string_view::npos;
}

std::string singleQuoted(std::string_view text)
{
    std::string out = "'";
    for (const char character : text) {
        if (character == '\'') {
            out += "'\\''";
        } else {
            out += character;
        }
    }
    return out + '\'';
}

std::string ansiQuoted(std::string_view text)
{
    std::string out = "$'";
    for (const char character : text) {
        const auto value = static_cast<std::uint8_t>(character);
        if (value < 0x20U || value >= 0x7FU) {
            appendByteEscape(out, character);
        } else if (character == '\'' || character == '\\') {
            (out += '\\') += character;
        } else {
            out += character;
        }
    }
    return out + '\'';
}

} // namespace

Character firstCharacter(std::string_view text)
{
    if (text.empty()) {
        return {};
    }
    const std::uint8_t lead = byteAt(text, 0);
    if (lead < 0x80U) {
        return {lead, 1};
    }
    const std::size_t length = lead >= 0xC2U && lead <= 0xDFU   ? 2
                               : (lead & 0xF0U) == 0xE0U        ? 3
                               : lead >= 0xF0U && lead <= 0xF4U ? 4
                                                                : 0;
    if (length == 0) {
        return {};
    }
    char32_t value = lead & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if (!hasContinuation(text, i)) {
            return {};
        }
        value = (value << 6U) | (byteAt(text, i) & 0x3FU);
    }
    const bool isOverlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
    const bool isSurrogate = value >= 0xD800 && value <= 0xDFFF;
    if (isOverlong || isSurrogate || value > 0x10FFFF) {
        return {};
    }
    return {value, length};
}

std::string printable(std::string_view text)
{
    return escape(text, Backslash::Kept);
}

std::string escaped(std::string_view text)
{
    return escape(text, Backslash::Doubled);
}

std::string quoted(std::string_view text)
{
    constexpr std::size_t Longest = 160;
    if (text.size() <= Longest) {
        return '\'' + printable(text) + '\'';
    }
    std::size_t end = Longest;
    while (end > Longest - 3 && hasContinuation(text, end)) { // do not cut inside a character
        --end;
    }
    return '\'' + printable(text.substr(0, end)) + "...'";
}

std::string shellQuoted(std::string_view text)
{
    if (!text.empty() && std::all_of(text.begin(), text.end(), isPlainForShell)) {
        return std::string(text);
    }
    return printable(text) == text ? singleQuoted(text) : ansiQuoted(text);
}

} // namespace spettro::sandbox::text
