// A day's work through tool calls alone: a real C++ project is read, mended, built, tested and committed by real programs,
// with writing held to the project and without a network.

#include "tests/support/OperatorHome.h"
#include "tests/support/ToolCalls.h"

#include <QTest>

using namespace spettro::test;

namespace {

constexpr const char *Makefile = "CXXFLAGS = -O1 -Wall\n"
                                 "\n"
                                 "test: sum_test\n"
                                 "\t./sum_test\n"
                                 "\n"
                                 "sum_test: src/sum.o tests/sum_test.o\n"
                                 "\t$(CXX) -o $@ $^\n"
                                 "\n"
                                 ".PHONY: test\n";

constexpr const char *Source = "#include \"sum.h\"\n"
                               "\n"
                               "int sum(const std::vector<int> &values)\n"
                               "{\n"
                               "    int total = 0;\n"
                               "    for (std::size_t i = 1; i < values.size(); ++i) {\n"
                               "        total += values[i];\n"
                               "    }\n"
                               "    return total;\n"
                               "}\n";

constexpr const char *Test = "#include \"../src/sum.h\"\n"
                             "#include <cstdio>\n"
                             "\n"
                             "int main()\n"
                             "{\n"
                             "    const int result = sum({1, 2, 3});\n"
                             "    std::printf(\"sum is %d\\n\", result);\n"
                             "    return result == 6 ? 0 : 1;\n"
                             "}\n";

} // namespace

class tst_CallProject : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void mendsBuildsTestsAndCommits();
};

void tst_CallProject::initTestCase()
{
    const QStringList missing = missingPackages({"git", "make", "g++"});
    QVERIFY2(missing.isEmpty(), qPrintable("install: " + missing.join(' ')));
}

void tst_CallProject::mendsBuildsTestsAndCommits()
{
    const Fixture fixture;
    RunOptions here;
    here.folder = fixture.workspace();
    QDir(fixture.workspace()).mkpath("src");
    QDir(fixture.workspace()).mkpath("tests");
    writeFile(fixture.workspace("Makefile"), Makefile);
    writeFile(fixture.workspace("src/sum.cpp"), Source);
    writeFile(fixture.workspace("src/sum.h"),
              "#include <vector>\n\nint sum(const std::vector<int> &values);\n");
    writeFile(fixture.workspace("tests/sum_test.cpp"), Test);
    writeFile(fixture.workspace(".gitignore"), "*.o\nsum_test\n");
    const RunResult made =
        run(shell("git init -q && git config user.email t@example.invalid && git config user.name t"
                  " && git add . && git commit -qm first"),
            here);
    QVERIFY2(made.exitCode == 0, describe(made));
    const QByteArray outside = Fixture::snapshot(fixture.outside());

    CallSession session(fixture);
    const CallResult found = session.call("glob", {{"pattern", "**/*.cpp"}});
    QCOMPARE(found.output(), QByteArray("src/sum.cpp\ntests/sum_test.cpp\n"));
    const CallResult failing = session.call("bash", {{"command", "make test"}});
    QVERIFY2(!failing.ok() && failing.output().contains("sum is 5"), describe(failing));
    const CallResult loops = session.call("grep", {{"pattern", "for \\(.*= 1"}});
    QVERIFY2(loops.output().startsWith("src/sum.cpp:6:"), describe(loops));
    QVERIFY(session.call("file-read", {{"path", "src/sum.cpp"}}).output().contains("     6\t"));

    const CallResult edited = session.call(
        "file-edit",
        {{"path", "src/sum.cpp"}, {"old_string", "std::size_t i = 1"}, {"new_string", "std::size_t i = 0"}});
    QVERIFY2(edited.ok() && edited.output().contains("\n+    for (std::size_t i = 0;"), describe(edited));
    QVERIFY(
        session.call("file-write", {{"path", "doc/notes.md"}, {"content", "The first value counts too.\n"}})
            .ok());
    const CallResult passing = session.call("shell-exec", {{"command", "make test 2>&1"}});
    QVERIFY2(passing.ok() && passing.output().contains("sum is 6"), describe(passing));
    const CallResult committed = session.call(
        "bash", {{"command", "git add . && git commit -qm 'The first value counts' && git status --short"}});
    QVERIFY2(committed.ok() && committed.output().isEmpty(), describe(committed));

    // As the host sees it.
    const RunResult log = run({"git", "log", "--format=%s", "--stat"}, here);
    QVERIFY2(log.output.startsWith("The first value counts\n") && log.output.contains("src/sum.cpp  | 2 +-")
                 && log.output.contains("doc/notes.md"),
             describe(log));
    QCOMPARE(run({fixture.workspace("sum_test")}, here).exitCode, 0);
    QCOMPARE(run({"git", "fsck", "--strict"}, here).exitCode, 0);
    QCOMPARE(Fixture::snapshot(fixture.outside()), outside);
}

QTEST_GUILESS_MAIN(tst_CallProject)

#include "tst_call_project.moc"
