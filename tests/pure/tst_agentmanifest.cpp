// Agents, tools and the start of a session in spettro.agents.toml: written for this Spettro, for the original one, by a
// person who errs, or by one who means harm.

#include "app/config/AgentManifest.h"
#include "app/config/KnownTools.h"
#include "app/config/ManifestRules.h"
#include "tools/builtin/builtinTools.h"

#include <QElapsedTimer>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

#include <random>
#include <set>

using namespace spettro;
using namespace spettro::sandbox;

namespace {

constexpr unsigned Seed = 20261201;

const ManifestPlace Place{"spettro.agents.toml", "/repo", "/home/u"};

using Texts = std::vector<std::string>;

QByteArray defaultManifest()
{
    QFile file(":/spettro.agents.toml");
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// The default manifest with everything in it that is commented out, but for prose.
QByteArray fullManifest()
{
    QString text = QString::fromUtf8(defaultManifest());
    return text
        .replace(QRegularExpression("^#(?=[a-z\\[\\]]|    \\{)", QRegularExpression::MultilineOption), "")
        .toUtf8();
}

/// As the original Spettro writes them, with values for everything.
const QByteArray Original = R"(version = 10
default_agent = 'lead'

[metadata]
name = 'Team'
sandbox = 'free text'

[runtime]
default_permission = 'ask-first'
default_timeout_sec = 90
sandbox_mode = 'full-access'
log_tool_calls = true
permission_rules = []
allow_network_tools = false

[runtime.delegation]
max_parallel_workers = 3
max_depth = 2

[runtime.limits]
file_read_chars = 0

[[tools]]
id = 'file-read'
name = 'File Reader'
description = 'Reads.'
kind = 'builtin'
enabled = true
entry_point = ''
timeout_sec = 30
requires_approval = false
permitted_actions = ['read']
aliases = []
risk_level = 'low'
primary_only = false
permission_rules = []

[[tools]]
id = 'bash'
name = 'Bash'
kind = 'builtin'
enabled = true
timeout_sec = 120
requires_approval = true
permitted_actions = ['execute', 'git']
aliases = ['bash-output']
risk_level = 'high'

[[tools]]
id = 'file-write'
name = 'Writer'
kind = 'builtin'
enabled = false
timeout_sec = 60
permitted_actions = ['write']
primary_only = true

[[tools]]
id = 'agent'
name = 'Agent'
kind = 'builtin'
enabled = true
timeout_sec = 300
permitted_actions = ['plan']
primary_only = true

[[tools]]
id = 'deploy'
name = 'Deploy'
kind = 'script'
entry_point = './deploy'
enabled = true
timeout_sec = 300
permitted_actions = ['execute']

[[agents]]
id = 'lead'
name = 'Lead'
description = 'Leads.'
skill = 'leading'
mode = 'orchestrator'
role = 'primary'
color = 'blue'
model_provider = ''
model = ''
system_prompt = ''
prompt_file = 'agents/lead.md'
allowed_tools = ['agent', 'file-read', 'bash', 'file-write', 'deploy']
permitted_actions = ['read', 'write', 'plan']
permission = 'restricted'
permission_rules = []
temperature = 0.2
max_tokens = 4096
max_steps = 0
handoffs = ['hand']
enabled = true

[[agents]]
id = 'hand'
name = 'Hand'
mode = 'worker'
system_prompt = 'Do it.'
allowed_tools = ['file-read', 'file-write', 'file-read']
permission = 'ask-first'
temperature = 0.0
max_tokens = 1024
enabled = true
)";

Result<AgentManifest> parse(const QByteArray &text)
{
    return parseAgentManifest(text.toStdString(), Place);
}

std::string repeated(std::string_view part, int count)
{
    std::string text;
    for (int i = 0; i < count; ++i)
        text += part;
    return text;
}

/// What nobody who uses the value has to check again; empty where all of it holds.
QByteArray brokenPromise(const AgentManifest &manifest)
{
    const std::set<std::string> permissions{"ask-first", "restricted", "yolo"};
    const auto isPermission = [&](const std::optional<std::string> &text) {
        return !text || permissions.contains(*text);
    };
    std::set<std::string> ids;
    for (const ManifestAgent &agent : manifest.agents) {
        if (agent.id.empty() || !ids.insert(agent.id).second)
            return "agent ids";
        if (agent.promptFile.starts_with('/') || agent.promptFile.find("..") == 0
            || agent.promptFile.find("/../") != std::string::npos)
            return "prompt file";
        if (!agent.prompt.empty() && !agent.promptFile.empty())
            return "two prompts";
        if (!isPermission(agent.permission))
            return "permission";
        for (const std::string &tool : agent.allowedTools.value_or(Texts{})) {
            if (!isOwnTool(tool))
                return "allowed tools";
        }
    }
    ids.clear();
    for (const ManifestTool &tool : manifest.tools) {
        if (!isOwnTool(tool.id) || !ids.insert(tool.id).second || tool.timeoutSec.value_or(1) < 1)
            return "tools";
    }
    if (!manifest.agents.empty() && !manifest.agent({}))
        return "default agent";
    if (!isPermission(manifest.runtime.defaultPermission)
        || manifest.runtime.defaultTimeoutSec.value_or(1) < 1
        || manifest.runtime.contextTokens.value_or(1) < 1)
        return "runtime";
    Texts lines = wideningLines(manifest);
    lines.insert(lines.end(), manifest.warnings.begin(), manifest.warnings.end());
    for (const std::string &line : lines) {
        if (line.find_first_of("\n\033") != std::string::npos)
            return "a line that is none";
    }
    return {};
}

} // namespace

class tst_AgentManifest : public QObject
{
    Q_OBJECT

private slots:
    void readsEveryKey();
    void readsNothing_data();
    void readsNothing();
    void defaultManifestIsCleanAndWhole();
    void originalManifestLoads();
    void findsMistakes_data();
    void findsMistakes();
    void versionComesFirst();
    void warns_data();
    void warns();
    void warnsOnceAndNotForEver();
    void refusesWhatTouchesSafety_data();
    void refusesWhatTouchesSafety();
    void knowsPlacesOfPrompts_data();
    void knowsPlacesOfPrompts();
    void actionsAndRolesNarrow_data();
    void actionsAndRolesNarrow();
    void looksUp();
    void offersWhatBothAllow();
    void listsWhatWidens_data();
    void listsWhatWidens();
    void knowsTheRealTools();
    void readsRulesOfTools();
    void findsMistakesInRulesOfTools_data();
    void findsMistakesInRulesOfTools();
    void isFastOnLargeFiles_data();
    void isFastOnLargeFiles();
    void misspeltKeysOfToolsAreErrors();
    void fuzzMutations_data();
    void fuzzMutations();
};

void tst_AgentManifest::readsEveryKey()
{
    const Result<AgentManifest> parsed = parse("version = 10\n"
                                               "default_agent = 'b'\n"
                                               "[metadata]\n"
                                               "permission = {deny = 1}\n"
                                               "[runtime]\n"
                                               "default_permission = 'restricted'\n"
                                               "default_timeout_sec = 604800\n"
                                               "log_tool_calls = false\n"
                                               "permission_rules = 3\n" // not ours
                                               "sandbox_mode = 3\n"
                                               "provider = 'openai'\n"
                                               "model = 'm-1'\n"
                                               "base_url = 'http://127.0.0.1:1/v1'\n"
                                               "context_tokens = 1000000000\n"
                                               "[[agents]]\n"
                                               "id = 'a'\n"
                                               "prompt = \"\"\"\nOne.\nTwo.\n\"\"\"\n"
                                               "[[tools]]\n"
                                               "id = 'grep'\n"
                                               "enabled = false\n"
                                               "timeout_sec = 1\n"
                                               "requires_approval = true\n"
                                               "permission_rules = 4\n"
                                               "[[agents]]\n"
                                               "id = 'b'\n"
                                               "name = 'B \xC3\xA4'\n"
                                               "prompt_file = 'agents/b.md'\n"
                                               "allowed_tools = ['ls', 'grep']\n"
                                               "permission = 'yolo'\n"
                                               "model = 'm-2'\n"
                                               "[[agents]]\n"
                                               "id = 'c'\n"
                                               "enabled = false\n"
                                               "allowed_tools = []\n");
    QVERIFY2(parsed, parsed ? "" : parsed.error().message.c_str());
    AgentManifest expected;
    expected.defaultAgent = "b";
    expected.runtime = {"restricted", 604800, false, "openai", "m-1", "http://127.0.0.1:1/v1", 1'000'000'000};
    expected.agents = {
        {"a", "a", "One.\nTwo.\n", {}, {}, {}, {}, true, "spettro.agents.toml:15:1"},
        {"b",
         "B \xC3\xA4",
         {},
         "agents/b.md",
         Texts{"ls", "grep"},
         "yolo",
         "m-2",
         true,
         "spettro.agents.toml:27:1"},
        {"c", "c", {}, {}, Texts{}, {}, {}, false, "spettro.agents.toml:34:1"},
    };
    expected.tools = {{"grep", false, 1, true, "spettro.agents.toml:21:1"}};
    QCOMPARE(parsed->agents.at(0).place, expected.agents.at(0).place);
    QCOMPARE(parsed->agents.at(1).place, expected.agents.at(1).place);
    QCOMPARE(parsed->tools.at(0).place, expected.tools.at(0).place);
    QVERIFY(parsed->runtime == expected.runtime);
    QVERIFY(parsed->agents == expected.agents);
    QVERIFY(parsed->tools == expected.tools);
    QVERIFY(parsed.value() == expected); // no warning
}

void tst_AgentManifest::readsNothing_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char *text : {"", "# only a comment", "version = 0", "version = 1\n[metadata]\n",
                             "[runtime]\n", "tools = []\nagents = []\n", "default_agent = ''\n",
                             "[runtime]\nprovider = ''\nmodel = ''\nbase_url = ''\n",
                             "[runtime]\ndelegation = {}\nlimits = {}\nallow_network_tools = false\n"})
        QTest::newRow(text) << QByteArray(text);
}

void tst_AgentManifest::readsNothing()
{
    QFETCH(QByteArray, text);
    const Result<AgentManifest> parsed = parse(text);
    QVERIFY2(parsed, parsed ? "" : parsed.error().message.c_str());
    QVERIFY(parsed.value() == AgentManifest{});
    QVERIFY(!parsed->agent({}) && !parsed->agent("x") && !parsed->tool("bash"));
    QVERIFY(wideningLines(parsed.value()).empty());
}

void tst_AgentManifest::defaultManifestIsCleanAndWhole()
{
    const Result<AgentManifest> parsed = parse(defaultManifest());
    QVERIFY2(parsed, parsed ? "" : parsed.error().message.c_str());
    QCOMPARE(parsed->warnings, Texts{});
    QCOMPARE(wideningLines(parsed.value()), Texts{});
    QVERIFY(parseManifest(defaultManifest().toStdString(), Place).value() == PolicySettings{});
    QVERIFY(parsed->agent({}) && parsed->agent({})->id == "coding" && !parsed->agent({})->prompt.empty());
    QVERIFY(!parsed->agent({})->allowedTools); // as where there is no manifest

    // What it shows as a comment is right as well, and everything marked as widening there is one.
    const std::string full = fullManifest().toStdString();
    const Result<AgentManifest> whole = parse(fullManifest());
    QVERIFY2(whole, whole ? "" : whole.error().message.c_str());
    QCOMPARE(whole->warnings, Texts{});
    QCOMPARE(wideningLines(whole.value()),
             (Texts{"provider = anthropic", "base_url = http://127.0.0.1:8080/v1"}));
    QVERIFY(whole->runtime.contextTokens && whole->runtime.model);
    QVERIFY(whole->tool("file-write") && whole->tool("file-write")->requiresApproval);
    const Result<PolicySettings> settings = parseManifest(full, Place);
    QVERIFY2(settings, settings ? "" : settings.error().message.c_str());
    QCOMPARE(sandbox::wideningLines(settings.value()).size(), std::size_t{4});
    const Result<std::vector<ManifestRule>> rules = parseManifestRules(full, Place);
    QVERIFY2(rules, rules ? "" : rules.error().message.c_str());
    QCOMPARE(rules->size(), std::size_t{3});
}

void tst_AgentManifest::originalManifestLoads()
{
    const Result<AgentManifest> parsed = parse(Original);
    QVERIFY2(parsed, parsed ? "" : parsed.error().message.c_str());
    const Texts warnings{
        "spettro.agents.toml:16:10: 'delegation' in [runtime] has no effect",
        "spettro.agents.toml:20:10: 'limits' in [runtime] has no effect",
        "spettro.agents.toml:34:1: 'risk_level' in [[tools]] has no effect",
        "spettro.agents.toml:46:1: 'aliases' in [[tools]] has no effect",
        "spettro.agents.toml:58:1: what is said of the tool 'agent' has no effect",
        "spettro.agents.toml:71:1: 'entry_point' in [[tools]] has no effect",
        "spettro.agents.toml:67:1: what is said of the tool 'deploy' has no effect",
        "spettro.agents.toml:92:1: 'temperature' in [[agents]] has no effect",
        "spettro.agents.toml:93:1: 'max_tokens' in [[agents]] has no effect",
        "spettro.agents.toml:95:1: 'handoffs' in [[agents]] has no effect",
        "spettro.agents.toml:76:1: the agent 'lead' may not use the tool 'bash' that it lists, by "
        "'permitted_actions' or 'primary_only'",
        "spettro.agents.toml:98:1: the agent 'hand' may not use the tool 'file-write' that it lists, by "
        "'permitted_actions' or 'primary_only'",
    };
    for (std::size_t i = 0; i < std::min(warnings.size(), parsed->warnings.size()); ++i)
        QCOMPARE(parsed->warnings.at(i), warnings.at(i));
    QCOMPARE(parsed->warnings, warnings);
    QCOMPARE(parsed->agent({})->promptFile, std::string("agents/lead.md"));
    QCOMPARE(*parsed->agent("lead")->allowedTools, (Texts{"file-read", "file-write"}));
    QCOMPARE(parsed->agent("hand")->prompt, std::string("Do it."));
    QCOMPARE(*parsed->agent("hand")->allowedTools, Texts{"file-read"});
    QCOMPARE(parsed->tools.size(), std::size_t{3});
    QVERIFY(!parsed->offers(parsed->agent("lead"), "file-write"));
    QCOMPARE(wideningLines(parsed.value()), Texts{"agents.lead.permission = restricted"});
    QVERIFY(parseManifest(Original.toStdString(), Place));
    QVERIFY(parseManifestRules(Original.toStdString(), Place));
}

void tst_AgentManifest::findsMistakes_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("position");
    QTest::addColumn<QByteArray>("words");
    const auto row = [](const char *name, const QByteArray &text, const char *position, const char *words) {
        QTest::newRow(name) << text << QByteArray(position) << QByteArray(words);
    };
    row("broken", "[runtime\n", "1:", "");
    row("bad byte", "# \xFF", "1:3", "UTF-8");
    row("version as text", "version = '1'\n", "1:11", "whole number");
    row("version as float", "version = 2.0\n", "1:11", "whole number");
    row("version below zero", "version = -1\n", "1:11", "whole number");
    row("version of a newer one", "\nversion = 11\n", "2:11", "needs a newer Spettro");
    row("metadata", "metadata = 1\n", "1:12", "'metadata' must be a table");
    row("default agent as a number", "default_agent = 1\n[[agents]]\nid = 'a'\n", "1:17", "must be a string");
    row("default agent is none", "default_agent = 'b'\n[[agents]]\nid = 'a'\n", "1:17",
        "there is no enabled agent 'b'");
    row("default agent of nobody", "default_agent = 'b'\n", "1:17", "there is no enabled agent 'b'");
    row("default agent is switched off", "default_agent = 'a'\n[[agents]]\nid = 'a'\nenabled = false\n",
        "1:17", "there is no enabled agent 'a'");
    row("no default agent", "[[agents]]\nid = 'a'\n", "1:", "must say which");
    row("empty default agent", "default_agent = ''\n[[agents]]\nid = 'a'\n", "1:17", "must say which");

    row("runtime", "runtime = 1\n", "1:1", "must be a table");
    const auto runtime = [&row](const char *line, const char *position, const char *words) {
        row(line, QByteArray("[runtime]\n") + line + '\n', position, words);
    };
    runtime("default_permission = 'ask'", "2:22", "'ask-first', 'restricted' or 'yolo', not 'ask'");
    runtime("default_permission = ''", "2:22", "'ask-first', 'restricted' or 'yolo', not ''");
    runtime("default_permission = 'YOLO'", "2:22", "not 'YOLO'");
    runtime("default_permission = \"yolo\\u0000\"", "2:22", "NUL");
    runtime("default_permission = true", "2:22", "must be a string");
    runtime("default_timeout_sec = 0", "2:23", "from 1 to 604800");
    runtime("default_timeout_sec = -1", "2:23", "from 1 to 604800");
    runtime("default_timeout_sec = 604801", "2:23", "from 1 to 604800");
    runtime("default_timeout_sec = 1.5", "2:23", "whole number");
    runtime("default_timeout_sec = '1'", "2:23", "whole number");
    runtime("default_timeout_sec = 9223372036854775807", "2:23", "from 1 to 604800");
    runtime("log_tool_calls = 1", "2:18", "must be true or false");
    runtime("log_tool_calls = 'true'", "2:18", "must be true or false");
    runtime("provider = 1", "2:12", "must be a string");
    runtime("provider = \"a\\nb\"", "2:12", "cannot be shown");
    runtime("model = ['m']", "2:9", "must be a string");
    runtime("model = \"\\u202E\"", "2:9", "cannot be shown");
    runtime("base_url = 'ftp://x'", "2:12", "an address like");
    runtime("base_url = 'localhost:8080'", "2:12", "an address like");
    runtime("base_url = 8080", "2:12", "must be a string");
    runtime("context_tokens = 0", "2:18", "from 1 to 1000000000");
    runtime("context_tokens = -5", "2:18", "from 1 to 1000000000");
    runtime("context_tokens = 1000000001", "2:18", "from 1 to 1000000000");
    runtime("context_tokens = 1e5", "2:18", "whole number");

    row("agents as a table", "[agents.a]\nprompt = ''\n", "1:2", "[[agents]]");
    row("agents as text", "agents = 'x'\n", "1:1", "[[agents]]");
    row("agents of texts", "agents = ['x']\n", "1:11", "nothing but tables");
    row("agent without id", "default_agent = 'a'\n\n[[agents]]\nname = 'a'\n", "3:1", "needs its 'id'");
    row("agent with empty id", "default_agent = 'a'\n[[agents]]\nid = ''\n", "2:1", "needs its 'id'");
    row("two agents", "default_agent = 'a'\n[[agents]]\nid = 'a'\n[[agents]]\nid = 'a'\n", "4:1",
        "two agents 'a'");
    row("unknown tool", "default_agent = 'a'\n[[agents]]\nid = 'a'\nallowed_tools = ['ls', 'bush']\n", "4:24",
        "unknown tool 'bush'");
    const auto agent = [&row](const char *line, const char *position, const char *words) {
        row(line, QByteArray("default_agent = 'a'\n[[agents]]\n") + line + "\nid = 'a'\n", position, words);
    };
    agent("name = 1", "3:8", "must be a string");
    agent("name = \"\\u001b[2J\"", "3:8", "cannot be shown");
    agent("prompt = 1", "3:10", "must be a string");
    agent("prompt = \"a\\u0000\"", "3:10", "NUL");
    agent("prompt = 'x'\nprompt_file = 'y'", "4:15", "second prompt");
    agent("prompt_file = 'y'\nprompt = 'x'", "4:10", "second prompt");
    agent("prompt = 'x'\nsystem_prompt = 'x'", "4:17", "second prompt");
    agent("prompt_file = 1", "3:15", "must be a string");
    agent("prompt_file = '../x'", "3:15", "without '..'");
    agent("allowed_tools = 'bash'", "3:17", "must be an array of strings");
    agent("allowed_tools = ['bash', 1]", "3:26", "must be a string");
    agent("allowed_tools = ['']", "3:18", "unknown tool ''");
    agent("allowed_tools = ['*']", "3:18", "unknown tool '*'");
    agent("permission = 'all'", "3:14", "not 'all'");
    agent("permission = 1", "3:14", "must be a string");
    agent("model = 1", "3:9", "must be a string");
    agent("enabled = 'false'", "3:11", "must be true or false");
    agent("permitted_actions = 'read'", "3:21", "must be an array of strings");
    agent("role = 1", "3:8", "must be a string");
    agent("permission_rules = [{permission = 'bash', pattern = '*', action = 'deny'}]", "3:1",
          "they belong to [runtime] or [[tools]]");

    row("tools as a table", "[tools.bash]\nenabled = false\n", "1:2", "[[tools]]");
    row("tools of texts", "tools = ['x']\n", "1:10", "nothing but tables");
    row("tool without id", "[[tools]]\nenabled = false\n", "1:1", "needs its 'id'");
    row("unknown tool itself", "[[tools]]\nenabled = false\nid = 'bush'\n", "3:6",
        "unknown tool 'bush'; there are file-read, ");
    row("two tools", "[[tools]]\nid = 'ls'\n[[tools]]\nid = 'ls'\n", "3:1", "two tools 'ls'");
    row("another in the place of a tool", "[[tools]]\nkind = 'script'\nid = 'bash'\n", "3:6",
        "built-in tool");
    row("tool of no kind", "[[tools]]\nkind = ''\nid = 'bash'\n", "3:6", "built-in tool");
    const auto tool = [&row](const char *line, const char *position, const char *words) {
        row(line, QByteArray("[[tools]]\n") + line + "\nid = 'bash'\n", position, words);
    };
    tool("enabled = 0", "2:11", "must be true or false");
    tool("timeout_sec = 0", "2:15", "from 1 to 604800");
    tool("timeout_sec = -30", "2:15", "from 1 to 604800");
    tool("timeout_sec = true", "2:15", "whole number");
    tool("requires_approval = 'yes'", "2:21", "must be true or false");
    tool("primary_only = 1", "2:16", "must be true or false");
    tool("permitted_actions = [1]", "2:22", "must be a string");
    tool("kind = 1", "2:8", "must be a string");
    tool("timeout = 3", "2:1", "unknown key 'timeout' in [[tools]]");
    tool("Enabled = false", "2:1", "unknown key 'Enabled' in [[tools]]");
    tool("x = 0", "2:1", "unknown key 'x' in [[tools]]");
}

void tst_AgentManifest::findsMistakes()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, position);
    QFETCH(QByteArray, words);
    const Result<AgentManifest> parsed = parse(text);
    QVERIFY(!parsed);
    QCOMPARE(parsed.error().kind, ErrorKind::Usage);
    const QByteArray message = QByteArray::fromStdString(parsed.error().message);
    QVERIFY2(message.startsWith("spettro.agents.toml:" + position + (position.endsWith(':') ? "" : ": ")),
             message);
    QVERIFY2(message.contains(words), message);
    QVERIFY2(message.size() < 500 && !message.contains('\033') && !message.contains('\n'), message);
}

/// What a newer schema has is not judged by this one.
void tst_AgentManifest::versionComesFirst()
{
    const Result<AgentManifest> parsed = parse("sandbox_new = 1\nagents = 1\nversion = 12\n");
    QVERIFY(!parsed);
    QVERIFY2(parsed.error().message.starts_with("spettro.agents.toml:3:11: "),
             parsed.error().message.c_str());
}

void tst_AgentManifest::warns_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("warning");
    const QByteArray agent = "default_agent = 'a'\n[[agents]]\nid = 'a'\n";
    const auto row = [](const QByteArray &text, const char *warning) {
        QTest::newRow(text.constData()) << text << QByteArray(warning);
    };
    row("title = 1\n", "1:1: unknown key 'title' in the manifest has no effect");
    row("[runtime]\nmax_steps = 3\n", "2:1: unknown key 'max_steps' in [runtime] has no effect");
    row("[runtime]\nallow_network_tools = true\n", "2:1: 'allow_network_tools' in [runtime] has no effect");
    row("[runtime.fallback]\nmode = 'off'\n", "1:10: 'fallback' in [runtime] has no effect");
    row("[runtime.loop_detection]\ndisabled = true\n", "1:10: 'loop_detection' in [runtime] has no effect");
    row(agent + "model_provider = 'x'\n", "4:1: 'model_provider' in [[agents]] has no effect");
    row(agent + "max_steps = 4\n", "4:1: 'max_steps' in [[agents]] has no effect");
    row(agent + "mood = 'good'\n", "4:1: unknown key 'mood' in [[agents]] has no effect");
    row(agent + "\"\\u001b[2J\" = 1\n", "4:1: unknown key '\\x1B[2J' in [[agents]] has no effect");
    row(agent + "allowed_tools = ['web-fetch']\n",
        "4:18: what is said of the tool 'web-fetch' has no effect");
    row("[[tools]]\nid = 'web-fetch'\nenabled = false\n",
        "1:1: what is said of the tool 'web-fetch' has no effect");
    row("[[tools]]\nid = 'bash'\nrisk_level = 'high'\n", "3:1: 'risk_level' in [[tools]] has no effect");
    row("[[tools]]\nid = 'bash'\ninput_schema = {a = 1}\n", "3:1: 'input_schema' in [[tools]] has no effect");
}

void tst_AgentManifest::warns()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, warning);
    const Result<AgentManifest> parsed = parse(text);
    QVERIFY2(parsed, parsed ? "" : parsed.error().message.c_str());
    QCOMPARE(parsed->warnings, Texts{"spettro.agents.toml:" + warning.toStdString()});
}

void tst_AgentManifest::warnsOnceAndNotForEver()
{
    const Result<AgentManifest> twice = parse(
        "default_agent = 'a'\n[[agents]]\nid = 'a'\nmax_steps = 1\n[[agents]]\nid = 'b'\nmax_steps = 2\n");
    QVERIFY(twice);
    QCOMPARE(twice->warnings, Texts{"spettro.agents.toml:4:1: 'max_steps' in [[agents]] has no effect"});

    QByteArray text;
    for (int i = 0; i < 103; ++i)
        text += 'k' + QByteArray::number(i) + " = 1\n";
    const Result<AgentManifest> many = parse(text);
    QVERIFY(many);
    QCOMPARE(many->warnings.size(), std::size_t{101});
    QCOMPARE(many->warnings.back(), std::string("spettro.agents.toml: and 3 more without effect"));
}

void tst_AgentManifest::refusesWhatTouchesSafety_data()
{
    QTest::addColumn<QByteArray>("key");
    for (const char *key :
         {"sandbox",      "my_sandbox",   "permission",   "permissions",  "permision",     "approval",
          "auto-approve", "allow",        "allowed_tool", "allowedTools", "deny",          "denied_tools",
          "trust",        "trusted_dirs", "secret",       "secrets_file", "readonly",      "read_only",
          "Read-Only",    "READONLY",     "enable",       "disabled",     "disable_tools", "restrict_to",
          "forbidden",    "blocked",      "protected",    "confine",      "private",       "only_tools",
          "security"})
        QTest::newRow(key) << QByteArray(key);
}

void tst_AgentManifest::refusesWhatTouchesSafety()
{
    QFETCH(QByteArray, key);
    const auto check = [&](const QByteArray &before, int line) {
        const Result<AgentManifest> parsed = parse(before + '"' + key + "\" = 1\n");
        const QByteArray wanted =
            "spettro.agents.toml:" + QByteArray::number(line) + ":1: unknown key '" + key + "' in ";
        return !parsed && QByteArray::fromStdString(parsed.error().message).startsWith(wanted);
    };
    QVERIFY(check("", 1));
    QVERIFY(check("[runtime]\n", 2));
    QVERIFY(key == "permission" || check("default_agent = 'a'\n[[agents]]\nid = 'a'\n", 4));
    QVERIFY(check("[[tools]]\nid = 'bash'\n", 3));
    QVERIFY(parse("[metadata]\n\"" + key + "\" = 1\n"));
}

void tst_AgentManifest::knowsPlacesOfPrompts_data()
{
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<bool>("isInside");
    const auto row = [](const char *path, bool isInside) {
        QTest::newRow(path) << QByteArray(path) << isInside;
    };
    row("a.md", true);
    row("agents/a.md", true);
    row("./agents//a.md", true);
    row("...", true);
    row("a..b/..c", true);
    row("\xC3\xA4/a b.md", true);
    row("/a.md", false);
    row("//a.md", false);
    row("~/a.md", false);
    row("~root/a.md", false);
    row("..", false);
    row("../a.md", false);
    row("agents/../a.md", false);
    row("agents/../../a.md", false);
    row("agents/..", false);
    row("agents/", false);
    row("agents/.", false);
    row(".", false);
    row("./", false);
    row("a\\u0000b", false);
    row("a\\nb", false);
}

void tst_AgentManifest::knowsPlacesOfPrompts()
{
    QFETCH(QByteArray, path);
    QFETCH(bool, isInside);
    const Result<AgentManifest> parsed =
        parse("default_agent = 'a'\n[[agents]]\nid = 'a'\nprompt_file = \"" + path + "\"\n");
    QVERIFY2(bool(parsed) == isInside, parsed ? "" : parsed.error().message.c_str());
    if (parsed)
        QCOMPARE(parsed->agent("a")->promptFile, path.toStdString());
    else
        QVERIFY(parsed.error().message.starts_with("spettro.agents.toml:4:15: "));
}

void tst_AgentManifest::actionsAndRolesNarrow_data()
{
    QTest::addColumn<QByteArray>("agent");
    QTest::addColumn<QByteArray>("allowed"); // `-`: all
    const auto row = [](const char *agent, const char *allowed) {
        QTest::newRow(agent) << QByteArray(agent) << QByteArray(allowed);
    };
    row("",
        "file-read file-write file-edit ls glob grep shell-exec job-output job-kill"); // bash is for primaries
    row("role = 'primary'", "-");
    row("role = 'orchestrator'", "-");
    row("mode = 'orchestrator'", "-");
    row("mode = 'orchestrator'\nrole = 'worker'",
        "file-read file-write file-edit ls glob grep shell-exec job-output "
        "job-kill");
    row("allowed_tools = ['bash', 'ls', 'ls']", "ls");
    row("role = 'primary'\nallowed_tools = ['bash', 'ls']", "bash ls");
    row("role = 'primary'\npermitted_actions = ['read']", "file-read");
    row("role = 'primary'\npermitted_actions = ['execute', 'read']", "file-read bash");
    row("permitted_actions = ['execute', 'read']", "file-read");
    row("role = 'primary'\npermitted_actions = []\nallowed_tools = ['ls']", "ls");
    row("role = 'primary'\npermitted_actions = ['read']\nallowed_tools = ['ls']", ""); // ls says none
    row("allowed_tools = []", "");
}

void tst_AgentManifest::actionsAndRolesNarrow()
{
    QFETCH(QByteArray, agent);
    QFETCH(QByteArray, allowed);
    const Result<AgentManifest> parsed =
        parse("default_agent = 'a'\n[[agents]]\nid = 'a'\n" + agent
              + "\n[[tools]]\nid = 'bash'\nprimary_only = true\npermitted_actions = ['execute']\n"
                "[[tools]]\nid = 'file-read'\npermitted_actions = ['read', 'search']\n");
    QVERIFY2(parsed, parsed ? "" : parsed.error().message.c_str());
    const std::optional<Texts> &tools = parsed->agent("a")->allowedTools;
    QByteArray joined;
    for (const std::string &tool : tools.value_or(Texts{"-"}))
        joined += (joined.isEmpty() ? "" : " ") + QByteArray::fromStdString(tool);
    QCOMPARE(joined, allowed);
}

void tst_AgentManifest::looksUp()
{
    const Result<AgentManifest> parsed =
        parse("default_agent = 'b'\n[[agents]]\nid = 'a'\n[[agents]]\nid = 'b'\n"
              "[[agents]]\nid = 'c'\nenabled = false\n[[tools]]\nid = 'ls'\n");
    QVERIFY2(parsed, parsed ? "" : parsed.error().message.c_str());
    QCOMPARE(parsed->agent({})->id, std::string("b"));
    QCOMPARE(parsed->agent("a")->id, std::string("a"));
    QVERIFY(!parsed->agent("c") && !parsed->agent("A") && !parsed->agent("d"));
    QVERIFY(parsed->tool("ls") && !parsed->tool("bash") && !parsed->tool(""));
    QVERIFY(parsed->tool("ls")->enabled && !parsed->tool("ls")->requiresApproval
            && !parsed->tool("ls")->timeoutSec);
}

void tst_AgentManifest::offersWhatBothAllow()
{
    const Result<AgentManifest> parsed = parse(
        "default_agent = 'a'\n[[agents]]\nid = 'a'\nallowed_tools = ['ls', 'grep']\n[[agents]]\nid = 'b'\n"
        "[[tools]]\nid = 'grep'\nenabled = false\n[[tools]]\nid = 'bash'\nrequires_approval = false\n");
    QVERIFY2(parsed, parsed ? "" : parsed.error().message.c_str());
    const auto offered = [&](const ManifestAgent *agent) {
        QByteArray names;
        for (const std::string_view tool : OwnTools)
            names += parsed->offers(agent, tool) ? QByteArray(tool.data()) + ' ' : QByteArray();
        return names;
    };
    QCOMPARE(offered(parsed->agent("a")), QByteArray("ls "));
    const QByteArray enabled("file-read file-write file-edit ls glob shell-exec bash job-output job-kill ");
    QCOMPARE(offered(parsed->agent("b")), enabled);
    QCOMPARE(offered(nullptr), enabled);
}

void tst_AgentManifest::listsWhatWidens_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("line");
    const auto row = [](const char *text, const char *line) {
        QTest::newRow(text) << QByteArray(text) << QByteArray(line);
    };
    row("[runtime]\ndefault_permission = 'yolo'\n", "default_permission = yolo");
    row("[runtime]\ndefault_permission = 'restricted'\n", "default_permission = restricted");
    row("[runtime]\ndefault_permission = 'ask-first'\n", "");
    row("[runtime]\nprovider = 'openai'\n", "provider = openai");
    row("[runtime]\nprovider = 'a\\b'\n", "provider = a\\\\b");
    row("[runtime]\nbase_url = 'https://evil.example/v1'\n", "base_url = https://evil.example/v1");
    row("[runtime]\nmodel = 'm'\ncontext_tokens = 1\ndefault_timeout_sec = 9\nlog_tool_calls = false\n", "");
    row("default_agent = 'x'\n[[agents]]\nid = 'x'\npermission = 'yolo'\n", "agents.x.permission = yolo");
    row("default_agent = 'x'\n[[agents]]\nid = 'x'\n[[agents]]\nid = 'y z'\npermission = 'restricted'\n",
        "agents.y z.permission = restricted");
    row("default_agent = 'x'\n[[agents]]\nid = 'x'\n[[agents]]\nid = 'y'\npermission = 'yolo'\nenabled = "
        "false\n",
        "");
    row("default_agent = 'x'\n[[agents]]\nid = 'x'\npermission = 'ask-first'\nallowed_tools = ['ls']\nmodel "
        "= 'm'\n",
        "");
    row("[[tools]]\nid = 'bash'\nrequires_approval = false\nenabled = true\n", "");
    row("[[tools]]\nid = 'bash'\nrequires_approval = true\nenabled = false\ntimeout_sec = 604800\n", "");
}

void tst_AgentManifest::listsWhatWidens()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, line);
    const Result<AgentManifest> parsed = parse(text);
    QVERIFY2(parsed, parsed ? "" : parsed.error().message.c_str());
    QCOMPARE(wideningLines(parsed.value()), line.isEmpty() ? Texts{} : Texts{line.toStdString()});
}

void tst_AgentManifest::knowsTheRealTools()
{
    const ToolRegistry registry = builtinTools();
    Texts real;
    for (const auto &tool : registry.tools())
        real.push_back(tool->name().toStdString());
    QCOMPARE(Texts(OwnTools.begin(), OwnTools.end()), real);
    for (const std::string &name : real)
        QVERIFY(isOwnTool(name) && !isForeignTool(name));
    QVERIFY(isForeignTool("web-search") && isForeignTool("agent") && isForeignTool("goal-complete"));
    QVERIFY(!isForeignTool("") && !isOwnTool("") && !isOwnTool("Bash"));
}

void tst_AgentManifest::readsRulesOfTools()
{
    const Result<std::vector<ManifestRule>> rules = parseManifestRules(
        "[[tools]]\npermission_rules = [{pattern = 'x', action = 'deny'}]\nid = 'bash'\n"
        "[[tools]]\nid = 'ls'\n"
        "[runtime]\npermission_rules = [{permission = 'p', pattern = 'y', action = 'ask'}]\n",
        Place);
    QVERIFY2(rules, rules ? "" : rules.error().message.c_str());
    const std::vector<ManifestRule> expected{{"bash", "x", "deny", "spettro.agents.toml:2:21"},
                                             {"p", "y", "ask", "spettro.agents.toml:7:21"}};
    QVERIFY(rules.value() == expected);
}

void tst_AgentManifest::findsMistakesInRulesOfTools_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("start");
    const auto row = [](const char *text, const char *start) {
        QTest::newRow(text) << QByteArray(text) << QByteArray(start);
    };
    row("[tools.bash]\npermission_rules = []\n", "1:2: tools are written as [[tools]]"); // as it once was
    row("tools = 1\n", "1:1: tools are written as [[tools]]");
    row("tools = [1]\n", "1:10: 'tools' may hold nothing but tables");
    row("[[tools]]\npermission_rules = []\n", "1:1: a tool needs its 'id'");
    row("[[tools]]\nid = 1\n", "1:1: a tool needs its 'id'");
    row("[[tools]]\nid = ''\n", "1:1: a tool needs its 'id'");
    row("[[tools]]\nid = 'a'\npermission_rules = 1\n", "3:20: 'permission_rules' must be an array");
    row("[[tools]]\nid = 'a'\npermission_rules = [{permission = 'b', pattern = 'x', action = 'deny'}]\n",
        "3:22: unknown key 'permission'");
    row("[[tools]]\nid = 'a'\npermission_rules = [{pattern = 'x'}]\n",
        "3:21: a permission rule of a tool needs");
}

void tst_AgentManifest::findsMistakesInRulesOfTools()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, start);
    const Result<std::vector<ManifestRule>> rules = parseManifestRules(text.toStdString(), Place);
    QVERIFY(!rules);
    const QByteArray message = QByteArray::fromStdString(rules.error().message);
    QVERIFY2(message.startsWith("spettro.agents.toml:" + start), message);
}

void tst_AgentManifest::isFastOnLargeFiles_data()
{
    QTest::addColumn<QByteArray>("text");
    const auto row = [](const char *name, const std::string &text) {
        QTest::newRow(name) << QByteArray::fromStdString(text);
    };
    std::string agents = "default_agent = 'a0'\n";
    for (int i = 0; i < 15000; ++i)
        agents += "[[agents]]\nid='a" + std::to_string(i) + "'\npermitted_actions=['x']\n";
    row("agents", agents);
    row("allowed tools",
        "default_agent='a'\n[[agents]]\nid='a'\nallowed_tools=[" + repeated("'ls','agent',", 60000) + "]\n");
    std::string actions = "[[tools]]\nid='bash'\npermitted_actions=[";
    for (int i = 0; i < 60000; ++i)
        actions += "'x" + std::to_string(i) + "',";
    row("actions", actions + "]\ndefault_agent='a'\n");
    row("two lists of actions", "default_agent='a'\n" + actions.substr(0, 400000)
                                    + "'']\n[[agents]]\nid='a'\n"
                                      "permitted_actions=["
                                    + repeated("'y',", 100000) + "]\n");
    std::string keys;
    for (int i = 0; i < 80000; ++i)
        keys += 'k' + std::to_string(i) + "=1\n";
    row("unknown keys", keys);
    std::string tools;
    for (int i = 0; i < 20000; ++i)
        tools += "[[tools]]\nid='t" + std::to_string(i) + "'\nkind='script'\n";
    row("tools", tools);
    row("long key", "\"" + std::string(900000, 'x') + "\" = 1\n");
    row("long id", "[[tools]]\nid='" + std::string(900000, 'x') + "'\n");
}

void tst_AgentManifest::isFastOnLargeFiles()
{
    QFETCH(QByteArray, text);
    QElapsedTimer timer;
    timer.start();
    const Result<AgentManifest> parsed = parse(text);
    QVERIFY2(timer.elapsed() < 10000, QByteArray::number(timer.elapsed()));
    if (!parsed) {
        QVERIFY2(parsed.error().message.size() < 500, parsed.error().message.c_str());
        return;
    }
    QVERIFY(parsed->warnings.size() <= 101);
    for (const std::string &warning : parsed->warnings)
        QVERIFY(warning.size() < 500);
}

/// A key that restricts a tool cannot be lost to a slip of the finger, whichever it is.
void tst_AgentManifest::misspeltKeysOfToolsAreErrors()
{
    std::mt19937 random(Seed);
    const QByteArrayList lines{"enabled = false",     "timeout_sec = 5",           "requires_approval = true",
                               "primary_only = true", "permitted_actions = ['x']", "kind = 'builtin'"};
    for (int i = 0; i < 3000; ++i) {
        const QByteArray &right = lines.at(static_cast<int>(random() % static_cast<unsigned>(lines.size())));
        QByteArray wrong = right;
        const int at = static_cast<int>(random() % static_cast<unsigned>(right.indexOf(' ')));
        switch (random() % 3) {
        case 0:
            wrong[at] = static_cast<char>('a' + random() % 26);
            break;
        case 1:
            wrong.insert(at, static_cast<char>('a' + random() % 26));
            break;
        default:
            wrong.remove(at, 1);
        }
        if (wrong != right)
            QVERIFY2(!parse("[[tools]]\nid = 'bash'\n" + wrong + '\n'), wrong);
    }
}

void tst_AgentManifest::fuzzMutations_data()
{
    QTest::addColumn<QByteArray>("manifest");
    QTest::newRow("default") << fullManifest();
    QTest::newRow("original") << Original;
}

void tst_AgentManifest::fuzzMutations()
{
    QFETCH(QByteArray, manifest);
    std::mt19937 random(Seed);
    int accepted = 0;
    const auto below = [&random](qsizetype size) {
        return static_cast<int>(random() % static_cast<unsigned>(size));
    };
    for (int i = 0; i < 1500; ++i) {
        QByteArray text = manifest;
        for (int changes = 1 + below(3); changes > 0; --changes) {
            const int at = below(text.size());
            switch (random() % 5) {
            case 0:
                text.remove(at, 1 + below(5));
                break;
            case 1:
                text.insert(at, static_cast<char>(random() % 256));
                break;
            case 2:
                text[at] = static_cast<char>(random() % 128);
                break;
            case 3: // a piece of another place
                text.insert(at, manifest.mid(below(manifest.size()), below(40)));
                break;
            default: // a line twice
                const int line = static_cast<int>(text.lastIndexOf('\n', at) + 1);
                text.insert(line, text.mid(line, text.indexOf('\n', line) - line + 1));
            }
        }
        const Result<AgentManifest> parsed = parse(text);
        const QByteArray shown = "seed " + QByteArray::number(Seed) + ": " + text.toHex();
        if (parsed) {
            ++accepted;
            const QByteArray broken = brokenPromise(parsed.value());
            QVERIFY2(broken.isEmpty(), broken + ", " + shown);
        } else {
            QVERIFY2(parsed.error().message.starts_with("spettro.agents.toml:"), shown);
            QVERIFY2(!parsed.error().message.starts_with("spettro.agents.toml:0:"), shown);
            QVERIFY2(parsed.error().message.size() < 500, shown);
        }
    }
    QVERIFY2(accepted > 50 && accepted < 1450, QByteArray::number(accepted));
}

QTEST_GUILESS_MAIN(tst_AgentManifest)
#include "tst_agentmanifest.moc"
