#include "tests/support/ToolCalls.h"

#include <QElapsedTimer>

namespace spettro::test {

namespace {

CallResult parseLine(const QByteArray &line)
{
    CallResult result;
    result.line = line;
    result.json = Json::parse(line.constBegin(), line.constEnd(), nullptr, false);
    if (result.json.is_discarded()) {
        result.json = nullptr;
    }
    return result;
}

QByteArray textIn(const Json &json, const char *member)
{
    return json.is_object() ? QByteArray::fromStdString(json.value(member, std::string())) : QByteArray();
}

} // namespace

QByteArray CallResult::output() const
{
    return textIn(json, "output");
}

QByteArray CallResult::error() const
{
    return textIn(json, "error");
}

QByteArray describe(const CallResult &result)
{
    return "exit code " + QByteArray::number(result.exitCode) + ", output: " + result.line
           + ", errors: " + result.errors;
}

CallResult call(const Fixture &fixture, const char *tool, const Json &input, const QStringList &flags,
                RunOptions options)
{
    if (options.folder.isEmpty()) {
        options.folder = fixture.workspace();
    }
    options.input = QByteArray::fromStdString(input.dump());
    const RunResult run = spettro::test::run(QStringList{spettroPath(), "call", tool, "-"} + flags, options);
    CallResult result = parseLine(run.output);
    result.exitCode = run.exitCode;
    result.errors = run.errors;
    return result;
}

CallSession::CallSession(const Fixture &fixture, const QStringList &flags, const RunOptions &options)
{
    m_process.setWorkingDirectory(options.folder.isEmpty() ? fixture.workspace() : options.folder);
    m_process.setProcessEnvironment(options.environment);
    m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    m_process.start(spettroPath(), QStringList{"call", "--lines"} + flags);
    m_process.waitForStarted();
}

CallSession::~CallSession()
{
    m_process.closeWriteChannel();
    if (!m_process.waitForFinished()) {
        m_process.kill();
        m_process.waitForFinished();
    }
}

CallResult CallSession::call(const char *tool, const Json &input, int timeLimit)
{
    const Json line = {{"tool", tool}, {"input", input}};
    return sendLine(QByteArray::fromStdString(line.dump()), timeLimit);
}

CallResult CallSession::sendLine(const QByteArray &line, int timeLimit)
{
    m_process.write(line + '\n');
    QElapsedTimer timer;
    timer.start();
    while (!m_process.canReadLine() && timer.elapsed() < timeLimit
           && m_process.state() != QProcess::NotRunning) {
        m_process.waitForReadyRead(static_cast<int>(timeLimit - timer.elapsed()));
    }
    return parseLine(m_process.readLine());
}

} // namespace spettro::test
