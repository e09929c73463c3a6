// What begins with an opening parenthesis.

#include "tools/search/RegexTranslator.h"

namespace spettro {

void RegexTranslator::group()
{
    m_isLiteral = false;
    if (m_reader.isAhead(u"(*")) {
        m_reader.fail("(* is not supported; write \\(* for a bracket");
    } else if (!m_reader.isAhead(u"(?")) {
        m_reader.skip();
        write("(");
        m_canRepeat = false;
    } else if (m_reader.isAhead(u"(?:")) {
        m_reader.skip(3);
        write("(?:");
        m_canRepeat = false;
    } else if (m_reader.isAhead(u"(?P<")) {
        write(m_reader.takeThrough('>'));
        m_canRepeat = false;
    } else if (m_reader.isAhead(u"(?#")) {
        m_reader.notRust();
        m_reader.takeThrough(')');
    } else if (!flags()) {
        foreignGroup();
    }
}

/// What only PCRE2 knows behind `(?`.
void RegexTranslator::foreignGroup()
{
    m_reader.notRust();
    for (const QStringView opening : {u"(?<=", u"(?<!", u"(?=", u"(?!", u"(?>", u"(?|"}) {
        if (m_reader.isAhead(opening)) {
            m_reader.skip(opening.size());
            write(opening.toString());
            m_canRepeat = false;
            return;
        }
    }
    if (m_reader.isAhead(u"(?<")) {
        write(m_reader.takeThrough('>'));
        m_canRepeat = false;
    } else if (m_reader.isAhead(u"(?(?")) {
        m_reader.skip(2);
        write("(?");
        m_canRepeat = false;
    } else {
        write(m_reader.takeThrough(')')); // a reference or a condition
    }
}

/// Reads `(?i)` and `(?i:`; false if this is something else.
bool RegexTranslator::flags()
{
    qsizetype length = 2;
    while (QStringView(u"imsxuU-").contains(m_reader.peek(length))) {
        ++length;
    }
    const QChar closing = m_reader.peek(length);
    if (length == 2 || (closing != ':' && closing != ')')) {
        return false;
    }
    QString kept;
    QString removed;
    bool isRemoving = false;
    for (const QChar flag : m_reader.take(length).sliced(2)) {
        if (flag == '-') {
            isRemoving = true;
            continue;
        }
        const bool isForeign = flag == 'x' || flag == 'U' || (isRemoving && (flag == 'm' || flag == 'u'));
        if (isForeign) {
            m_reader.notRust();
        }
        m_isVerbose = flag == 'x' ? !isRemoving : m_isVerbose;
        if (flag == 'i' || flag == 'U' || (isRemoving && flag == 'm')) {
            (isRemoving ? removed : kept) += flag == 'U' ? QString("U") : QString(flag);
        }
        m_ignoresCase = m_ignoresCase || (flag == 'i' && !isRemoving);
        if (isRemoving && flag == 'm') {
            m_reader.result().needsWholeText = true;
        }
    }
    m_reader.skip();
    const QString all = removed.isEmpty() ? kept : kept + '-' + removed;
    if (closing == ':' || !all.isEmpty()) {
        write("(?" + all + closing);
    }
    m_canRepeat = false;
    return true;
}

} // namespace spettro
