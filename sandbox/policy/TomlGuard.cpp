#include "sandbox/policy/TomlGuard.h"

#include "sandbox/policy/Text.h"

#include <algorithm>

namespace spettro::sandbox {

namespace {

bool isBlank(char character)
{
    return character == ' ' || character == '\t';
}

bool isDigit(char character)
{
    return character >= '0' && character <= '9';
}

bool isInBareKey(char character)
{
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z')
           || isDigit(character) || character == '_' || character == '-';
}

bool canBeginKey(char character)
{
    return isInBareKey(character) || character == '"' || character == '\'';
}

bool isInNumber(char character)
{
    return isInBareKey(character) || character == '+' || character == '.' || character == ':';
}

/// As a TOML escape, `\U0001F600`.
std::string escapeOf(char32_t character)
{
    constexpr std::string_view HexDigits = "0123456789ABCDEF";
    std::string escape = "\\U";
    for (int shift = 28; shift >= 0; shift -= 4) {
        escape += HexDigits[(character >> shift) & 0x0FU];
    }
    return escape;
}

/// Walks over a TOML text. On a text that is not TOML it may go astray, but only after the place where the
/// parser gives up, so what it says about the part that the parser builds is right.
class Scan
{
public:
    explicit Scan(std::string_view toml) : m_toml(toml) {}

    GuardedToml run()
    {
        skipByteOrderMark();
        while (m_position < m_toml.size()) {
            const std::size_t start = m_position;
            step();
            if (!m_hazard.empty()) {
                return {{}, TomlHazard{start, m_hazard}};
            }
        }
        m_text += m_toml.substr(m_copied);
        return {std::move(m_text), std::nullopt};
    }

private:
    void skipByteOrderMark()
    {
        constexpr std::string_view Mark = "\xEF\xBB\xBF";
        m_position = m_toml.starts_with(Mark) ? Mark.size() : 0;
    }

    bool hasName() const
    {
        std::size_t next = m_position + (charAt(m_position + 1) == '[' ? 2 : 1);
        while (isBlank(charAt(next))) {
            ++next;
        }
        // The end of the text and `[]` are errors that the parser finds itself.
        return next >= m_toml.size() || m_toml[next] == ']' || canBeginKey(m_toml[next]);
    }

    void step()
    {
        const char character = m_toml[m_position];
        const bool isHeader = m_isLineStart && m_closers.empty() && character == '[';
        if (isHeader && !hasName()) {
            m_hazard = "a table header needs a name";
        }
        if (character == '#') {
            m_position = std::min(m_toml.find('\n', m_position), m_toml.size());
        } else if (character == '"' || character == '\'') {
            skipString(character);
            m_expectsValue = false;
        } else if (m_expectsValue && (isDigit(character) || character == '+' || character == '-')) {
            skipNumber();
            m_expectsValue = false;
        } else {
            note(character);
            m_expectsValue = !isHeader && expectsValueAfter(character);
            ++m_position;
        }
        m_isLineStart = character == '\n' || character == '\r' || (m_isLineStart && isBlank(character));
    }

    bool expectsValueAfter(char character) const
    {
        const bool isInArray = !m_closers.empty() && m_closers.back() == ']';
        if (character == '=' || character == '[') {
            return true;
        }
        if (character == ',') {
            return isInArray;
        }
        const bool isLineEnd = character == '\n' || character == '\r';
        return m_expectsValue && (isBlank(character) || (isLineEnd && isInArray));
    }

    void note(char character)
    {
        switch (character) {
        case '.':
            if (++m_keyDots >= MaximumTomlNesting) {
                m_hazard = "nested too deeply";
            }
            return;
        case '[':
            open(']');
            break;
        case '{':
            open('}');
            break;
        case ']':
        case '}':
            close(character);
            break;
        case '=':
        case ',':
        case '\n':
            break;
        default:
            if (!isBlank(character) && character != '\r' && (character < '!' || character > '~')) {
                m_hazard = "only visible ASCII characters may stand outside of strings and comments";
            }
            return;
        }
        m_keyDots = 0; // these end a key
    }

    void open(char closer)
    {
        m_closers += closer;
        if (m_closers.size() > MaximumTomlNesting) {
            m_hazard = "nested too deeply";
        }
    }

    void close(char closer)
    {
        if (m_closers.empty() || m_closers.back() != closer) {
            m_hazard = "a closing bracket without its opening one";
        } else {
            m_closers.pop_back();
        }
    }

    char charAt(std::size_t index) const { return index < m_toml.size() ? m_toml[index] : '\n'; }

    /// The parser looks far ahead in these, so they are the only values that are checked to their end.
    void skipNumber()
    {
        skipNumberWord();
        if (charAt(m_position) == ' ' && isDigit(charAt(m_position + 1))) { // `1979-05-27 07:32:00`
            ++m_position;
            if (!isInNumber(charAt(m_position + 1))) {
                m_hazard = "a time needs two digits for its hour";
            }
            skipNumberWord();
        }
        constexpr std::string_view Terminators = " \t\r\n,]}#";
        if (m_hazard.empty() && Terminators.find(charAt(m_position)) == std::string_view::npos) {
            m_hazard = "a number or date that does not end";
        }
    }

    void skipNumberWord()
    {
        while (m_position < m_toml.size() && isInNumber(m_toml[m_position])) {
            const char character = m_toml[m_position++];
            // Nothing but a date has a `t` in it.
            if ((character == 'T' || character == 't') && !isDigit(charAt(m_position))) {
                m_hazard = "a date needs a time after its 'T'";
            }
        }
    }

    void skipString(char quote)
    {
        const std::string_view rest = m_toml.substr(m_position);
        const bool isMultiLine = rest.size() >= 3 && rest[1] == quote && rest[2] == quote;
        m_position += isMultiLine ? 3 : 1;
        while (m_position < m_toml.size()) {
            const char character = m_toml[m_position];
            if (character == quote && skipClosingQuotes(quote, isMultiLine)) {
                return;
            }
            if (character == '\n' && !isMultiLine) {
                return; // not TOML
            }
            if (character == '\\' && quote == '"') {
                skipEscape();
            } else {
                ++m_position;
            }
        }
    }

    /// A backslash at the end of a line takes the line break and all blanks behind it out of the string.
    void skipEscape()
    {
        ++m_position;
        const std::size_t end = std::min(m_toml.find_first_not_of(" \t\r\n", m_position), m_toml.size());
        const text::Character next = text::firstCharacter(m_toml.substr(end));
        const bool isLineEnd =
            m_toml.substr(m_position, end - m_position).find('\n') != std::string_view::npos;
        if (next.value >= 0x80 && !isLineEnd) {
            m_hazard = "an escape that does not exist";
        } else if (next.value >= 0x80) {
            m_text += m_toml.substr(m_copied, end - m_copied);
            m_text += escapeOf(next.value);
            m_copied = m_position = end + next.length;
        } else if (end > m_position) {
            m_position = end;
        } else {
            m_position = std::min(m_position + 1, m_toml.size());
        }
    }

    /// A multi-line string ends with three quotes, before which two more may belong to the string.
    bool skipClosingQuotes(char quote, bool isMultiLine)
    {
        if (!isMultiLine) {
            ++m_position;
            return true;
        }
        const std::size_t end = std::min(m_toml.find_first_not_of(quote, m_position), m_toml.size());
        const std::size_t count = std::min<std::size_t>(end - m_position, 5);
        if (count < 3) {
            return false;
        }
        m_position += count;
        return true;
    }

    std::string_view m_toml;
    std::size_t m_position = 0;
    std::string m_text;       ///< The guarded text up to m_copied.
    std::size_t m_copied = 0; ///< How much of m_toml is in m_text.
    std::string m_closers;    ///< Of the brackets that are open, the innermost last.
    std::size_t m_keyDots = 0;
    bool m_isLineStart = true;
    bool m_expectsValue = false;
    std::string_view m_hazard;
};

} // namespace

GuardedToml guardToml(std::string_view toml)
{
    return Scan(toml).run();
}

} // namespace spettro::sandbox
