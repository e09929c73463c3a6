// A goal run of 500 requests: its memory is that of the conversation, and no more.

#include "tests/support/HttpTestServer.h"
#include "tests/support/OperatorHome.h"
#include "tests/support/ToolCalls.h"

#include <QTest>

using namespace spettro::test;

namespace {

constexpr int Turns = 500;
constexpr int WarmTurns = 100; // by then every cache and thread is there

// Between the two samples the conversation grows by 400 turns of about 600 bytes, a quarter of a MiB. It is held as values, as
// JSON while it is written (some ten times its bytes) and as a body. What leaks with each request leaks bodies of 150 KB
// on average: 60 MB.
constexpr qint64 MostGrowth = 12 * 1024; // KiB

/// The resident memory of a process in KiB; 0 where it is gone.
qint64 residentMemory(qint64 process)
{
    for (const QByteArray &line : contentOf(QString("/proc/%1/status").arg(process)).split('\n')) {
        if (line.startsWith("VmRSS:")) {
            return line.mid(6).simplified().split(' ').first().toLongLong();
        }
    }
    return 0;
}

QByteArray answer(int turn)
{
    const bool isLast = turn == Turns;
    // Every call is another one: who repeats himself is stopped. Each second is refused.
    const std::string path = turn % 2 == 0 ? "file" : "../outside/" + std::to_string(turn);
    const Json input = isLast           ? Json{{"summary", "fine"}}
                       : turn % 10 == 0 ? Json{{"command", "echo " + std::to_string(turn)}}
                                        : Json{{"path", path}, {"offset", turn}, {"limit", 10}};
    const char *const tool = isLast ? "goal-complete" : turn % 10 == 0 ? "bash" : "file-read";
    Json call;
    call["index"] = 0;
    call["id"] = "call" + std::to_string(turn);
    call["function"] = {{"name", tool}, {"arguments", input.dump()}};
    Json choice;
    choice["index"] = 0;
    choice["delta"]["content"] = "Step " + std::to_string(turn) + ".";
    choice["delta"]["tool_calls"] = Json::array({call});
    choice["finish_reason"] = "tool_calls";
    const Json event{{"choices", Json::array({choice})}};
    return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: "
           + QByteArray::fromStdString(event.dump()) + "\n\ndata: [DONE]\n\n";
}

} // namespace

class tst_Endurance : public QObject
{
    Q_OBJECT

private slots:
    void memoryIsFlat();
};

void tst_Endurance::memoryIsFlat()
{
    if (IsSanitized) {
        QSKIP("the memory of a sanitized process says nothing of Spettro's");
    }
    const OperatorHome home;
    QByteArray content;
    for (int line = 0; line < Turns + 10; ++line) {
        content += "line " + QByteArray::number(line) + '\n';
    }
    writeFile(home.workspace("file"), content);
    QProcess process;
    int turn = 0;
    qint64 warm = 0;
    qint64 last = 0;
    qsizetype lastBody = 0;
    HttpTestServer *serving = nullptr;
    HttpTestServer server([&](QTcpSocket *socket) {
        ++turn;
        lastBody = serving->requests.last().size();
        serving->requests.clear();
        const qint64 now = residentMemory(process.processId());
        warm = turn == WarmTurns ? now : warm;
        last = turn == Turns ? now : last;
        socket->write(answer(turn));
        socket->disconnectFromHost();
    });
    serving = &server;
    QProcessEnvironment environment = home.environment();
    environment.remove("BASH_ENV");
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(home.workspace());
    process.start(spettroPath(), QStringList{"--goal", "look around", "--provider", "openai", "--model", "m",
                                             "--base-url", server.url().toString(), "--quiet"}
                                     + WorkspaceOnly);
    QVERIFY(process.waitForStarted());
    QVERIFY(QTest::qWaitFor([&] { return process.state() == QProcess::NotRunning; }, 600'000));
    const QByteArray output = process.readAllStandardOutput() + process.readAllStandardError();
    QVERIFY2(process.exitCode() == 0, output);
    QCOMPARE(turn, Turns);
    QVERIFY2(lastBody > 100'000, QByteArray::number(lastBody)); // the conversation did grow
    const QByteArray figures = "KiB after " + QByteArray::number(WarmTurns)
                               + " requests: " + QByteArray::number(warm) + ", after "
                               + QByteArray::number(Turns) + ": " + QByteArray::number(last)
                               + "; last request: " + QByteArray::number(lastBody) + " bytes";
    qInfo("%s", figures.constData());
    QVERIFY2(warm > 0 && last - warm < MostGrowth, figures);
}

QTEST_GUILESS_MAIN(tst_Endurance)

#include "tst_endurance.moc"
