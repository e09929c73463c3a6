// Node and npm under the sandbox.

#include "tests/support/OrdinaryWork.h"

#include <QTest>

using namespace spettro::test;

class TestWorkNode : public QObject
{
    Q_OBJECT

private slots:
    void works_data();
    void works() { checkWork(); }
};

void TestWorkNode::works_data()
{
    addWorkColumns();
    addWork("worker threads", {.programs = {"node"},
                               .script = R"(
cat >m.js <<'X'
const { Worker, isMainThread, workerData } = require('worker_threads');
if (isMainThread) {
    const shared = new SharedArrayBuffer(4);
    let left = 4;
    for (let n = 0; n < 4; ++n) {
        const worker = new Worker(__filename, { workerData: shared });
        worker.on('exit', () => {
            if (--left === 0) require('fs').writeFileSync('result', new Int32Array(shared)[0] + '\n');
        });
    }
} else {
    Atomics.add(new Int32Array(workerData), 0, 1);
}
X
node m.js
)",
                               .output = "",
                               .file = "result",
                               .content = "4\n"});
    addWork("child_process", {.programs = {"node"},
                              .script = R"(
cat >m.js <<'X'
const { execSync, fork, spawn } = require('child_process');
if (process.argv[2]) {
    process.on('message', number => { process.send(number * 2); process.disconnect(); });
} else {
    const child = fork(__filename, ['child']);
    child.on('message', number => require('fs').writeFileSync('result', number + '\n'));
    child.send(21);
    console.log(execSync('echo sync').toString().trim());
    const cat = spawn('cat', { stdio: ['pipe', 'pipe', 2] });
    cat.stdout.on('data', data => console.log('cat ' + data));
    cat.stdin.end('piped');
}
X
node m.js
)",
                              .output = "sync\ncat piped\n",
                              .file = "result",
                              .content = "42\n"});
    addWork("fs", {.programs = {"node"},
                   .script = R"(
cat >m.mjs <<'X'
import fs from 'fs';
import os from 'os';
const watcher = fs.watch('.', () => { watcher.close(); console.log('watched'); });
await fs.promises.mkdir('d/e', { recursive: true });
await fs.promises.writeFile('d/e/f', 'written\n');
await fs.promises.rename('d/e/f', 'result');
await fs.promises.cp('result', 'd/copy');
await fs.promises.rm('d', { recursive: true });
fs.rmdirSync(fs.mkdtempSync(os.tmpdir() + '/x'));
await new Promise(resolve => setTimeout(resolve, 100));
try {
    fs.writeFileSync('/usr/new', '');
} catch (error) {
    console.log(error.code);
}
X
node m.mjs
)",
                   .output = "watched\nEACCES\n",
                   .file = "result",
                   .content = "written\n"});
    addWork("npm run", {.programs = {"node", "npm"},
                        .script = R"(
cat >package.json <<'X'
{ "name": "p", "version": "1.0.0", "scripts": { "prebuild": "echo pre", "build": "node b.js && echo built >result" } }
X
echo 'console.log(process.env.npm_lifecycle_event)' >b.js
npm run --silent build; npm pkg get name
)",
                        .output = "pre\nbuild\n\"p\"\n",
                        .file = "result",
                        .content = "built\n"});
}

QTEST_GUILESS_MAIN(TestWorkNode)
#include "tst_work_node.moc"
