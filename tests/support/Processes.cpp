#include "tests/support/Processes.h"

#include "tests/support/Fixture.h"

#include <QDir>
#include <QRandomGenerator>

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
    for (const pid_t process : allProcesses()) {
        if (statusOf(process).value(1).toLongLong() == parent
            && (name.isEmpty() || entryOf(process, "comm") == name + '\n')) {
            return process;
        }
    }
    return 0;
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
