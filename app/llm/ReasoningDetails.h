#pragma once

#include "tools/Json.h"

#include <QByteArray>

namespace spettro {

/// Puts the `reasoning_details` of OpenRouter together again. They come in fragments and have to go back whole: a
/// signature in them covers the whole text.
class ReasoningDetails
{
public:
    /// Adds the array of one fragment; everything else is passed over.
    void add(const Json &fragments);

    /// All details as a JSON array; empty if there were none.
    QByteArray text() const;

private:
    Json m_details = Json::array();
};

} // namespace spettro
