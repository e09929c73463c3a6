#include "tests/support/Processes.h"

#include "tests/support/Fixture.h"

#include <QDir>
#include <QRandomGenerator>

#include <limits>

namespace spettro::test {

namespace {

QList<pid_t> allProcesses()
{
    QList<pid_t> processes;
    for (const QString &process : QDir("/proc").entryList({"[1-9]*"}, QDir::Dirs)) {
        processes << process.toInt();
    }
    return processes;
}

QByteArray entryOf(pid_t process, const char *entry)
{
    return contentOf(QString("/proc/%1/%2").arg(process).arg(entry));
}

/// The fields of /proc/PID/stat from the third one on.
QByteArrayList statusOf(pid_t process)
{
    const QByteArray text = entryOf(process, "stat");
    return text.mid(text.lastIndexOf(')') + 2).split(' ');
}

} // namespace

pid_t childOf(qint64 parent, const QByteArray &name)
{
    // The oldest one: what a subreaper has been given comes later, with any number.
    constexpr int StartTime = 19; // proc_pid_stat(5), counted from the state
    pid_t oldest = 0;
    qint64 start = std::numeric_limits<qint64>::max();
    for (const pid_t process : allProcesses()) {
        const auto status = statusOf(process);
        if (status.value(1).toLongLong() == parent && status.value(StartTime).toLongLong() < start
            && (name.isEmpty() || entryOf(process, "comm") == name + '\n')) {
            oldest = process;
            start = status.value(StartTime).toLongLong();
        }
    }
    return oldest;
}

QList<pid_t> processesWith(const QByteArray &text)
{
    QList<pid_t> found;
    for (const pid_t process : allProcesses()) {
        if (entryOf(process, "cmdline").contains(text)) {
            found << process;
        }
    }
    return found;
}

char stateOf(pid_t process)
{
    const QByteArray state = statusOf(process).value(0);
    return state.isEmpty() ? '\0' : state.front();
}

QByteArray uniqueDuration()
{
    return "61." + QByteArray::number(QRandomGenerator::global()->generate());
}

} // namespace spettro::test
