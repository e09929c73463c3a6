#pragma once

#include "app/llm/ModelError.h"
#include "app/llm/Redactor.h"

#include <QList>

#include <variant>

namespace spettro {

/// A model that a server offers.
struct OfferedModel
{
    QByteArray id;            ///< As requests name it; any text but an empty one.
    qint64 contextTokens = 0; ///< How much it takes in at once; 0 where the server does not say.

    bool operator==(const OfferedModel &) const = default;
};

/// A part of a server's list of models.
struct ModelPage
{
    QList<OfferedModel> models;
    QByteArray next; ///< The id behind which the next part begins; empty where this is the last one.
};

/// Reads the body of an answer to `GET /models`: an object with the list in `data`, or the list itself. Entries without an id are
/// passed over. What is none of this is `BadReply`, and an object that reports an error is that error.
std::variant<ModelPage, ModelError> readModelPage(const QByteArray &body, const Redactor &redactor);

/// The models by id, each once.
QList<OfferedModel> sortedModels(QList<OfferedModel> models);

} // namespace spettro
