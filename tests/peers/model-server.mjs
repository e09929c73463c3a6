// model-server.mjs PEERS SCENARIO JOURNAL
//
// A model of aimock's that plays the scenario, a JSON file:
//   turns   what it says, in order: { content?, reasoning?, toolCalls?: [{ name, arguments }] }
//   faults  what goes wrong with the request of that number, counted from 0: { "2": { "kind": ..., ... } }, see `fail`
//   repeat  the turn before the last is given this many times
// Spettro speaks with a gate in front of aimock, which appends each body, as it came, to JOURNAL as one line of JSON
// and passes everything on. Prints its port once it serves.
import fs from "node:fs";
import http from "node:http";
import { pathToFileURL } from "node:url";

const [peers, scenarioFile, journal] = process.argv.slice(2);
const { LLMock } = await import(pathToFileURL(`${peers}/@copilotkit/aimock/dist/index.js`));
const scenario = JSON.parse(fs.readFileSync(scenarioFile, "utf8"));
const turns = scenario.turns;
const faults = scenario.faults ?? {};
let fault = {};
let count = 0;

// How far a conversation is. aimock counts each call of the responses protocol as a turn of its own; results and
// messages of the user are counted alike in all protocols.
const progressOf = (request) =>
    request.messages.filter((one) => one.role === "tool").length
    + Math.max(0, request.messages.filter((one) => one.role === "user").length - 1);
const weightOf = (turn) => turn.toolCalls?.length || 1;

// The turn for a request, and its number for the ids of its calls.
function turnFor(request) {
    let rest = progressOf(request);
    let number = 0;
    for (const [index, turn] of turns.entries()) {
        const times = index === turns.length - 2 ? (scenario.repeat ?? 1) : 1;
        for (let time = 0; time < times; ++time, ++number) {
            if (rest === 0) {
                return { turn, number };
            }
            rest -= weightOf(turn);
        }
    }
    return undefined;
}

function answer(request) {
    const found = turnFor(request);
    if (!found) {
        return { status: 400, error: { message: "the scenario is over", type: "invalid_request_error" } };
    }
    const { toolCalls, ...rest } = found.turn;
    const calls = toolCalls?.map((call, index) => ({
        ...call,
        id: `call_${found.number}_${index}`,
        arguments: JSON.stringify(call.arguments).replaceAll("@N@", String(found.number)),
    }));
    return calls ? { ...rest, toolCalls: calls } : rest;
}

const mock = new LLMock({ port: 0, logLevel: "silent", journalMaxEntries: 1, chunkSize: 7 });
const on = (kind, options) => mock.addFixture(
    { match: { predicate: () => fault.kind === kind }, response: answer, ...options });
mock.addFixture({
    match: { predicate: () => fault.kind === "error" },
    response: () => ({
        status: fault.status, retryAfter: fault.retryAfter,
        error: { message: fault.message ?? "out of order", type: fault.type ?? "server_error" },
    }),
});
on("truncate", { truncateAfterChunks: 3 });
on("break", { latency: 30, disconnectAfterMs: 100 });
on("slow", { latency: 20, chunkSize: 2 });
mock.addFixture({ match: { predicate: () => true }, response: answer });
await mock.start();

const chaos = {
    drop: "x-aimock-chaos-drop", malformed: "x-aimock-chaos-malformed",
    disconnect: "x-aimock-chaos-disconnect", ratelimit: "x-aimock-chaos-ratelimit",
};

const gate = http.createServer((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
        const body = Buffer.concat(parts);
        fault = faults[count++] ?? faults.all ?? {};
        if (!scenario.silent) {
            fs.appendFileSync(journal, JSON.stringify({ path: request.url, body: body.toString("utf8") }) + "\n");
        }
        const headers = { ...request.headers };
        if (chaos[fault.kind]) {
            headers[chaos[fault.kind]] = "1";
        }
        const onward = http.request(
            { host: "127.0.0.1", port: mock.port, path: request.url, method: request.method, headers },
            (answered) => {
                response.writeHead(answered.statusCode, answered.headers);
                response.flushHeaders();
                answered.on("data", (part) => response.write(part));
                answered.on("end", () => response.end());
                answered.on("aborted", () => response.destroy());
                answered.on("error", () => response.destroy());
            });
        onward.on("error", () => response.destroy());
        response.on("close", () => onward.destroy());
        onward.end(body);
    });
});
gate.listen(0, "127.0.0.1", () => console.log(gate.address().port));
