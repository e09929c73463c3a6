#pragma once

#include "app/llm/ModelError.h"
#include "app/llm/ModelReply.h"
#include "app/llm/ModelRequest.h"

#include <QObject>

#include <chrono>
#include <variant>

namespace spettro {

using ModelOutcome = std::variant<ModelReply, ModelError>;

/// A model that is asked one thing at a time.
class Model : public QObject
{
    Q_OBJECT

public:
    using QObject::QObject;

    /// What it is called where people see it.
    virtual QByteArray title() const = 0;

    /// Asks. `finished` comes for it exactly once, later; only then may the next request follow.
    virtual void ask(const ModelRequest &request) = 0;

    /// Ends the request that runs soon: it finishes with `Interrupted`. Nothing where none runs.
    virtual void cancel() = 0;

signals:
    /// A piece of the answer, for showing only: what counts comes with `finished`.
    void textArrived(const QByteArray &text);
    void reasoningArrived(const QByteArray &text);
    /// Another try begins after this time: what has arrived of this answer is void.
    void retrying(const QByteArray &why, std::chrono::milliseconds after);
    void finished(const spettro::ModelOutcome &outcome);
};

} // namespace spettro
