#pragma once

#include <QByteArray>

#include <optional>

namespace spettro {

/// Lines from a descriptor, as they come, until it ends or something else wants attention.
class LineInput
{
public:
    /// Both descriptors belong to the caller. Reading stops when `stopDescriptor` becomes readable (-1: never).
    LineInput(int descriptor, int stopDescriptor) : m_descriptor(descriptor), m_stopDescriptor(stopDescriptor)
    {}

    /// The next line without its end; waits for it. Nothing at the end, on an error and when it was stopped.
    std::optional<QByteArray> next();

private:
    bool waitForInput() const;

    int m_descriptor = -1;
    int m_stopDescriptor = -1;
    QByteArray m_buffer;      ///< Read, but not yet given out.
    qsizetype m_searched = 0; ///< So much of it has no line end.
};

} // namespace spettro
