#pragma once

#include <QByteArray>

#include <sys/types.h>

/// Looking at the machine's processes from outside.
namespace spettro::test {

/// The child of a process that has this name; any child for an empty one. 0 for none.
pid_t childOf(qint64 parent, const QByteArray &name = {});

/// The processes that have this text in their command line.
QList<pid_t> processesWith(const QByteArray &text);

/// The state of a process as in proc(5): R, S, T...; 0 where it is gone.
char stateOf(pid_t process);

/// An argument for sleep(1) that no other process on this machine has: a minute and some.
QByteArray uniqueDuration();

} // namespace spettro::test
