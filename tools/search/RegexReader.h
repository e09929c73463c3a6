#pragma once

#include "tools/search/RegexTranslation.h"

#include <QString>
#include <QStringView>

#include <optional>

namespace spettro {

/// A pattern while it is translated: how far it is read, what has been found out about it, and the escapes that
/// mean the same in and out of classes.
class RegexReader
{
public:
    RegexReader(QStringView pattern, TextKind kind) : m_in(pattern), m_kind(kind) {}

    TextKind kind() const { return m_kind; }
    /// What has been found out. Its `pattern` is written by whoever reads.
    RegexTranslation &result() { return m_result; }
    void notRust() { m_result.isKnownToRust = false; }

    /// Notes why the pattern is none; the first reason counts.
    void fail(const QString &message);
    bool hasFailed() const { return !m_error.isEmpty(); }
    const QString &error() const { return m_error; }

    bool isAtEnd() const { return m_position >= m_in.size(); }
    /// The character at this distance, a null one behind the end.
    QChar peek(qsizetype distance = 0) const;
    QStringView rest() const { return m_in.sliced(m_position); }
    bool isAhead(QStringView text) const { return rest().startsWith(text); }

    void skip(qsizetype count = 1) { m_position += count; }
    /// As many characters, fewer at the end.
    QString take(qsizetype count);
    /// What stands up to and including the next `closing`, or up to the end.
    QString takeThrough(QChar closing);
    /// Requires that it is not at the end.
    char32_t takeCodePoint();

    qsizetype position() const { return m_position; }
    /// Reads from there once more, as if nothing had failed.
    void goBack(qsizetype position);

    /// The character that an escape stands for in and out of classes, read from the letter behind the backslash on.
    /// Nothing if the escape is of another kind; the position is at the letter then.
    std::optional<char32_t> takeEscapedCharacter();
    /// The expression of `\p…`, read from behind the p on.
    QString takeProperty(bool isNegated);

private:
    char32_t takeHexadecimal(QChar letter);

    QStringView m_in;
    TextKind m_kind;
    qsizetype m_position = 0;
    RegexTranslation m_result;
    QString m_error;
};

} // namespace spettro
