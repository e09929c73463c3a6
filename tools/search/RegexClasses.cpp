#include "tools/search/RegexClasses.h"

#include "tools/search/SearchText.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace spettro {

namespace {

// Rust's \w is more than PCRE2's. The ASCII part comes first because PCRE2 looks it up in a table.
constexpr const char *WordUnicode = "0-9A-Z_a-z\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\x{200C}\\x{200D}";
constexpr const char *WordAscii = "0-9A-Z_a-z";
constexpr const char *SpaceUnicode =
    " \\t\\x{0B}\\f\\x{85}\\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}\\x{205F}\\x{3000}";
constexpr const char *SpaceAscii = " \\t\\x{0B}\\f";

/// What no class takes, for use inside of `[^…]`.
QString excluded(TextKind kind)
{
    return kind == TextKind::Unicode ? QStringLiteral("\\r\\n\\x{FFFF}") : QStringLiteral("\\r\\n");
}

QString members(char16_t shorthand, TextKind kind)
{
    const bool isUnicode = kind == TextKind::Unicode;
    switch (shorthand) {
    case u'd':
        return isUnicode ? "0-9\\p{Nd}" : "0-9";
    case u'w':
        return isUnicode ? WordUnicode : WordAscii;
    default:
        return isUnicode ? SpaceUnicode : SpaceAscii;
    }
}

using Pair = std::pair<std::u16string_view, const char *>;

const char *find(const std::vector<Pair> &table, QStringView key)
{
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const Pair &pair) { return key == QStringView(pair.first); });
    return found == table.end() ? nullptr : found->second;
}

} // namespace

void RegexClass::addRange(char32_t first, char32_t last)
{
    constexpr std::array<char32_t, 3> Holes{U'\n', U'\r', ForeignByte};
    for (const char32_t hole : Holes) {
        if (first <= hole && hole <= last) {
            if (first < hole) {
                addRange(first, hole - 1);
            }
            if (hole < last) {
                addRange(hole + 1, last);
            }
            return;
        }
    }
    m_plain += QString("\\x{%1}-\\x{%2}").arg(first, 0, 16).arg(last, 0, 16);
}

void RegexClass::addShorthand(char16_t letter)
{
    const auto lower = static_cast<char16_t>(letter | 0x20);
    if (letter == lower) {
        m_plain += members(lower, m_kind);
    } else {
        addExpression("[^" + members(lower, m_kind) + excluded(m_kind) + ']');
    }
}

bool RegexClass::addNamed(QStringView name, bool isNegated)
{
    static const std::vector<Pair> table{
        {u"alnum", "0-9A-Za-z"},
        {u"alpha", "A-Za-z"},
        {u"ascii", "\\x{00}-\\x{09}\\x{0B}\\x{0C}\\x{0E}-\\x{7F}"},
        {u"blank", " \\t"},
        {u"cntrl", "\\x{00}-\\x{09}\\x{0B}\\x{0C}\\x{0E}-\\x{1F}\\x{7F}"},
        {u"digit", "0-9"},
        {u"graph", "!-~"},
        {u"lower", "a-z"},
        {u"print", " -~"},
        {u"punct", "!-\\/:-@\\[-`{-~"},
        {u"space", SpaceAscii},
        {u"upper", "A-Z"},
        {u"word", WordAscii},
        {u"xdigit", "0-9A-Fa-f"},
    };
    const char *found = find(table, name);
    if (found == nullptr) {
        return false;
    }
    if (isNegated) {
        addExpression(QString("[^") + found + excluded(m_kind) + ']');
    } else {
        m_plain += found;
    }
    return true;
}

QString RegexClass::expression(bool isNegated) const
{
    if (m_expressions.isEmpty()) {
        if (isNegated) {
            return "[^" + m_plain + excluded(m_kind) + ']';
        }
        return m_plain.isEmpty() ? QString("(?!)") : '[' + m_plain + ']';
    }
    QStringList parts = m_expressions;
    if (!m_plain.isEmpty()) {
        parts.prepend('[' + m_plain + ']');
    }
    const QString joined = "(?:" + parts.join('|') + ')';
    return isNegated ? "(?:(?!" + joined + ')' + anyCharacter(m_kind) + ')' : joined;
}

QString anyCharacter(TextKind kind)
{
    return "[^" + excluded(kind) + ']';
}

std::optional<QString> propertyExpression(const QString &name, bool isNegated, TextKind kind)
{
    static const std::vector<Pair> categories{
        {u"letter", "L"},
        {u"casedletter", "L&"},
        {u"lowercaseletter", "Ll"},
        {u"uppercaseletter", "Lu"},
        {u"titlecaseletter", "Lt"},
        {u"modifierletter", "Lm"},
        {u"otherletter", "Lo"},
        {u"mark", "M"},
        {u"nonspacingmark", "Mn"},
        {u"spacingmark", "Mc"},
        {u"enclosingmark", "Me"},
        {u"number", "N"},
        {u"decimalnumber", "Nd"},
        {u"letternumber", "Nl"},
        {u"othernumber", "No"},
        {u"punctuation", "P"},
        {u"connectorpunctuation", "Pc"},
        {u"dashpunctuation", "Pd"},
        {u"openpunctuation", "Ps"},
        {u"closepunctuation", "Pe"},
        {u"initialpunctuation", "Pi"},
        {u"finalpunctuation", "Pf"},
        {u"otherpunctuation", "Po"},
        {u"symbol", "S"},
        {u"mathsymbol", "Sm"},
        {u"currencysymbol", "Sc"},
        {u"modifiersymbol", "Sk"},
        {u"othersymbol", "So"},
        {u"separator", "Z"},
        {u"spaceseparator", "Zs"},
        {u"lineseparator", "Zl"},
        {u"paragraphseparator", "Zp"},
        {u"other", "C"},
        {u"control", "Cc"},
        {u"format", "Cf"},
        {u"surrogate", "Cs"},
        {u"privateuse", "Co"},
        {u"unassigned", "Cn"},
        {u"any", "Any"},
        {u"ascii", "ASCII"},
        {u"alphabetic", "Alphabetic"},
        {u"uppercase", "Uppercase"},
        {u"lowercase", "Lowercase"},
        {u"whitespace", "White_Space"},
    };
    QString key;
    for (const QChar character : name) {
        if (character != ' ' && character != '_' && character != '-') {
            key += character.toLower();
        }
    }
    QString kindOfName;
    if (const qsizetype separator = key.indexOf(key.contains(':') ? ':' : '='); separator >= 0) {
        kindOfName = key.left(separator);
        key = key.mid(separator + 1);
    }
    const bool isWord = !key.isEmpty() && std::all_of(key.begin(), key.end(), [](QChar character) {
        return character.unicode() < 0x80 && character.isLetterOrNumber();
    });
    if (!isWord) {
        return {};
    }
    // A bare name of a script is Script in Rust, but Script_Extensions in PCRE2.
    QString property = "sc:" + key;
    const bool isScript = kindOfName == "sc" || kindOfName == "script";
    if (kindOfName == "scx" || kindOfName == "scriptextensions") {
        property = "scx:" + key;
    } else if (const char *category = find(categories, key); category != nullptr && !isScript) {
        property = category;
    } else if (key.size() <= 2 && !isScript) {
        property = key.left(1).toUpper() + key.mid(1);
    }
    const QString inner = isNegated ? "\\P{" + property + '}' : "\\p{" + property + '}';
    return "(?:(?![" + excluded(kind) + "])" + inner + ')';
}

bool isCaseProperty(const QString &name)
{
    const QString key = name.toLower();
    return key.contains("lu") || key.contains("ll") || key.contains("lt") || key.contains("case");
}

QString wordStart(TextKind kind)
{
    const QString word = '[' + members(u'w', kind) + ']';
    return "(?:(?<!" + word + ")(?=" + word + "))";
}

QString wordEnd(TextKind kind)
{
    const QString word = '[' + members(u'w', kind) + ']';
    return "(?:(?<=" + word + ")(?!" + word + "))";
}

QString wordBorder(bool isNegated, TextKind kind)
{
    if (kind == TextKind::Ascii) {
        return isNegated ? "\\B" : "\\b";
    }
    const QString word = '[' + members(u'w', kind) + ']';
    return isNegated ? "(?:(?<=" + word + ")(?=" + word + ")|(?<!" + word + ")(?!" + word + "))"
                     : "(?:" + wordEnd(kind) + '|' + wordStart(kind) + ')';
}

} // namespace spettro
