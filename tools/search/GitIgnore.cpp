#include "tools/search/GitIgnore.h"

#include <algorithm>
#include <string_view>

namespace spettro {

namespace {

constexpr std::string_view Special = "*?[\\";

QByteArrayView withoutTrailingBlanks(QByteArrayView line)
{
    qsizetype end = 0;
    for (qsizetype i = 0; i < line.size(); ++i) {
        if (line[i] == '\\') {
            if (i + 1 == line.size()) {
                return line;
            }
            ++i;
            end = i + 1;
        } else if (line[i] != ' ') {
            end = i + 1;
        }
    }
    return line.first(end);
}

using Ranges = std::vector<GlobProgram::Range>;

/// The members of `[:name:]`, empty if there is no such class.
Ranges namedClass(std::string_view name)
{
    static const std::vector<std::pair<std::string_view, Ranges>> classes{
        {"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}},
        {"alpha", {{'A', 'Z'}, {'a', 'z'}}},
        {"blank", {{' ', ' '}, {'\t', '\t'}}},
        {"cntrl", {{0, 31}, {127, 127}}},
        {"digit", {{'0', '9'}}},
        {"graph", {{33, 126}}},
        {"lower", {{'a', 'z'}}},
        {"print", {{32, 126}}},
        {"punct", {{33, 47}, {58, 64}, {91, 96}, {123, 126}}},
        {"space", {{' ', ' '}, {'\t', '\r'}}},
        {"upper", {{'A', 'Z'}}},
        {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
    };
    const auto found =
        std::find_if(classes.begin(), classes.end(), [&](const auto &entry) { return entry.first == name; });
    return found == classes.end() ? Ranges{} : found->second;
}

/// Reads the part of a line behind its literal beginning in git's dialect.
class Parser
{
public:
    Parser(std::string_view text, bool isForName) : m_text(text), m_isForName(isForName) {}

    GlobProgram program()
    {
        for (m_position = 0; m_position < m_text.size(); ++m_position) {
            const char character = m_text[m_position];
            bool isValid = true;
            if (character == '*') {
                addStars();
            } else if (character == '?') {
                m_program.addAnyUnit();
            } else if (character == '[') {
                isValid = addClass();
            } else if (character == '\\') {
                isValid = ++m_position < m_text.size();
                if (isValid) {
                    m_program.addByte(m_text[m_position]);
                }
            } else {
                m_program.addByte(character);
            }
            if (!isValid) {
                m_program.addNever();
                break;
            }
        }
        return std::move(m_program);
    }

private:
    static char32_t unit(char byte) { return static_cast<unsigned char>(byte); }
    /// The byte at a place, 0 behind the end; lines hold no 0.
    char at(std::size_t position) const { return position < m_text.size() ? m_text[position] : '\0'; }

    /// Leaves the position on the last byte of what it read.
    void addStars()
    {
        const std::size_t begin = m_position;
        std::size_t end = begin;
        while (at(end) == '*') {
            ++end;
        }
        m_position = end - 1;
        const bool isWhole = (begin == 0 || m_text[begin - 1] == '/')
                             && (end == m_text.size() || at(end) == '/' || m_text.substr(end, 2) == "\\/");
        if (m_isForName || end - begin < 2 || !isWhole) {
            m_program.addStar();
        } else if (at(end) == '/') {
            m_program.addAnyFolders();
            ++m_position;
        } else {
            m_program.addStarStar();
        }
    }

    /// Leaves the position on the closing bracket. False: git takes the line for one that matches nothing.
    bool addClass()
    {
        ++m_position;
        const bool isNegated = at(m_position) == '!' || at(m_position) == '^';
        m_position += isNegated ? 1 : 0;
        Ranges ranges;
        char previous = '\0';
        do {
            char current = at(m_position);
            if (current == '\0') {
                return false;
            }
            if (current == '\\') {
                current = at(++m_position);
                if (current == '\0') {
                    return false;
                }
                ranges.emplace_back(unit(current), unit(current));
            } else if (current == '-' && previous != '\0' && at(m_position + 1) != '\0'
                       && at(m_position + 1) != ']') {
                current = at(++m_position);
                if (current == '\\') {
                    current = at(++m_position);
                }
                if (current == '\0') {
                    return false;
                }
                ranges.emplace_back(unit(previous), unit(current));
                current = '\0'; // the end of a range begins none
            } else if (current == '[' && at(m_position + 1) == ':') {
                const std::size_t begin = m_position + 2;
                const std::size_t end = m_text.find(']', begin);
                if (end == std::string_view::npos) {
                    return false;
                }
                if (end == begin || m_text[end - 1] != ':') {
                    ranges.emplace_back(U'[', U'[');
                } else {
                    const Ranges members = namedClass(m_text.substr(begin, end - 1 - begin));
                    if (members.empty()) {
                        return false;
                    }
                    ranges.insert(ranges.end(), members.begin(), members.end());
                    m_position = end;
                    current = '\0';
                }
            } else {
                ranges.emplace_back(unit(current), unit(current));
            }
            previous = current;
        } while (at(++m_position) != ']');
        m_program.addClass(std::move(ranges), isNegated);
        return true;
    }

    std::string_view m_text;
    bool m_isForName;
    std::size_t m_position = 0;
    GlobProgram m_program;
};

} // namespace

GitIgnore GitIgnore::parse(QByteArrayView text)
{
    GitIgnore ignore;
    if (text.startsWith("\xEF\xBB\xBF")) {
        text = text.sliced(3);
    }
    while (!text.isEmpty()) {
        const qsizetype newLine = text.indexOf('\n');
        QByteArrayView line = newLine < 0 ? text : text.first(newLine);
        text = newLine < 0 ? QByteArrayView() : text.sliced(newLine + 1);
        if (line.startsWith('#')) {
            continue;
        }
        if (line.endsWith('\r')) {
            line.chop(1);
        }
        // git handles lines as C strings.
        if (const qsizetype end = line.indexOf('\0'); end >= 0) {
            line = line.first(end);
        }
        ignore.addLine(withoutTrailingBlanks(line));
    }
    return ignore;
}

void GitIgnore::addLine(QByteArrayView line)
{
    Rule rule;
    if (line.startsWith('!')) {
        rule.isNegated = true;
        line = line.sliced(1);
    }
    if (line.endsWith('/')) {
        rule.isForFolders = true;
        line.chop(1);
    }
    if (line.isEmpty()) {
        return;
    }
    rule.isForName = !line.contains('/');
    if (line.startsWith('/')) {
        line = line.sliced(1);
    }
    const std::string_view text(line.data(), static_cast<std::size_t>(line.size()));
    const std::size_t literal = std::min(text.find_first_of(Special), text.size());
    rule.literal = line.first(static_cast<qsizetype>(literal)).toByteArray();
    rule.hasWildcards = literal < text.size();
    // As in git the wildcards begin a text of their own here, so that `a**/b` finds `ax/y/b`.
    rule.rest = Parser(text.substr(literal), rule.isForName).program();
    m_rules.push_back(std::move(rule));
}

bool GitIgnore::Rule::matches(QByteArrayView path) const
{
    const QByteArrayView compared = isForName ? path.sliced(path.lastIndexOf('/') + 1) : path;
    if (!hasWildcards) {
        return compared == literal;
    }
    return compared.startsWith(literal) && rest.matches(compared.sliced(literal.size()));
}

std::optional<bool> GitIgnore::verdict(QByteArrayView pathRelativeToItsFolder, bool isDirectory) const
{
    for (auto rule = m_rules.rbegin(); rule != m_rules.rend(); ++rule) {
        if ((isDirectory || !rule->isForFolders) && rule->matches(pathRelativeToItsFolder)) {
            return !rule->isNegated;
        }
    }
    return {};
}

} // namespace spettro
