#pragma once

#include "app/llm/ReplyReader.h"

#include <map>

namespace spettro {

/// Reads replies of OpenAI's responses protocol.
class ResponsesReader : public ReplyReader
{
public:
    using ReplyReader::ReplyReader;

protected:
    void takeEvent(const Json &event) override;
    void takeWhole(const Json &reply) override;
    QList<Item> takeItems() override;

private:
    /// An item of the output. What the server says of a whole item counts more than its pieces.
    struct Output
    {
        Json item; ///< As it began, or as it ended.
        QByteArray text;
        QByteArray reasoning;
        QByteArray arguments;
        QByteArray refusal;
        bool isEnded = false;
    };

    Output &outputOf(const Json &event);
    void takePiece(const QByteArray &type, const Json &event);
    void takeEnd(const QByteArray &type, const Json &response);
    void completeOutputs(const Json &items, const QByteArray &type);
    void takeUsage(const Json &figures);
    void takeError(const Json &error);
    void takeFailure(const Json &response);
    void takeContent(const Output &output, QList<Item> &items);

    std::map<qint64, Output> m_outputs; ///< By index, which is their order.
};

} // namespace spettro
