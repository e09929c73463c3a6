#pragma once

#include "tests/support/ToolCalls.h"

#include <QProcess>

namespace spettro::test {

/// The folder node_modules with the peers of tests/peers; ends the test program, saying what to install, where it is missing.
QString peersPath();

/// Real aimock playing a scenario, see tests/peers/model-server.mjs. It ends with this object.
class PeerModel
{
public:
    /// `folder` gets the scenario and the journal.
    PeerModel(const QString &folder, const Json &scenario);
    ~PeerModel();
    PeerModel(const PeerModel &) = delete;
    PeerModel &operator=(const PeerModel &) = delete;

    QString url() const { return QString("http://127.0.0.1:%1/v1").arg(m_port); }

    /// The requests so far, each {"path", "body"}, the body as it came.
    QList<Json> requests() const;

private:
    QString m_journal;
    QProcess m_process;
    int m_port = 0;
};

/// A call as a turn of a scenario has it.
Json peerCall(const char *tool, const Json &arguments);

} // namespace spettro::test
