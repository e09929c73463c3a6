// git under the sandbox: all that is done in a clone without a remote one.

#include "tests/support/OperatorHome.h"
#include "tests/support/OrdinaryWork.h"

#include <QTest>

using namespace spettro::test;

class TestWorkGit : public QObject
{
    Q_OBJECT

private slots:
    void works_data();
    void works() { checkWork(); }
    void looksWithoutWriting();
};

void TestWorkGit::works_data()
{
    addWorkColumns();
    addWork("init, add, commit",
            {.programs = {"git"},
             .script =
                 "git init -q; echo 1 >f; touch x.ignored; git add -A; git commit -qm first;"
                 "git log --format='%an %ae %s'; git status --short; git show --stat --format= | tail -n 1",
             .output = "The Operator operator@example.invalid first\n 1 file changed, 1 insertion(+)\n",
             .file = ".git/HEAD",
             .content = "ref: refs/heads/main\n"});
    addWork("branch, stash, rebase, tag",
            {.programs = {"git"},
             .script =
                 "git init -q; echo 1 >f; git add f; git commit -qm one; git checkout -qb topic; echo 2 >>f;"
                 "git stash -q; git stash pop -q; git commit -qam two; git checkout -q main; echo g >g;"
                 "git add g; git commit -qm three; git checkout -q topic; git rebase -q main;"
                 "git branch -m renamed; git tag t1; git cherry-pick --allow-empty -x main >/dev/null 2>&1 ||"
                 "git cherry-pick --skip; git merge -q main; git log --format=%s; git mv g h; git rm -q f;"
                 "git reset -q --hard; git clean -qfd; find . -name '*.lock'",
             .output = "two\nthree\none\n",
             .file = "f",
             .content = "1\n2\n"});
    addWork("gc, fsck, clone, worktree",
            {.programs = {"git"},
             .script =
                 "git init -q a; cd a; echo 1 >f; git add f; git commit -qm one; git gc -q; git fsck;"
                 "git pack-refs --all; git config user.x 1; git repack -qad; cd ..; git clone -q a b;"
                 "git clone -q --no-hardlinks \"file://$PWD/a\" c; git -C a worktree add -q ../d -b d;"
                 "git -C b pull -q; git -C b commit -q --allow-empty -m two; git -C b push -q origin HEAD:up;"
                 "git -C a archive HEAD | tar t; git -C a log --format=%s up; cat c/f >result",
             .output = "f\ntwo\none\n",
             .file = "result",
             .content = "1\n"});
    addWork("a hook of the repository, bisect",
            {.programs = {"git"},
             .script =
                 "git init -q; printf '#!/bin/sh\\necho ran >hooked\\n' >.git/hooks/pre-commit;"
                 "chmod +x .git/hooks/pre-commit; for n in 1 2 3 4; do echo $n >n; git add n;"
                 "git commit -qm $n; done; git bisect start HEAD HEAD~3 >/dev/null;"
                 "git bisect run sh -c 'test $(cat n) -lt 3' >/dev/null; git log -1 --format=%s bisect/bad;"
                 "git bisect reset 2>/dev/null",
             .output = "3\n",
             .file = "hooked",
             .content = "ran\n"});
}

/// Under read-only a repository can be looked at; changing it fails with git's own message and leaves nothing.
void TestWorkGit::looksWithoutWriting()
{
    const QStringList missing = missingPackages({"git"});
    QVERIFY2(missing.isEmpty(), "not installed: git");
    const OperatorHome home;
    RunOptions options;
    options.environment = home.environment();
    const RunResult made = home.fixture().control(
        shell("git init -q; echo 1 >f; git add f; git commit -qm one; echo 2 >>f; touch -d yesterday f"),
        options);
    QVERIFY2(made.exitCode == 0, describe(made));
    const QByteArray before = Fixture::snapshot(home.workspace());

    const QStringList readOnly{"--sandbox", "read-only", "--sandbox-net", "none"};
    const RunResult looked = home.exec(
        readOnly, shell("git status --short && git log --format=%s && git diff --stat && git stash list"
                        " && git grep -n 1 && grep -rn 2 f"));
    QVERIFY2(looked.exitCode == 0, describe(looked));
    QCOMPARE(looked.output, QByteArray(" M f\none\n f | 1 +\n 1 file changed, 1 insertion(+)\nf:1:1\n2:2\n"));
    QCOMPARE(looked.errors, QByteArray());

    const RunResult committed = home.exec(readOnly, {"git", "commit", "-qam", "two"});
    QCOMPARE(committed.exitCode, 128);
    QVERIFY2(committed.errors.contains("index.lock"), describe(committed));
    QCOMPARE(Fixture::snapshot(home.workspace()), before);
}

QTEST_GUILESS_MAIN(TestWorkGit)
#include "tst_work_git.moc"
