#pragma once

#include "app/llm/Model.h"
#include "app/llm/ModelScript.h"

namespace spettro {

/// Plays a script instead of asking a server: for demonstrations and tests, on machines that have no model. Its title says so
/// wherever it shows.
class ScriptedModel : public Model
{
    Q_OBJECT

public:
    explicit ScriptedModel(ModelScript script, QObject *parent = nullptr);

    QByteArray title() const override;
    void ask(const ModelRequest &request) override;
    void cancel() override;

private:
    ModelOutcome next(const ModelRequest &request);

    ModelScript m_script;
    qsizetype m_position = 0;
    int m_calls = 0; ///< Numbers the ids of calls.
    bool m_isAsked = false;
    bool m_isCancelled = false;
};

} // namespace spettro
