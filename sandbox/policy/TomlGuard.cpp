#include "sandbox/policy/TomlGuard.h"

#include <algorithm>

namespace spettro::sandbox {

namespace {

bool isBlank(char character)
{
    return character == ' ' || character == '\t';
}

bool canBeginKey(char character)
{
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z')
           || (character >= '0' && character <= '9') || character == '_' || character == '-' || character == '"'
           || character == '\'';
}

/// Walks over a TOML text. On a text that is not TOML it may go astray, but only after the place where the parser
/// gives up, so what it says about the part that the parser builds is right.
class Scan
{
public:
    explicit Scan(std::string_view toml) : m_toml(toml) {}

    std::optional<TomlHazard> run()
    {
        skipByteOrderMark();
        while (m_position < m_toml.size()) {
            const std::size_t start = m_position;
            if (isHeaderWithoutName())
                return TomlHazard{start, "a table header needs a name"};
            step();
            if (m_depth > MaximumTomlNesting || m_keyDots >= MaximumTomlNesting)
                return TomlHazard{start, "nested too deeply"};
        }
        return std::nullopt;
    }

private:
    void skipByteOrderMark()
    {
        constexpr std::string_view Mark = "\xEF\xBB\xBF";
        m_position = m_toml.starts_with(Mark) ? Mark.size() : 0;
    }

    bool isHeaderWithoutName() const
    {
        if (!m_isLineStart || m_depth > 0 || m_toml[m_position] != '[')
            return false;
        std::size_t next = m_position + 1;
        if (next < m_toml.size() && m_toml[next] == '[')
            ++next;
        while (next < m_toml.size() && isBlank(m_toml[next]))
            ++next;
        // The end of the text, `[]` and `[ [` are errors that the parser finds itself.
        return next < m_toml.size() && !canBeginKey(m_toml[next]) && m_toml[next] != ']';
    }

    void step()
    {
        const char character = m_toml[m_position];
        m_isLineStart = character == '\n' || character == '\r' || (m_isLineStart && isBlank(character));
        if (character == '#')
            m_position = std::min(m_toml.find('\n', m_position), m_toml.size());
        else if (character == '"' || character == '\'')
            skipString(character);
        else
            note(m_toml[m_position++]);
    }

    void note(char character)
    {
        switch (character) {
        case '.':
            ++m_keyDots;
            return;
        case '[':
        case '{':
            ++m_depth;
            break;
        case ']':
        case '}':
            m_depth -= m_depth > 0 ? 1 : 0;
            break;
        case '=':
        case ',':
        case '\n':
            break;
        default:
            return;
        }
        m_keyDots = 0; // these end a key
    }

    void skipString(char quote)
    {
        const std::string_view rest = m_toml.substr(m_position);
        const bool isMultiLine = rest.size() >= 3 && rest[1] == quote && rest[2] == quote;
        m_position += isMultiLine ? 3 : 1;
        while (m_position < m_toml.size()) {
            const char character = m_toml[m_position];
            if (character == quote && skipClosingQuotes(quote, isMultiLine))
                return;
            if (character == '\n' && !isMultiLine)
                return; // not TOML
            m_position += character == '\\' && quote == '"' ? 2 : 1;
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
        if (count < 3)
            return false;
        m_position += count;
        return true;
    }

    std::string_view m_toml;
    std::size_t m_position = 0;
    std::size_t m_depth = 0;
    std::size_t m_keyDots = 0;
    bool m_isLineStart = true;
};

} // namespace

std::optional<TomlHazard> findTomlHazard(std::string_view toml)
{
    return Scan(toml).run();
}

} // namespace spettro::sandbox
