#include "app/llm/CallIds.h"

#include <algorithm>

namespace spettro {

namespace {

constexpr qsizetype Longest = 40; // OpenAI's chat completions.
constexpr qsizetype OfMistral = 9;

bool isLetterOrDigit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool isInName(char c)
{
    return isLetterOrDigit(c) || c == '_' || c == '-';
}

bool isVisible(char c)
{
    return c > ' ' && c < 0x7F;
}

} // namespace

QByteArray CallIds::next(const QByteArray &given)
{
    ++m_count;
    QByteArray id = given;
    for (int number = m_count; !canStay(id); ++number) {
        id = "call" + QByteArray::number(number).rightJustified(5, '0');
    }
    m_taken.insert(id);
    return id;
}

bool CallIds::canStay(const QByteArray &id) const
{
    if (id.isEmpty() || m_taken.contains(id)) {
        return false;
    }
    if (m_kind == Dialect::CallIds::NineCharacters) {
        return id.size() == OfMistral && std::all_of(id.begin(), id.end(), isLetterOrDigit);
    }
    // Anthropic takes nothing but these; models of others may have learnt ids such as `functions.bash:0`.
    const auto isAllowed = m_protocol == Protocol::Messages ? isInName : isVisible;
    return id.size() <= Longest && std::all_of(id.begin(), id.end(), isAllowed);
}

} // namespace spettro
