// Python under the sandbox.

#include "tests/support/OperatorHome.h"
#include "tests/support/OrdinaryWork.h"

#include <QDir>
#include <QTest>

#include <unistd.h>

using namespace spettro::test;

class TestWorkPython : public QObject
{
    Q_OBJECT

private slots:
    void works_data();
    void works() { checkWork(); }
    void leavesNoSharedMemory();
};

void TestWorkPython::works_data()
{
    addWorkColumns();
    addWork("multiprocessing", {.programs = {"python3"},
                                .script = R"(
cat >m.py <<'X'
import multiprocessing, os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import shared_memory

def square(number):
    return number * number

def add(lock, value):
    with lock:
        value.value += 1

if __name__ == '__main__':
    for method in 'fork', 'spawn': # forkserver listens on an AF_UNIX socket
        context = multiprocessing.get_context(method)
        with context.Pool(2) as pool:
            print(method, pool.map(square, [1, 2, 3]), flush=True)
    with ProcessPoolExecutor(2) as executor:
        print(list(executor.map(square, [4, 5])), flush=True)
    lock, value, queue = multiprocessing.Lock(), multiprocessing.Value('i', 0), multiprocessing.Queue()
    workers = [multiprocessing.Process(target=add, args=(lock, value)) for _ in range(4)]
    [worker.start() for worker in workers]
    [worker.join() for worker in workers]
    queue.put('queued')
    print(value.value, queue.get())
    memory = shared_memory.SharedMemory(create=True, size=64)
    memory.buf[0] = 1
    memory.close()
    memory.unlink()
    open('result', 'w').write('done\n')
X
python3 m.py
)",
                                .output = "fork [1, 4, 9]\nspawn [1, 4, 9]\n[16, 25]\n4 queued\n",
                                .file = "result",
                                .content = "done\n"});
    addWork("venv", {.programs = {"python3"},
                     .script = R"(
python3 -m venv --without-pip v
. v/bin/activate
python -c 'import sys, os; print(os.path.basename(sys.prefix))'
for folder in v/lib/python3.*/site-packages; do echo 'print("module")' >"$folder/mine.py"; done
python -m mine >result
)",
                     .output = "v\n",
                     .file = "result",
                     .content = "module\n"});
    addWork("asyncio", {.programs = {"python3"},
                        .script = R"(
python3 - <<'X'
import asyncio, socket

async def main():
    loop = asyncio.get_running_loop()
    print(await loop.run_in_executor(None, lambda: 42))
    process = await asyncio.create_subprocess_exec('cat', stdin=-1, stdout=-1)
    print((await process.communicate(b'piped'))[0])
    left, right = socket.socketpair()
    left.setblocking(False), right.setblocking(False)
    await loop.sock_sendall(left, b'pair')
    print(await loop.sock_recv(right, 10))
    try:
        await asyncio.wait_for(asyncio.sleep(9), 0.05)
    except asyncio.TimeoutError:
        open('result', 'w').write('timed\n')

asyncio.run(main())
X
)",
                        .output = "42\nb'piped'\nb'pair'\n",
                        .file = "result",
                        .content = "timed\n"});
    addWork("unittest, tempfile, subprocess, signals", {.programs = {"python3"},
                                                        .script = R"(
cat >test_x.py <<'X'
import fcntl, os, resource, signal, subprocess, tempfile, unittest

class Test(unittest.TestCase):
    def test_files(self):
        with tempfile.NamedTemporaryFile() as named, tempfile.TemporaryDirectory() as folder:
            named.write(b'x')
            os.replace(named.name, folder + '/y')
            os.symlink('y', folder + '/z')
            open(named.name, 'w').close()
        with tempfile.TemporaryFile() as unnamed:
            fcntl.flock(unnamed, fcntl.LOCK_EX)

    def test_processes(self):
        child = subprocess.Popen(['sleep', '30'], start_new_session=True)
        os.killpg(child.pid, signal.SIGTERM)
        self.assertEqual(child.wait(), -signal.SIGTERM)
        self.assertEqual(subprocess.run(['sort'], input=b'b\na\n', capture_output=True).stdout, b'a\nb\n')
        with self.assertRaises(subprocess.TimeoutExpired):
            subprocess.run(['sleep', '9'], timeout=0.1)
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))

    def test_errors(self):
        with self.assertRaises(PermissionError):
            open('/usr/new', 'w')
        with self.assertRaises(FileNotFoundError):
            open('/usr/no/such')
X
python3 -m unittest -q test_x 2>errors || cat errors; tail -n 1 errors >result; python3 -m json.tool <<<'{"a": 1}'
)",
                                                        .output = "{\n    \"a\": 1\n}\n",
                                                        .file = "result",
                                                        .content = "OK\n"});
    addWork("a new terminal", {.programs = {"python3"},
                               .script = R"(
python3 - <<'X'
import fcntl, os, pty, struct, termios, tty
master, slave = os.openpty()
tty.setraw(slave)
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
os.write(master, b'typed')
print(os.read(slave, 9), os.ttyname(slave).startswith('/dev/pts/'), flush=True)
print(os.waitstatus_to_exitcode(pty.spawn(['sh', '-c', 'exec </dev/tty; stty size >/dev/null; exit 3'])))
X
echo $? >result
)",
                               .output = "b'typed' True\n3\n",
                               .file = "result",
                               .content = "0\n"});
}

void TestWorkPython::leavesNoSharedMemory()
{
    const auto names = [] { // this user's: the same test runs as another one at the same time
        QStringList own;
        for (const QFileInfo &entry :
             QDir("/dev/shm").entryInfoList({"psm_*", "sem.mp-*"}, QDir::AllEntries | QDir::System)) {
            if (entry.ownerId() == ::geteuid()) {
                own.append(entry.fileName());
            }
        }
        return own;
    };
    const QStringList before = names();
    const RunResult result = OperatorHome().exec(
        {"--sandbox", "workspace-write", "--sandbox-net", "none"},
        {"python3", "-c",
         "import multiprocessing as m; l = m.Lock(); q = m.Queue(); q.put(1); print(q.get())"});
    QCOMPARE(result.output, QByteArray("1\n"));
    for (const QString &name : names()) {
        QVERIFY2(before.contains(name), qPrintable("left in /dev/shm: " + name));
    }
}

QTEST_GUILESS_MAIN(TestWorkPython)
#include "tst_work_python.moc"
