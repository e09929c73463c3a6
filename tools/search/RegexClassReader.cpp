#include "tools/search/RegexClassReader.h"

namespace spettro {

namespace {

constexpr int MaximumNesting = 100;

QString combined(const QString &left, QChar operation, const QString &right)
{
    if (operation == '&') {
        return "(?:(?=" + left + ')' + right + ')';
    }
    const QString leftOnly = "(?!" + right + ')' + left;
    return operation == '-' ? "(?:" + leftOnly + ')' : "(?:" + leftOnly + "|(?!" + left + ')' + right + ')';
}

} // namespace

QString RegexClassReader::read()
{
    const qsizetype begin = m_reader.position();
    if (const std::optional<QString> set = readNested(0)) {
        return *set;
    }
    m_reader.notRust();
    m_reader.goBack(begin);
    m_hasPlainBrackets = true;
    const std::optional<QString> set = readNested(0);
    if (!set) {
        m_reader.fail("a [ has no closing ]; write \\[ for the character");
    }
    return set.value_or(QString());
}

std::optional<QString> RegexClassReader::readNested(int nesting)
{
    if (nesting > MaximumNesting) {
        m_reader.fail("the classes are nested too deeply");
        return {};
    }
    m_reader.skip();
    const bool isNegated = m_reader.peek() == '^';
    m_reader.skip(isNegated ? 1 : 0);
    RegexClass current(m_reader.kind());
    QString left;
    QChar operation;
    const auto close = [&] {
        const QString set = current.expression(false);
        left = operation.isNull() ? set : combined(left, operation, set);
    };
    for (bool isFirst = true; isFirst || m_reader.peek() != ']'; isFirst = false) {
        if (m_reader.isAtEnd() || m_reader.hasFailed()) {
            return {};
        }
        const bool isOperation = !m_hasPlainBrackets && !isFirst && m_reader.peek() == m_reader.peek(1)
                                 && QStringView(u"&-~").contains(m_reader.peek());
        if (isOperation) {
            close();
            operation = m_reader.peek();
            current = RegexClass(m_reader.kind());
            m_reader.skip(2);
        } else if (!(isNegated ? readMember(current, nesting)
                               : readLineEnd(current) || readMember(current, nesting))) {
            return {};
        }
    }
    m_reader.skip();
    if (operation.isNull()) {
        return current.expression(isNegated);
    }
    close();
    return isNegated ? "(?:(?!" + left + ')' + anyCharacter(m_reader.kind()) + ')' : left;
}

/// Reads an escaped line end that somebody wants in a class; false if something else comes.
bool RegexClassReader::readLineEnd(RegexClass &set)
{
    const bool isLineEnd = m_reader.isAhead(u"\\n") || m_reader.isAhead(u"\\r");
    if (!isLineEnd || m_reader.peek(2) == '-') {
        return false;
    }
    m_reader.notRust();
    m_reader.result().needsWholeText = m_reader.result().needsWholeText || m_reader.peek(1) == 'n';
    set.addLineEnd(m_reader.peek(1) == 'n' ? U'\n' : U'\r');
    m_reader.skip(2);
    return true;
}

/// Reads one member or range; false if there is none.
bool RegexClassReader::readMember(RegexClass &set, int nesting)
{
    if (m_reader.peek() == '[') {
        if (readNamed(set)) {
            return true;
        }
        if (!m_hasPlainBrackets) {
            const std::optional<QString> inner = readNested(nesting + 1);
            if (inner) {
                set.addExpression(*inner);
            }
            return inner.has_value();
        }
    }
    const std::optional<char32_t> first = readCharacter(set);
    if (m_reader.hasFailed()) {
        return false;
    }
    const bool isRange = m_reader.peek() == '-' && m_reader.rest().size() > 1 && m_reader.peek(1) != ']'
                         && (m_hasPlainBrackets || m_reader.peek(1) != '-');
    if (!isRange) {
        if (first) {
            set.addRange(*first, *first);
        }
        return true;
    }
    m_reader.skip();
    RegexClass behind(m_reader.kind());
    const std::optional<char32_t> last = first ? readCharacter(behind) : std::nullopt;
    if (first && last) {
        if (*last < *first) {
            m_reader.fail("a range in [ ] runs backwards");
            return false;
        }
        set.addRange(*first, *last);
        return true;
    }
    m_reader.notRust(); // `\w-x` and `x-\w`: the hyphen means itself for PCRE2
    set.addRange(U'-', U'-');
    if (first) {
        set.addRange(*first, *first);
        set.addExpression(behind.expression(false));
    }
    return true;
}

bool RegexClassReader::readNamed(RegexClass &set)
{
    const QStringView rest = m_reader.rest();
    const qsizetype end = rest.startsWith(u"[:") ? rest.indexOf(u":]", 2) : -1;
    if (end < 0) {
        return false;
    }
    const QStringView name = rest.sliced(2, end - 2);
    const bool isNegated = name.startsWith('^');
    if (!set.addNamed(isNegated ? name.sliced(1) : name, isNegated)) {
        return false;
    }
    m_reader.skip(end + 2);
    return true;
}

/// A single character, or nothing when a set of them was added.
std::optional<char32_t> RegexClassReader::readCharacter(RegexClass &set)
{
    if (m_reader.peek() != '\\') {
        return m_reader.takeCodePoint();
    }
    m_reader.skip();
    if (m_reader.isAtEnd()) {
        m_reader.fail("the pattern ends with a single \\");
        return {};
    }
    const QChar letter = m_reader.peek();
    if (QStringView(u"dDwWsS").contains(letter)) {
        m_reader.skip();
        set.addShorthand(letter.unicode());
        return {};
    }
    if (letter == 'p' || letter == 'P') {
        m_reader.skip();
        set.addExpression(m_reader.takeProperty(letter == 'P'));
        return {};
    }
    if (const std::optional<char32_t> character = m_reader.takeEscapedCharacter()) {
        return character;
    }
    m_reader.skip();
    m_reader.notRust();
    if (letter == 'b') {
        return U'\b';
    }
    if (letter == 'e') {
        return char32_t{0x1B};
    }
    m_reader.fail(QString("\\%1 has no meaning inside of [ ]").arg(letter));
    return {};
}

} // namespace spettro
