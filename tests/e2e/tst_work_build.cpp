// Compilers and build tools under the sandbox, and what they have built.

#include "tests/support/OrdinaryWork.h"

#include <QTest>

using namespace spettro::test;

class TestWorkBuild : public QObject
{
    Q_OBJECT

private slots:
    void works_data();
    void works() { checkWork(); }
};

void TestWorkBuild::works_data()
{
    addWorkColumns();
    addWork("gcc, g++, a shared library, a static archive", {.programs = {"gcc", "g++", "python3"},
                                                             .script = R"(
echo 'int main(void) { return 7; }' >m.c
gcc m.c -o m; code=0; ./m || code=$?; echo $code
cp m "$TMPDIR/m2"; code=0; "$TMPDIR/m2" || code=$?; echo $code
g++ -x c++ - -o hello <<<$'#include <iostream>\nint main() { std::cout << 42 << std::endl; }'
./hello >result
gcc -shared -fPIC m.c -o lib.so; python3 -c 'import ctypes; print(ctypes.CDLL("./lib.so").main())'
gcc -c m.c; ar rcs libm.a m.o; ranlib libm.a; ar t libm.a; strip m; ldd ./m | grep -c libc
)",
                                                             .output = "7\n7\n7\nm.o\n1\n",
                                                             .file = "result",
                                                             .content = "42\n"});
    addWork("make -j and its job server", {.programs = {"make"},
                                           .script = R"(
mkdir sub
printf 'all: one two\n\t@+$(MAKE) --no-print-directory -C sub a b c\none two:\n\t@echo $@ >$@\n' >Makefile
printf 'a b c:\n\t@sleep 1; echo $@ >>made\n' >sub/Makefile
start=$(date +%s%N); make -j4; took=$(( ($(date +%s%N) - start) / 1000000 ))
[ $took -lt 2800 ] && echo parallel
cat one two; sort sub/made >result
)",
                                           .output = "parallel\none\ntwo\n",
                                           .file = "result",
                                           .content = "a\nb\nc\n"});
    addWork("cmake", {.programs = {"cmake", "cc", "make"},
                      .script = R"(
printf 'cmake_minimum_required(VERSION 3.20)\nproject(p C)\nenable_testing()\nfind_package(Threads REQUIRED)
add_executable(p m.c)\ntarget_link_libraries(p Threads::Threads)\nadd_test(NAME t COMMAND p)\n' >CMakeLists.txt
printf '#include <stdio.h>\nint main(void) { puts("built"); return 0; }\n' >m.c
cmake -S . -B b -G 'Unix Makefiles' >log; cmake --build b -j2 >>log
(cd b && ctest >>../log && grep -c '100% tests passed' ../log); b/p | tee result
)",
                      .output = "1\nbuilt\n",
                      .file = "result",
                      .content = "built\n"});
    addWork("cargo build, cargo test", {.programs = {"cargo", "rustc"},
                                        .script = R"(
cargo new -q --vcs none hello; cd hello; cargo build -q; ./target/debug/hello
echo '#[test] fn t() { assert_eq!(1, 1); }' >>src/main.rs; cargo test -q | grep -c 'ok. 1 passed'
./target/debug/hello >../result
)",
                                        .output = "Hello, world!\n1\n",
                                        .file = "result",
                                        .content = "Hello, world!\n"});
    addWork("rustc", {.programs = {"rustc"},
                      .script = R"(
echo 'fn main() { std::fs::write("result", "rust\n").unwrap(); std::thread::spawn(|| println!("t")).join().unwrap(); }' >m.rs
rustc m.rs; ./m
)",
                      .output = "t\n",
                      .file = "result",
                      .content = "rust\n"});
    addWork("scripts and things that cannot be run", {.programs = {},
                                                      .script = R"(
code() { local status=0; "$@" 2>/dev/null || status=$?; echo $status; }
printf '#!/bin/sh\nexit 5\n' >s; code ./s; chmod +x s; code ./s
printf '#!/no/such\n' >t; chmod +x t; code ./t | sed s/127/126/ # bash 5.2 says 127
printf '#!/usr/bin/env bash\necho "$0 $*"\n' >e; chmod +x e; ./e 'a b'
printf 'exit 6\n' >n; chmod +x n; code ./n
code ./missing; code ./
)",
                                                      .output = "126\n5\n126\n./e a b\n6\n127\n126\n"});
    addWork("rename and link in the way of package managers",
            {.programs = {"git"},
             .script = R"(
mkdir -p a b d1/x; echo 1 >a/f; mv a/f b/f; mv d1 b/d1; mkdir -p n/m; mv b/f n/m/f; cat n/m/f
f=$(mktemp); echo tmp >"$f"; mv "$f" fromtmp; cat fromtmp; ln fromtmp n/hard; stat -c %h n/hard
echo old >save; echo new >save.tmp; mv save.tmp save; ln -s save link; cp -a link copied; readlink copied
mkfifo ff; rm -r a b ff link copied; cp save result; ls
)",
             .output = "1\ntmp\n2\nsave\nfromtmp\nn\nresult\nsave\n",
             .file = "result",
             .content = "new\n"});
}

QTEST_GUILESS_MAIN(TestWorkBuild)
#include "tst_work_build.moc"
