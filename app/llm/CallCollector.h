#pragma once

#include "app/llm/JsonProgress.h"
#include "tools/Json.h"

#include <QByteArray>
#include <QList>

#include <optional>

namespace spettro {

/// Puts the tool calls of a chat completion together from their fragments. Servers disagree on what names a fragment's
/// call: the index, the id, both or nothing.
class CallCollector
{
public:
    struct Call
    {
        std::optional<qint64> index;
        QByteArray id;
        QByteArray name;
        QByteArray arguments;
        JsonProgress progress;
    };

    /// Adds an element of `tool_calls`. True if with it a call got its name.
    bool addFragment(const Json &fragment);

    /// Adds an element that is a whole call, from a reply that was not streamed.
    void addWhole(const Json &call);

    /// In the order in which they began, without those of which nothing came but an index.
    QList<Call> calls() const;

private:
    struct Fragment;

    Call &callOf(const Fragment &fragment);
    Call *known(const Fragment &fragment);
    static bool beginsAnother(const Call &call, const Fragment &fragment);
    static bool append(Call &call, const Fragment &fragment);

    QList<Call> m_calls;
};

} // namespace spettro
