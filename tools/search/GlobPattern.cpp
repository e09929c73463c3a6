#include "tools/search/GlobPattern.h"

#include "tools/search/SearchText.h"

#include <optional>
#include <string>

namespace spettro {

namespace {

constexpr int MaximumNesting = 32;

/// Reads one pattern; an error ends it.
class Parser
{
public:
    explicit Parser(std::u32string_view text) : m_text(text) {}

    GlobProgram program;
    QString error;

    bool parse()
    {
        if (!parseSequence(0, true)) {
            return false;
        }
        return true;
    }

private:
    bool isAtEnd() const { return m_position >= m_text.size(); }
    char32_t peek(std::size_t distance = 0) const
    {
        return m_position + distance < m_text.size() ? m_text[m_position + distance] : U'\0';
    }

    bool fail(const char *message)
    {
        error = QString::fromLatin1(message);
        return false;
    }

    /// Reads up to the end of the pattern or, inside braces, up to `,` or `}`.
    bool parseSequence(int nesting, bool isComponentStart)
    {
        while (!isAtEnd()) {
            const char32_t unit = peek();
            if (nesting > 0 && (unit == U',' || unit == U'}')) {
                return true;
            }
            bool isSlash = false;
            if (unit == U'*') {
                parseStars(nesting, isComponentStart, isSlash);
            } else if (unit == U'[') {
                if (!parseClass()) {
                    return false;
                }
            } else if (unit == U'{') {
                if (!parseBraces(nesting + 1, isComponentStart)) {
                    return false;
                }
            } else {
                ++m_position;
                if (unit == U'?') {
                    program.addAnyUnit();
                } else if (unit != U'\\') {
                    program.addUnit(unit);
                    isSlash = unit == U'/';
                } else if (isAtEnd()) {
                    return fail("the pattern ends with a single \\");
                } else {
                    program.addUnit(m_text[m_position++]);
                }
            }
            isComponentStart = isSlash;
        }
        return true;
    }

    void parseStars(int nesting, bool isComponentStart, bool &isSlash)
    {
        std::size_t count = 0;
        while (peek() == U'*') {
            ++m_position;
            ++count;
        }
        const bool isLast = isAtEnd() || (nesting > 0 && (peek() == U',' || peek() == U'}'));
        if (count < 2 || !isComponentStart || (!isLast && peek() != U'/')) {
            program.addStar();
        } else if (isLast) {
            program.addStarStar();
        } else {
            ++m_position;
            program.addAnyFolders();
            isSlash = true;
        }
    }

    bool parseBraces(int nesting, bool isComponentStart)
    {
        if (nesting > MaximumNesting) {
            return fail("the braces are nested too deeply");
        }
        ++m_position;
        std::vector<std::size_t> jumps;
        while (true) {
            const std::size_t fork = program.addFork();
            if (!parseSequence(nesting, isComponentStart)) {
                return false;
            }
            if (isAtEnd()) {
                return fail("a { has no closing }; write \\{ for the character");
            }
            jumps.push_back(program.addJump());
            program.join(fork);
            if (m_text[m_position++] == U'}') {
                break;
            }
        }
        program.addNever(); // the second way of the last fork
        for (const std::size_t jump : jumps) {
            program.join(jump);
        }
        return true;
    }

    std::optional<char32_t> classUnit()
    {
        if (peek() == U'\\') {
            ++m_position;
        }
        if (isAtEnd()) {
            return {};
        }
        return m_text[m_position++];
    }

    bool parseClass()
    {
        constexpr const char *Unclosed = "a [ has no closing ]; write \\[ for the character";
        ++m_position;
        const bool isNegated = peek() == U'!' || peek() == U'^';
        m_position += isNegated ? 1 : 0;
        std::vector<GlobProgram::Range> ranges;
        // A ] in the first place is a member, as in a shell.
        for (bool isFirst = true; isFirst || peek() != U']'; isFirst = false) {
            const std::optional<char32_t> first = classUnit();
            if (!first) {
                return fail(Unclosed);
            }
            std::optional<char32_t> last = first;
            if (peek() == U'-' && peek(1) != U']' && m_position + 1 < m_text.size()) {
                ++m_position;
                last = classUnit();
            }
            if (!last) {
                return fail(Unclosed);
            }
            if (*last < *first) {
                return fail("a range in [ ] runs backwards");
            }
            ranges.emplace_back(*first, *last);
        }
        ++m_position;
        program.addClass(std::move(ranges), isNegated);
        return true;
    }

    std::u32string_view m_text;
    std::size_t m_position = 0;
};

} // namespace

std::variant<GlobPattern, QString> GlobPattern::parse(QByteArrayView text)
{
    if (text.size() > MaximumLength) {
        return QString("the pattern is longer than %1 bytes").arg(MaximumLength);
    }
    QByteArray pattern = text.toByteArray();
    if (pattern.contains('\0')) {
        return QString("the pattern contains a NUL byte");
    }
    const bool isAnchored = pattern.startsWith('/') || pattern.startsWith("./");
    if (isAnchored) {
        pattern.remove(0, pattern.indexOf('/') + 1);
    }
    if (pattern.isEmpty()) {
        return QString("the pattern is empty");
    }
    if (pattern.endsWith('/')) {
        pattern += "**";
    }
    const std::u32string units = toUnits(pattern);
    Parser parser{units};
    if (!parser.parse()) {
        return parser.error;
    }
    GlobPattern glob;
    glob.m_program = std::move(parser.program);
    glob.m_isForName = !isAnchored && !pattern.contains('/');
    return glob;
}

bool GlobPattern::matches(QByteArrayView path) const
{
    const QByteArrayView compared = m_isForName ? path.sliced(path.lastIndexOf('/') + 1) : path;
    return m_program.matches(toUnits(compared));
}

} // namespace spettro
