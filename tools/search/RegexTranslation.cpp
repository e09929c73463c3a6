#include "tools/search/RegexTranslation.h"

#include "tools/search/RegexClasses.h"

namespace spettro {

namespace {

constexpr int MaximumNesting = 100;
constexpr QStringView Meta = u"\\.+*?()|[]{}^$#&-~";

bool isAsciiDigit(QChar character)
{
    return character >= '0' && character <= '9';
}

/// Reads one pattern and writes its translation.
class Translator
{
public:
    Translator(QStringView pattern, TextKind kind) : m_in(pattern), m_kind(kind) {}

    std::variant<RegexTranslation, QString> run()
    {
        while (m_error.isEmpty() && m_position < m_in.size()) {
            step();
        }
        if (!m_error.isEmpty()) {
            return m_error;
        }
        if (m_result.hasCaseProperty && m_ignoresCase) {
            notRust();
        }
        if (m_isLiteral) {
            m_result.literal = m_literal;
        }
        return m_result;
    }

private:
    QChar peek(qsizetype distance = 0) const
    {
        const qsizetype position = m_position + distance;
        return position < m_in.size() ? m_in[position] : QChar();
    }
    bool isAhead(QStringView text) const { return m_in.sliced(m_position).startsWith(text); }
    void notRust() { m_result.isKnownToRust = false; }

    void fail(const QString &message)
    {
        if (m_error.isEmpty()) {
            m_error = message;
        }
    }

    /// Writes an expression that can be repeated.
    void write(const QString &expression)
    {
        m_result.pattern += expression;
        m_isLiteral = false;
        m_canRepeat = true;
    }

    void writeLiteral(char32_t value)
    {
        const QString text = QString::fromUcs4(&value, 1);
        m_literal += text;
        if (value == U'\n') {
            m_result.needsWholeText = true;
        }
        if (value == U'\n' || value == U'\r' || value == U'\0') {
            notRust();
        }
        const bool isPlain = value > 0x7F || QChar(static_cast<char16_t>(value)).isLetterOrNumber();
        m_result.pattern += isPlain ? text : QString("\\x{%1}").arg(value, 0, 16);
        m_canRepeat = true;
    }

    /// Copies what only PCRE2 knows, up to and including the next `closing`, or to the end.
    void copyThrough(QChar closing)
    {
        const qsizetype end = m_in.indexOf(closing, m_position);
        const qsizetype next = end < 0 ? m_in.size() : end + 1;
        write(m_in.sliced(m_position, next - m_position).toString());
        m_position = next;
    }

    char32_t takeCodePoint()
    {
        const QChar first = m_in[m_position++];
        if (first.isHighSurrogate() && peek().isLowSurrogate()) {
            return QChar::surrogateToUcs4(first, m_in[m_position++]);
        }
        return first.unicode();
    }

    void step()
    {
        const QChar character = peek();
        if (m_isVerbose && (character == '#' || character.isSpace())) {
            skipVerbose();
            return;
        }
        switch (character.unicode()) {
        case u'\\':
            ++m_position;
            escape();
            break;
        case u'[':
            write(characterClass());
            break;
        case u'.':
            ++m_position;
            write(anyCharacter(m_kind));
            break;
        case u'^':
            ++m_position;
            write("^");
            break;
        case u'$':
            ++m_position;
            // Ripgrep takes `\r\n` off a line and then lets `$` match before one more `\r`.
            write("(?=\\r?(?:\\r?\\n|\\z))");
            m_result.hasLineEnd = true;
            break;
        case u'(':
            group();
            break;
        case u')':
            ++m_position;
            write(")");
            break;
        case u'|':
            ++m_position;
            write("|");
            m_canRepeat = false;
            break;
        case u'*':
        case u'+':
        case u'?':
            ++m_position;
            quantifier(character);
            break;
        case u'{':
            braces();
            break;
        default:
            writeLiteral(takeCodePoint());
        }
    }

    void skipVerbose()
    {
        const qsizetype end = peek() == '#' ? m_in.indexOf('\n', m_position) : m_position;
        m_position = end < 0 ? m_in.size() : end + 1;
    }

    void quantifier(const QString &text)
    {
        if (!m_canRepeat) {
            fail(QString("nothing stands before %1 that could be repeated").arg(text));
            return;
        }
        write(text);
        if (peek() == '?') {
            ++m_position;
            write("?");
        }
        if (peek() == '+' || peek() == '*' || peek() == '?') {
            notRust(); // possessive, or a repeated repetition
        }
    }

    void braces()
    {
        qsizetype end = m_position + 1;
        const auto digits = [&] {
            const qsizetype begin = end;
            while (end < m_in.size() && isAsciiDigit(m_in[end])) {
                ++end;
            }
            return end > begin;
        };
        bool isRepetition = m_canRepeat && digits();
        if (isRepetition && end < m_in.size() && m_in[end] == ',') {
            ++end;
            digits();
        }
        isRepetition = isRepetition && end < m_in.size() && m_in[end] == '}';
        if (!isRepetition) {
            notRust(); // a literal brace for PCRE2 and for whoever wrote it, an error for Rust
            ++m_position;
            writeLiteral(U'{');
            return;
        }
        const QString text = m_in.sliced(m_position, end + 1 - m_position).toString();
        m_position = end + 1;
        quantifier(text);
    }

    void group()
    {
        m_isLiteral = false;
        if (isAhead(u"(*")) {
            fail("(* is not supported; write \\(* for a bracket");
        } else if (!isAhead(u"(?")) {
            ++m_position;
            write("(");
            m_canRepeat = false;
        } else if (isAhead(u"(?:")) {
            m_position += 3;
            write("(?:");
            m_canRepeat = false;
        } else if (isAhead(u"(?P<")) {
            copyThrough('>');
            m_canRepeat = false;
        } else if (isAhead(u"(?#")) {
            notRust();
            const qsizetype end = m_in.indexOf(')', m_position);
            m_position = end < 0 ? m_in.size() : end + 1;
        } else if (!flags()) {
            foreignGroup();
        }
    }

    /// What only PCRE2 knows behind `(?`.
    void foreignGroup()
    {
        notRust();
        for (const QStringView opening : {u"(?<=", u"(?<!", u"(?=", u"(?!", u"(?>", u"(?|"}) {
            if (isAhead(opening)) {
                m_position += opening.size();
                write(opening.toString());
                m_canRepeat = false;
                return;
            }
        }
        if (isAhead(u"(?<")) {
            copyThrough('>');
            m_canRepeat = false;
        } else if (isAhead(u"(?(?")) {
            m_position += 2;
            write("(?");
            m_canRepeat = false;
        } else {
            copyThrough(')'); // a reference or a condition
        }
    }

    /// Reads `(?i)` and `(?i:`; false if this is something else.
    bool flags()
    {
        qsizetype end = m_position + 2;
        while (end < m_in.size() && QStringView(u"imsxuU-").contains(m_in[end])) {
            ++end;
        }
        if (end == m_position + 2 || end == m_in.size() || (m_in[end] != ':' && m_in[end] != ')')) {
            return false;
        }
        QString kept;
        QString removed;
        bool isRemoving = false;
        for (const QChar flag : m_in.sliced(m_position + 2, end - m_position - 2)) {
            if (flag == '-') {
                isRemoving = true;
                continue;
            }
            const bool isForeign = flag == 'x' || flag == 'U' || (isRemoving && (flag == 'm' || flag == 'u'));
            if (isForeign) {
                notRust();
            }
            m_isVerbose = flag == 'x' ? !isRemoving : m_isVerbose;
            if (flag == 'i' || flag == 'U' || (isRemoving && flag == 'm')) {
                (isRemoving ? removed : kept) += flag == 'U' ? QString("U") : QString(flag);
            }
            m_ignoresCase = m_ignoresCase || (flag == 'i' && !isRemoving);
            if (isRemoving && flag == 'm') {
                m_result.needsWholeText = true;
            }
        }
        const bool isGroup = m_in[end] == ':';
        const QString all = removed.isEmpty() ? kept : kept + '-' + removed;
        if (isGroup || !all.isEmpty()) {
            write("(?" + all + m_in[end]);
        }
        m_canRepeat = false;
        m_position = end + 1;
        return true;
    }

    /// The code point behind `\x`, `\u` or `\U`.
    char32_t hexadecimal(QChar letter)
    {
        QString digits;
        if (peek() == '{') {
            const qsizetype end = m_in.indexOf('}', m_position);
            if (end < 0) {
                fail(QString("\\%1{ has no closing }").arg(letter));
                return 0;
            }
            digits = m_in.sliced(m_position + 1, end - m_position - 1).toString();
            m_position = end + 1;
        } else {
            const qsizetype count = letter == 'x' ? 2 : letter == 'u' ? 4 : 8;
            digits = m_in.sliced(m_position, std::min(count, m_in.size() - m_position)).toString();
            m_position += digits.size();
            if (digits.size() < count) {
                digits.clear();
            }
        }
        bool isNumber = false;
        const char32_t value = digits.toUInt(&isNumber, 16);
        if (!isNumber || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
            fail(QString("\\%1 needs the number of a character in hexadecimal").arg(letter));
            return 0;
        }
        return value;
    }

    /// The character that an escape stands for in and out of classes; nothing if the escape is of another kind.
    /// The position is behind the letter afterwards.
    std::optional<char32_t> escapedCharacter()
    {
        const QChar letter = peek();
        switch (letter.unicode()) {
        case u'n':
            ++m_position;
            return U'\n';
        case u'r':
            ++m_position;
            return U'\r';
        case u't':
            ++m_position;
            return U'\t';
        case u'f':
            ++m_position;
            return U'\f';
        case u'v':
            ++m_position;
            return U'\v';
        case u'a':
            ++m_position;
            return U'\a';
        case u'x':
        case u'u':
        case u'U':
            ++m_position;
            return hexadecimal(letter);
        default:
            break;
        }
        if (letter.unicode() < 0x80 && letter.isLetterOrNumber()) {
            return {};
        }
        if (!Meta.contains(letter)) {
            notRust(); // newer versions of Rust's regex take it, older ones do not
        }
        return takeCodePoint();
    }

    /// The expression of `\p…`; the position is behind the p.
    QString property(bool isNegated)
    {
        QString name = peek();
        if (peek() == '{') {
            const qsizetype end = m_in.indexOf('}', m_position);
            name = end < 0 ? QString() : m_in.sliced(m_position + 1, end - m_position - 1).toString();
            m_position = end < 0 ? m_in.size() : end + 1;
        } else {
            ++m_position;
        }
        if (name.startsWith('^')) {
            isNegated = !isNegated;
            name.remove(0, 1);
        }
        m_result.hasCaseProperty = m_result.hasCaseProperty || isCaseProperty(name);
        const std::optional<QString> expression = propertyExpression(name, isNegated, m_kind);
        if (!expression) {
            fail("\\p needs the name of a property of characters");
        }
        return expression.value_or(QString());
    }

    QString shorthand(char16_t letter) const
    {
        RegexClass set(m_kind);
        set.addShorthand(letter);
        return set.expression(false);
    }

    void escape()
    {
        if (m_position == m_in.size()) {
            fail("the pattern ends with a single \\");
            return;
        }
        const QChar letter = peek();
        switch (letter.unicode()) {
        case u'd':
        case u'D':
        case u'w':
        case u'W':
        case u's':
        case u'S':
            ++m_position;
            write(shorthand(letter.unicode()));
            return;
        case u'p':
        case u'P':
            ++m_position;
            write(property(letter == 'P'));
            return;
        case u'b':
        case u'B':
            ++m_position;
            write(wordBorder(letter == 'B', m_kind));
            return;
        case u'<':
        case u'>':
            notRust(); // newer versions take it as grep does, older ones do not
            ++m_position;
            write(letter == '<' ? wordStart(m_kind) : wordEnd(m_kind));
            return;
        default:
            break;
        }
        if (const std::optional<char32_t> character = escapedCharacter()) {
            writeLiteral(*character);
        } else {
            ++m_position;
            foreignEscape(letter);
        }
    }

    void foreignEscape(QChar letter)
    {
        notRust();
        switch (letter.unicode()) {
        case u'Q':
            quoted();
            return;
        case u'E':
            return;
        case u'C':
            fail("\\C is not supported");
            return;
        case u'A':
        case u'z':
        case u'Z':
        case u'G':
        case u'R':
        case u'X':
        case u'H':
        case u'V':
            m_result.needsWholeText = true;
            break;
        default:
            break;
        }
        write('\\' + QString(letter));
        if (letter == 'c' && m_position < m_in.size()) {
            write(m_in[m_position++]);
        } else if (QStringView(u"gkoN").contains(letter) && QStringView(u"{<'").contains(peek())) {
            const QChar closing = peek() == '{' ? '}' : peek() == '<' ? '>' : '\'';
            write(m_in[m_position++]);
            copyThrough(closing);
        }
    }

    void quoted()
    {
        const qsizetype found = m_in.indexOf(u"\\E", m_position);
        const qsizetype end = found < 0 ? m_in.size() : found;
        while (m_position < end) {
            writeLiteral(takeCodePoint());
        }
        m_position = found < 0 ? end : end + 2;
    }

    /// Reads a class as Rust does or, if it is none, as PCRE2 does, where `[` inside is nothing special.
    QString characterClass()
    {
        const qsizetype begin = m_position;
        m_hasPlainBrackets = false;
        if (const std::optional<QString> set = classAt(0)) {
            return *set;
        }
        notRust();
        m_error.clear();
        m_position = begin;
        m_hasPlainBrackets = true;
        const std::optional<QString> set = classAt(0);
        if (!set) {
            fail("a [ has no closing ]; write \\[ for the character");
        }
        return set.value_or(QString());
    }

    static QString combined(const QString &left, QChar operation, const QString &right)
    {
        if (operation == '&') {
            return "(?:(?=" + left + ')' + right + ')';
        }
        const QString leftOnly = "(?!" + right + ')' + left;
        return operation == '-' ? "(?:" + leftOnly + ')'
                                : "(?:" + leftOnly + "|(?!" + left + ')' + right + ')';
    }

    std::optional<QString> classAt(int nesting)
    {
        if (nesting > MaximumNesting) {
            fail("the classes are nested too deeply");
            return {};
        }
        ++m_position;
        const bool isNegated = peek() == '^';
        m_position += isNegated ? 1 : 0;
        RegexClass current(m_kind);
        QString left;
        QChar operation;
        const auto close = [&] {
            const QString set = current.expression(false);
            left = operation.isNull() ? set : combined(left, operation, set);
        };
        for (bool isFirst = true; isFirst || peek() != ']'; isFirst = false) {
            if (m_position >= m_in.size() || !m_error.isEmpty()) {
                return {};
            }
            const bool isOperation =
                !m_hasPlainBrackets && !isFirst && peek() == peek(1) && QStringView(u"&-~").contains(peek());
            if (isOperation) {
                close();
                operation = peek();
                current = RegexClass(m_kind);
                m_position += 2;
            } else if (!(isNegated ? member(current, nesting)
                                   : lineEnd(current) || member(current, nesting))) {
                return {};
            }
        }
        ++m_position;
        if (operation.isNull()) {
            return current.expression(isNegated);
        }
        close();
        return isNegated ? "(?:(?!" + left + ')' + anyCharacter(m_kind) + ')' : left;
    }

    /// Reads an escaped line end that somebody wants in a class; false if something else comes.
    bool lineEnd(RegexClass &set)
    {
        const bool isLineEnd = isAhead(u"\\n") || isAhead(u"\\r");
        if (!isLineEnd || peek(2) == '-') {
            return false;
        }
        notRust();
        m_result.needsWholeText = m_result.needsWholeText || peek(1) == 'n';
        set.addLineEnd(peek(1) == 'n' ? U'\n' : U'\r');
        m_position += 2;
        return true;
    }

    /// Reads one member or range; false if there is none.
    bool member(RegexClass &set, int nesting)
    {
        if (peek() == '[') {
            if (namedClass(set)) {
                return true;
            }
            if (!m_hasPlainBrackets) {
                const std::optional<QString> inner = classAt(nesting + 1);
                if (inner) {
                    set.addExpression(*inner);
                }
                return inner.has_value();
            }
        }
        const std::optional<char32_t> first = classCharacter(set);
        if (!m_error.isEmpty()) {
            return false;
        }
        const bool isRange = peek() == '-' && m_position + 1 < m_in.size() && peek(1) != ']'
                             && (m_hasPlainBrackets || peek(1) != '-');
        if (!isRange) {
            if (first) {
                set.addRange(*first, *first);
            }
            return true;
        }
        ++m_position;
        RegexClass behind(m_kind);
        const std::optional<char32_t> last = first ? classCharacter(behind) : std::nullopt;
        if (first && last) {
            if (*last < *first) {
                fail("a range in [ ] runs backwards");
                return false;
            }
            set.addRange(*first, *last);
            return true;
        }
        notRust(); // `\w-x` and `x-\w`: the hyphen means itself for PCRE2
        set.addRange(U'-', U'-');
        if (first) {
            set.addRange(*first, *first);
            set.addExpression(behind.expression(false));
        }
        return true;
    }

    bool namedClass(RegexClass &set)
    {
        if (!isAhead(u"[:")) {
            return false;
        }
        const qsizetype end = m_in.indexOf(u":]", m_position + 2);
        if (end < 0) {
            return false;
        }
        QStringView name = m_in.sliced(m_position + 2, end - m_position - 2);
        const bool isNegated = name.startsWith('^');
        if (!set.addNamed(isNegated ? name.sliced(1) : name, isNegated)) {
            return false;
        }
        m_position = end + 2;
        return true;
    }

    /// A single character, or nothing when a set of them was added.
    std::optional<char32_t> classCharacter(RegexClass &set)
    {
        if (peek() != '\\') {
            return takeCodePoint();
        }
        ++m_position;
        if (m_position == m_in.size()) {
            fail("the pattern ends with a single \\");
            return {};
        }
        const QChar letter = peek();
        if (QStringView(u"dDwWsS").contains(letter)) {
            ++m_position;
            set.addShorthand(letter.unicode());
            return {};
        }
        if (letter == 'p' || letter == 'P') {
            ++m_position;
            set.addExpression(property(letter == 'P'));
            return {};
        }
        if (const std::optional<char32_t> character = escapedCharacter()) {
            return character;
        }
        ++m_position;
        notRust();
        if (letter == 'b') {
            return U'\b';
        }
        if (letter == 'e') {
            return char32_t{0x1B};
        }
        fail(QString("\\%1 has no meaning inside of [ ]").arg(letter));
        return {};
    }

    QStringView m_in;
    TextKind m_kind;
    qsizetype m_position = 0;
    RegexTranslation m_result;
    QString m_error;
    QString m_literal;
    bool m_isLiteral = true;
    bool m_canRepeat = false;
    bool m_isVerbose = false;
    bool m_ignoresCase = false;
    bool m_hasPlainBrackets = false;
};

} // namespace

std::variant<RegexTranslation, QString> translateRegex(QStringView pattern, TextKind kind)
{
    return Translator(pattern, kind).run();
}

} // namespace spettro
