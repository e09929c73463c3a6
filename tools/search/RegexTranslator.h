#pragma once

#include "tools/search/RegexReader.h"

#include <QString>
#include <QStringView>

#include <variant>

namespace spettro {

/// The translator behind `translateRegex`: reads one pattern and writes its translation.
class RegexTranslator
{
public:
    RegexTranslator(QStringView pattern, TextKind kind) : m_reader(pattern, kind) {}

    std::variant<RegexTranslation, QString> run();

private:
    void step();
    void skipVerbose();
    void quantifier(const QString &text);
    void braces();

    // RegexGroups.cpp
    void group();
    void foreignGroup();
    bool flags();

    // RegexEscapes.cpp
    void escape();
    void foreignEscape(QChar letter);
    void quoted();

    void write(const QString &expression);
    void writeLiteral(char32_t value);

    RegexReader m_reader;
    QString m_literal;
    bool m_isLiteral = true;
    bool m_canRepeat = false;
    bool m_isVerbose = false;
    bool m_ignoresCase = false;
};

} // namespace spettro
