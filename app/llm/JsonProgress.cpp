#include "app/llm/JsonProgress.h"

#include <algorithm>

namespace spettro {

void JsonProgress::add(QByteArrayView text)
{
    for (const char byte : text) {
        if (m_isInString) {
            if (m_isEscaped) {
                m_isEscaped = false;
            } else if (byte == '\\') {
                m_isEscaped = true;
            } else if (byte == '"') {
                m_isInString = false;
            }
        } else if (byte == '"') {
            m_isInString = true;
        } else if (byte == '{' || byte == '[') {
            m_deepest = std::max(m_deepest, ++m_depth);
        } else if (byte == '}' || byte == ']') {
            --m_depth;
        }
    }
}

} // namespace spettro
