// Debuggers, tracers, leak checkers and terminals of a command's own, under the sandbox.

#include "tests/support/OrdinaryWork.h"

#include <QTest>

using namespace spettro::test;

class TestWorkDebug : public QObject
{
    Q_OBJECT

private slots:
    void works_data();
    void works() { checkWork(); }
};

void TestWorkDebug::works_data()
{
    addWorkColumns();
    addWork("gdb", {.programs = {"gdb", "gcc"},
                    .script = R"(
printf 'int f(int x) { return x + 1; }\nint main(void) { return f(2); }\n' >m.c; gcc -g m.c -o m
gdb -q -batch -ex 'break f' -ex run -ex 'print x' -ex 'set var x = 6' -ex continue ./m >log
grep -c 'Breakpoint 1, f (x=2)' log; grep -c 'exited with code 07' log; grep -o '^\$1 = 2' log >result
)",
                    .output = "1\n1\n",
                    .file = "result",
                    .content = "$1 = 2\n",
                    // No command may write below /proc; gdb goes on with ptrace(2).
                    .knownNoise = "^$|warning: opening /proc/.*/mem file.* failed: Permission denied"});
    addWork("gdb attaches to a child", {.programs = {"gdb"},
                                        .script = R"(
sleep 30 & child=$!; sleep 0.2
gdb -q -batch -p $child -ex 'info proc' -ex detach >log 2>&1; grep -cx "process $child" log
kill $child; echo attached >result
)",
                                        .output = "1\n",
                                        .file = "result",
                                        .content = "attached\n"});
    addWork("strace", {.programs = {"strace"},
                       .script = R"(
strace -f -o log -e trace=execve bash -c 'true; /bin/true'; grep -c execve log
sleep 30 & child=$!; timeout 1 strace -qq -o log2 -p $child || true; kill $child; echo traced >result
)",
                       .output = "2\n",
                       .file = "result",
                       .content = "traced\n"});
    addWork("LeakSanitizer", {.programs = {"gcc"},
                              .script = R"(
printf '#include <stdlib.h>\nint main(void) { char *volatile p = malloc(10); p = 0; return p != 0; }\n' >m.c
gcc -fsanitize=address -g m.c -o m; code=0; ./m 2>log || code=$?; echo $code
grep -c 'detected memory leaks' log; grep -o '10 byte(s) leaked' log >result
printf 'int main(void) { return 0; }\n' | gcc -fsanitize=address,undefined -x c - -o ok; ./ok
)",
                              .output = "1\n1\n",
                              .file = "result",
                              .content = "10 byte(s) leaked\n"});
    addWork("script", {.programs = {"script"},
                       .script = R"(
script -qec 'tty | cut -d/ -f1-3; stty rows 20 cols 30; stty size; exit 0' typescript | tr -d '\r'
code=0; script -qec 'exit 4' /dev/null || code=$?; echo $code >result
)",
                       .output = "/dev/pts\n20 30\n",
                       .file = "result",
                       .content = "4\n"});
    addWork("raw keys of node in a new terminal", {.programs = {"script", "node"},
                                                   .script = R"(
echo 'process.stdin.setRawMode(true); console.log("raw"); process.stdin.setRawMode(false); process.exit()' >m.js
script -qec "node m.js" typescript | tr -d '\r'; echo raw >result
)",
                                                   .output = "raw\n",
                                                   .file = "result",
                                                   .content = "raw\n"});
    addWork("core dumps and personalities", {.programs = {"setarch"},
                                             .script = R"(
sh -c "sh -c 'kill -SEGV \$\$'; echo \$?" 2>/dev/null; ls core* 2>/dev/null || true
setarch -R true; echo $? >result
)",
                                             .output = "139\n",
                                             .file = "result",
                                             .content = "0\n"});
}

QTEST_GUILESS_MAIN(TestWorkDebug)
#include "tst_work_debug.moc"
