#pragma once

#include "tools/search/RegexTranslation.h"

#include <QString>
#include <QStringList>
#include <QStringView>

#include <optional>

namespace spettro {

/// The members of a class while it is read: plain ones in PCRE2's notation, and others as whole expressions.
class RegexClass
{
public:
    explicit RegexClass(TextKind kind) : m_kind(kind) {}

    /// Adds code points without line ends and without the mark for bytes that belong to no character.
    void addRange(char32_t first, char32_t last);
    /// Adds a line feed or carriage return, which the others leave out.
    void addLineEnd(char32_t character) { m_plain += character == U'\n' ? "\\n" : "\\r"; }
    /// Adds what `\d`, `\w`, `\s` or, in upper case, their opposites mean.
    void addShorthand(char16_t letter);
    /// Adds the members of `[:name:]`, ASCII only as in Rust; false if there is no such class.
    bool addNamed(QStringView name, bool isNegated);
    /// Adds what an expression for one character takes.
    void addExpression(const QString &expression) { m_expressions << expression; }

    /// An expression for one character that is a member, or is none.
    QString expression(bool isNegated) const;

private:
    TextKind m_kind;
    QString m_plain;
    QStringList m_expressions;
};

/// An expression for what `.` means.
QString anyCharacter(TextKind kind);

/// An expression for `\p{name}` with Rust's names, nothing if the name cannot be one.
std::optional<QString> propertyExpression(const QString &name, bool isNegated, TextKind kind);

/// Whether a property with such a name tells upper from lower case.
bool isCaseProperty(const QString &name);

/// An expression for `\b`, or, negated, for `\B`.
QString wordBorder(bool isNegated, TextKind kind);
/// Expressions for a place where a word begins or ends.
QString wordStart(TextKind kind);
QString wordEnd(TextKind kind);

} // namespace spettro
