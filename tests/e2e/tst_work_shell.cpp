// Shells and the tools that scripts are made of, under the sandbox.

#include "tests/support/OrdinaryWork.h"

#include <QTest>

using namespace spettro::test;

class TestWorkShell : public QObject
{
    Q_OBJECT

private slots:
    void works_data();
    void works() { checkWork(); }
};

void TestWorkShell::works_data()
{
    addWorkColumns();
    addWork("bash: here-documents, large here-strings, process substitution",
            {.programs = {"bash"},
             .script = R"sh(
cat <<X
here $((1 + 1))
X
wc -l <<<"$(seq 1 40000)"; diff <(seq 3) <(seq 3) && echo same; cat /dev/fd/7 7<<<seven
coproc cat; echo co >&"${COPROC[1]}"; read -r line <&"${COPROC[0]}"; echo "$line"
exec 3>three; echo three >&3; exec 3>&-; cat three; seq 3 | tee >(tail -n 1 >result) | head -n 1
until [ -s result ]; do sleep 0.02; done
)sh",
             .output = "here 2\n40000\nsame\nseven\nco\nthree\n1\n",
             .file = "result",
             .content = "3\n"});
    addWork("bash: nothing of the launcher shows",
            {.programs = {"bash"},
             .script = R"(
ls /proc/self/fd | tr '\n' ' '; for n in 3 4 5 6 7 8 9; do eval "exec $n</dev/null"; done
printf '%s\n' 'a'"'"'b' "c\"d" '$HOME' "$BASH_SUBSHELL" "$0"; env | grep -c '^SPETTRO' || true
trap 'echo got' USR1; kill -USR1 $$; umask; ulimit -c; echo done # trailing comment
)",
             .output = "0 1 2 3 a'b\nc\"d\n$HOME\n0\nbash\n0\ngot\n0022\n0\ndone\n"});
    addWork("bash: its own children", {.programs = {"bash", "setsid"},
                                       .script = R"(
sleep 30 & child=$!; kill -TERM $child; code=0; wait $child || code=$?; echo $code
code=0; timeout 1 sleep 5 || code=$?; echo $code; setsid -w echo session; nice true; nohup true
setsid sleep 30 & far=$!; sleep 0.2; kill -9 $far; yes | head -n 1 || true; set -m; sleep 0.1 & wait; echo jobs=$?
)",
                                       .output = "143\n124\nsession\ny\njobs=0\n",
                                       .knownNoise = "Done|Killed|^$"});
    addWork("dash", {.programs = {"dash"},
                     .script = R"(dash -c 'cat <<X
x $(echo y)
X
sleep 0.1 & wait; echo w >result; printf "fine\n"')",
                     .output = "x y\nfine\n",
                     .file = "result",
                     .content = "w\n"});
    addWork("busybox", {.programs = {"busybox"},
                        .script = R"(busybox sh -c 'cat <<X
x $(echo y)
X
busybox sort <<X | busybox tail -n 1
a
b
X
busybox tar c /etc/hostname 2>/dev/null | busybox tar t; echo w >result')",
                        .output = "x y\nb\netc/hostname\n",
                        .file = "result",
                        .content = "w\n"});
    addWork("mktemp, tar, cp, find, sed",
            {.programs = {"tar", "xz", "find", "sed"},
             .script = R"(
d=$(mktemp -d); f=$(mktemp); echo x >"$f"; rm -r "$d" "$f"; mkdir d; echo 1 >d/a; ln -s a d/l; ln d/a d/h
tar czf t.tgz d; mkdir x; tar xzf t.tgz -C x; cp -a d e; sed -i s/1/2/ e/a; cat x/d/l e/a
touch -d '2001-02-03 UTC' d/a; cp -p d/a z; stat -c %Y z; chmod 640 z; install -m 755 z y; stat -c %a z y
find . -type f | sort | tr '\n' ' '; xz -k t.tgz; xz -dc t.tgz.xz | cmp - t.tgz; truncate -s 5 z; stat -c %s z
dd if=/dev/zero of=dd bs=1k count=2 status=none; split -b 1k dd s.; ls s.*; cp e/a result; rm -r d x y e
)",
             .output = "1\n2\n981158400\n640\n755\n./d/a ./d/h ./e/a ./e/h ./t.tgz ./x/d/a ./x/d/h ./y ./z "
                       "5\ns.aa\ns.ab\n",
             .file = "result",
             .content = "2\n"});
    addWork("sort, xargs and large pipes", {.programs = {"find"},
                                            .script = R"(
seq 1 200000 | sort -R | sort -n --parallel=2 -S 1M | tail -n 1; seq 100 | xargs -P4 -n10 echo | wc -l
seq 3 | xargs -I{} sh -c 'echo {} >>result'; head -c 50000000 /dev/zero | wc -c
)",
                                            .output = "200000\n10\n50000000\n",
                                            .file = "result",
                                            .content = "1\n2\n3\n"});
    addWork("mkfifo and devices", {.programs = {"flock"},
                                   .script = R"(
mkfifo p; (echo hi >p &); cat p; echo x >/dev/null; echo x >>/dev/null; : >|/dev/null
head -c4 /dev/urandom | wc -c; head -c4 /dev/random | wc -c; head -c3 /dev/zero | tr '\0' 0; echo
{ (echo x >/dev/full) 2>&1 || true; } | sed 's/.*: //'; mknod n c 1 3 2>/dev/null || echo no device
flock l sh -c 'echo locked >result'
)",
                                   .output = "hi\n4\n4\n000\nNo space left on device\nno device\n",
                                   .file = "result",
                                   .content = "locked\n"});
    addWork("perl", {.programs = {"perl"},
                     .script = R"(
perl -e '$| = 1; use threads; print threads->create(sub { 42 })->join, "\n"; open(my $f, ">", "result");
    print $f "perl\n"; close $f; print `echo child`; $SIG{ALRM} = sub { print "alarm\n" }; alarm 1; sleep 5;
    system("true") == 0 or die;'
)",
                     .output = "42\nchild\nalarm\n",
                     .file = "result",
                     .content = "perl\n"});
    addWork("sqlite3", {.programs = {"sqlite3"},
                        .script = R"(
sqlite3 d.db 'pragma journal_mode=wal; create table t(a); insert into t values(1),(2); select sum(a) from t'
sqlite3 d.db 'pragma journal_mode=delete; insert into t values(3)'; sqlite3 d.db 'select count(*) from t' >result
)",
                        .output = "wal\n3\ndelete\n",
                        .file = "result",
                        .content = "3\n"});
    addWork("ssh-keygen", {.programs = {"ssh-keygen"},
                           .script = R"(
ssh-keygen -q -t ed25519 -N '' -C comment -f key; stat -c %a key; cut -d' ' -f3 key.pub >result
echo message >m; ssh-keygen -q -Y sign -f key -n file m 2>/dev/null; head -n 1 m.sig
)",
                           .output = "600\n-----BEGIN SSH SIGNATURE-----\n",
                           .file = "result",
                           .content = "comment\n"});
    addWork("who and where", {.programs = {"ps"},
                              .script = R"sh(
[ "$(id -un)" = "$(stat -c %U .)" ] && echo owner; stat -c %u /usr/bin/env /etc/passwd
[ "$PWD" = "$(pwd -P)" ] && echo here; [ -w "$TMPDIR" ] && echo writable; getent hosts localhost >/dev/null
nproc >/dev/null; uptime >/dev/null; df . >/dev/null; date >/dev/null; ps -o comm= -p $$; hostname >/dev/null
)sh",
                              .output = "owner\n0\n0\nhere\nwritable\nbash\n"});
}

QTEST_GUILESS_MAIN(TestWorkShell)
#include "tst_work_shell.moc"
