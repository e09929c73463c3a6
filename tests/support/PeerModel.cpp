#include "tests/support/PeerModel.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

namespace spettro::test {

namespace {

QString variable(const char *name)
{
    const QString value = qEnvironmentVariable(name);
    if (value.isEmpty()) {
        qFatal("%s is not set: run the tests by ctest or ./dev test", name);
    }
    return value;
}

} // namespace

QString peersPath()
{
    const QString path = variable("SPETTRO_TEST_PEERS");
    if (!QFileInfo::exists(path + "/@copilotkit/aimock/package.json")) {
        qFatal("no aimock in %s: ./dev test installs it, or put tests/peers/package*.json into the folder "
               "above and run npm ci there",
               qPrintable(path));
    }
    return path;
}

PeerModel::PeerModel(const QString &folder, const Json &scenario) : m_journal(folder + "/requests.jsonl")
{
    const QString script = folder + "/scenario.json";
    writeFile(script, QByteArray::fromStdString(scenario.dump()));
    QFile::remove(m_journal);
    m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    m_process.start("node",
                    {QFileInfo(peersPath()).path() + "/model-server.mjs", peersPath(), script, m_journal});
    if (!m_process.waitForStarted()) {
        qFatal("node does not start: install nodejs, 20 or newer");
    }
    while (!m_process.canReadLine() && m_process.waitForReadyRead(30'000)) {
    }
    m_port = m_process.readLine().trimmed().toInt();
    if (m_port == 0) {
        qFatal("aimock does not serve");
    }
}

PeerModel::~PeerModel()
{
    m_process.kill();
    m_process.waitForFinished();
}

QList<Json> PeerModel::requests() const
{
    QList<Json> all;
    for (const QByteArray &line : contentOf(m_journal).split('\n')) {
        if (!line.isEmpty()) {
            all.append(Json::parse(line.toStdString()));
        }
    }
    return all;
}

Json peerCall(const char *tool, const Json &arguments)
{
    return Json{{"name", tool}, {"arguments", arguments}};
}

} // namespace spettro::test
