#pragma once

#include "app/llm/Model.h"

#include <functional>
#include <optional>

namespace spettro::test {

/// A model whose answers a test prepares. When none is left it fails.
class FakeModel : public Model
{
public:
    /// Makes an answer of a request; nothing: it never comes, unless it is cancelled.
    using Answer = std::function<std::optional<ModelOutcome>(const ModelRequest &request)>;

    QList<Answer> answers;
    Answer otherwise = [](const ModelRequest &) {
        return failure(ModelError::Kind::Server, "no answer is left");
    };
    QList<ModelRequest> requests;

    QByteArray title() const override { return "fake"; }

    void ask(const ModelRequest &request) override
    {
        requests.append(request);
        m_isAsked = true;
        const Answer answer = answers.isEmpty() ? otherwise : answers.takeFirst();
        if (const std::optional<ModelOutcome> outcome = answer(request)) {
            QMetaObject::invokeMethod(
                this, [this, outcome] { finish(*outcome); }, Qt::QueuedConnection);
        }
    }

    void cancel() override
    {
        QMetaObject::invokeMethod(
            this, [this] { finish(failure(ModelError::Kind::Interrupted, "interrupted")); },
            Qt::QueuedConnection);
    }

    static ModelOutcome failure(ModelError::Kind kind, const QByteArray &message)
    {
        return ModelError{kind, message, std::nullopt, {}};
    }

    static Answer fails(ModelError::Kind kind, const QByteArray &message = "no")
    {
        return [=](const ModelRequest &) { return failure(kind, message); };
    }

    static Answer answer(const QList<Part> &parts, const Usage &usage = {})
    {
        return [=](const ModelRequest &) {
            return ModelReply{{Message::Role::Assistant, parts}, StopReason::EndOfTurn, usage};
        };
    }

    static Answer says(const QByteArray &text, const Usage &usage = {})
    {
        return answer({TextPart{text}}, usage);
    }

    static Answer calls(const QByteArray &id, const QByteArray &tool, const Json &input,
                        const Usage &usage = {})
    {
        return answer({call(id, tool, input)}, usage);
    }

    static CallPart call(const QByteArray &id, const QByteArray &tool, const Json &input)
    {
        return {id, tool, QByteArray::fromStdString(input.dump()), {}};
    }

    /// Nothing comes.
    static std::optional<ModelOutcome> hangs(const ModelRequest &) { return std::nullopt; }

private:
    void finish(const ModelOutcome &outcome)
    {
        if (std::exchange(m_isAsked, false)) {
            emit finished(outcome);
        }
    }

    bool m_isAsked = false;
};

} // namespace spettro::test
