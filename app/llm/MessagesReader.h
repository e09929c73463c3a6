#pragma once

#include "app/llm/ReplyReader.h"

#include <map>

namespace spettro {

/// Reads replies of Anthropic's messages protocol.
class MessagesReader : public ReplyReader
{
public:
    using ReplyReader::ReplyReader;

protected:
    void takeEvent(const Json &event) override;
    void takeWhole(const Json &reply) override;
    QList<Item> takeItems() override;

private:
    struct Block
    {
        QByteArray type;
        QByteArray id;
        QByteArray name;
        QByteArray text;   ///< Text, thinking or the arguments of a call.
        QByteArray opaque; ///< The signature, or the data of what is redacted.
        Json input;        ///< Arguments that came with the start of the block.
        bool isEnded = false;
    };

    void takeBlock(qint64 index, const Json &content);
    void takeDelta(Block &block, const Json &delta);
    void takeStop(const Json &delta);
    void takeUsage(const Json &figures);

    std::map<qint64, Block> m_blocks; ///< By index, which is their order.
    qint64 m_uncachedInput = 0;
    qint64 m_writtenInput = 0;
};

} // namespace spettro
