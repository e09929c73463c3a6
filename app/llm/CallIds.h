#pragma once

#include "app/llm/Dialect.h"

#include <QByteArray>
#include <QSet>

namespace spettro {

/// Ids of calls that servers take: those of the conversation where they can stay, else new ones. The id of a call depends
/// on nothing that comes after it, so that the next request repeats it.
class CallIds
{
public:
    CallIds(Protocol protocol, Dialect::CallIds kind) : m_protocol(protocol), m_kind(kind) {}

    /// The id for the next call of the conversation, which has the id `given` there.
    QByteArray next(const QByteArray &given);

private:
    bool canStay(const QByteArray &id) const;

    Protocol m_protocol;
    Dialect::CallIds m_kind;
    QSet<QByteArray> m_taken;
    int m_count = 0;
};

} // namespace spettro
