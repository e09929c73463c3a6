#include "tests/support/OrdinaryWork.h"

#include "tests/support/OperatorHome.h"

#include <QRegularExpression>
#include <QTest>

namespace spettro::test {

namespace {

constexpr int TimeLimit = 120'000; // milliseconds; the machine may be busy with other tests

QByteArray withoutKnownNoise(const QByteArray &errors, const QByteArray &pattern)
{
    if (pattern.isEmpty()) {
        return errors;
    }
    const QRegularExpression noise(pattern);
    QByteArrayList left;
    for (const QByteArray &line : errors.split('\n')) {
        if (!noise.match(QString::fromUtf8(line)).hasMatch()) {
            left << line;
        }
    }
    return left.join('\n').trimmed();
}

} // namespace

void addWorkColumns()
{
    QTest::addColumn<QString>("mode");
    QTest::addColumn<Work>("work");
}

void addWork(const char *name, const Work &work)
{
    QTest::addRow("%s", name) << "workspace-write" << work;
    QTest::addRow("%s, read-only", name) << "read-only" << work;
}

void checkWork()
{
    QFETCH(QString, mode);
    QFETCH(Work, work);
    const QStringList missing = missingPackages(work.programs);
    QVERIFY2(missing.isEmpty(), "not installed, Debian packages: " + missing.join(' ').toUtf8());

    const OperatorHome home;
    const bool isReadOnly = mode == "read-only";
    const QByteArray before = Fixture::snapshot(home.workspace());
    RunOptions options;
    options.timeLimit = TimeLimit;
    options.environment = home.environment();
    const QByteArray script = (isReadOnly ? "cd \"$TMPDIR\"\n" : "") + work.script;
    const RunResult result =
        home.exec({"--sandbox", mode, "--sandbox-net", "none"},
                  {"bash", "-euo", "pipefail", "-c", QString::fromUtf8(script)}, options);

    QVERIFY2(result.exitCode == 0, describe(result));
    QCOMPARE(result.output, work.output);
    QCOMPARE(withoutKnownNoise(result.errors, work.knownNoise), QByteArray());
    if (!work.file.isEmpty()) {
        const QString file = QFile::decodeName(work.file);
        QCOMPARE(contentOf(isReadOnly ? home.temporary(file) : home.workspace(file)), work.content);
    }
    if (isReadOnly) {
        QCOMPARE(Fixture::snapshot(home.workspace()), before);
    }
}

} // namespace spettro::test
