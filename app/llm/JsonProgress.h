#pragma once

#include <QByteArrayView>

namespace spettro {

/// Follows JSON text as it comes, without keeping it: is the value whole, and how deep does it go? Takes the text for
/// JSON; whether it is, only a parser can tell.
class JsonProgress
{
public:
    void add(QByteArrayView text);

    /// An object or an array has begun and has ended again.
    bool isWhole() const { return m_deepest > 0 && m_depth <= 0 && !m_isInString; }
    /// An object, an array or a string has begun and has not ended.
    bool isOpen() const { return m_depth > 0 || m_isInString; }
    int deepest() const { return m_deepest; }

private:
    int m_depth = 0;
    int m_deepest = 0;
    bool m_isInString = false;
    bool m_isEscaped = false;
};

} // namespace spettro
