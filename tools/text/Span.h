#pragma once

#include <QtGlobal>

namespace spettro {

/// Bytes of a text, from `start` to before `end`.
struct Span
{
    qsizetype start = 0;
    qsizetype end = 0;

    bool operator==(const Span &) const = default;
};

} // namespace spettro
