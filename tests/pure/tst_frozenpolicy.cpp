// What the frozen policy says of itself: the tag in the header, the summary, the JSON.

#include "sandbox/policy/FrozenPolicy.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <utility>

using namespace spettro::sandbox;

namespace {

FrozenContent content(FileSystemMode mode, Network network)
{
    FrozenContent content;
    content.policy.workspace = "/home/u/ws";
    content.policy.mode = {mode, {Origin::Kind::Flag, "--sandbox"}};
    content.policy.network = {std::move(network), {Origin::Kind::Manifest, "spettro.agents.toml:5:1"}};
    content.workspace = "/home/u/ws";
    content.temporaryDirectory = "/tmp";
    return content;
}

QJsonObject jsonOf(const FrozenPolicy &policy)
{
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(QByteArray::fromStdString(policy.json()), &error);
    return error.error == QJsonParseError::NoError ? document.object() : QJsonObject();
}

} // namespace

class tst_FrozenPolicy : public QObject
{
    Q_OBJECT

private slots:
    void tag_data();
    void tag();
    void summary_data();
    void summary();
    void summaryIsOneLine();
    void json();
    void jsonSurvivesAnyBytes();
    void copiesShareContent();
    void staysWholeWhenMovedFrom();
};

void tst_FrozenPolicy::tag_data()
{
    QTest::addColumn<int>("mode");
    QTest::addColumn<QByteArray>("network");
    QTest::addColumn<QByteArray>("tag");
    const auto row = [](FileSystemMode mode, const char *network, const char *tag) {
        QTest::addRow("%s %s", toText(mode).data(), network)
            << int(mode) << QByteArray(network) << QByteArray(tag);
    };
    row(FileSystemMode::Off, "all", "");
    row(FileSystemMode::Off, "localhost", "sandbox:net:lo");
    row(FileSystemMode::Off, "none", "sandbox:net:none");
    row(FileSystemMode::Off, "ports:443,8080", "sandbox:net:443,8080");
    row(FileSystemMode::WorkspaceWrite, "all", "sandbox:ws");
    row(FileSystemMode::WorkspaceWrite, "localhost", "sandbox:ws+net:lo");
    row(FileSystemMode::WorkspaceWrite, "none", "sandbox:ws+net:none");
    row(FileSystemMode::WorkspaceWrite, "ports:443,8080", "sandbox:ws+net:443,8080");
    row(FileSystemMode::ReadOnly, "all", "sandbox:ro");
    row(FileSystemMode::ReadOnly, "localhost", "sandbox:ro+net:lo");
    row(FileSystemMode::ReadOnly, "none", "sandbox:ro+net:none");
    row(FileSystemMode::ReadOnly, "ports:1", "sandbox:ro+net:1");
}

void tst_FrozenPolicy::tag()
{
    QFETCH(int, mode);
    QFETCH(QByteArray, network);
    QFETCH(QByteArray, tag);
    const FrozenPolicy policy(content(FileSystemMode(mode), parseNetwork(network.toStdString()).value()));
    QCOMPARE(policy.tag(), tag.toStdString());
    QCOMPARE(policy.isConfined(), !tag.isEmpty());
    QCOMPARE(jsonOf(policy)["tag"].toString(), QString(tag));
    QCOMPARE(jsonOf(policy)["confined"].toBool(), !tag.isEmpty());
}

void tst_FrozenPolicy::summary_data()
{
    QTest::addColumn<int>("mode");
    QTest::addColumn<QByteArray>("network");
    QTest::addColumn<QByteArray>("summary");
    QTest::newRow("off") << int(FileSystemMode::Off) << QByteArray("none")
                         << QByteArray("files: not confined; network: none");
    QTest::newRow("workspace-write")
        << int(FileSystemMode::WorkspaceWrite) << QByteArray("none")
        << QByteArray("writes: workspace, temporary folders; reads: system, workspace; network: none");
    QTest::newRow("read-only")
        << int(FileSystemMode::ReadOnly) << QByteArray("ports:80")
        << QByteArray("writes: temporary folders; reads: system, workspace; network: ports:80");
}

void tst_FrozenPolicy::summary()
{
    QFETCH(int, mode);
    QFETCH(QByteArray, network);
    QFETCH(QByteArray, summary);
    const FrozenPolicy policy(content(FileSystemMode(mode), parseNetwork(network.toStdString()).value()));
    QCOMPARE(policy.summary(), summary.toStdString());
}

void tst_FrozenPolicy::summaryIsOneLine()
{
    FrozenContent frozen = content(FileSystemMode::WorkspaceWrite, {});
    frozen.policy.writableDirs = {{"/srv/a\nb", {}}};
    frozen.policy.readableDirs = {{"/opt/x", {}}};
    QCOMPARE(
        FrozenPolicy(frozen).summary(),
        std::string("writes: workspace, temporary folders, /srv/a\\nb; reads: system, workspace, /opt/x; "
                    "network: all"));
}

void tst_FrozenPolicy::json()
{
    FrozenContent frozen = content(FileSystemMode::ReadOnly, {NetworkMode::Ports, {80, 443}});
    frozen.policy.writableDirs = {{"/srv/x", {Origin::Kind::Flag, "--sandbox-allow-dir"}}};
    frozen.policy.readableDirs = {{"/opt/x", {Origin::Kind::Manifest, "spettro.agents.toml:6:2"}}};
    frozen.policy.allowedVariables = {{"GH_TOKEN", {Origin::Kind::Flag, "--sandbox-allow-env"}}};
    Root usr;
    usr.path = "/usr";
    usr.grant = Grant::Read;
    usr.origin = {Origin::Kind::System, {}};
    Root null;
    null.path = "/dev/null";
    null.grant = Grant::Device;
    null.isDirectory = false;
    frozen.roots = {usr, null};
    const QByteArray expected = R"({
        "confined": true,
        "tag": "sandbox:ro+net:80,443",
        "mode": {"value": "read-only", "source": "--sandbox"},
        "network": {"value": "ports:80,443", "source": "spettro.agents.toml:5:1"},
        "workspace": "/home/u/ws",
        "temporary_directory": "/tmp",
        "writable_dirs": [{"value": "/srv/x", "source": "--sandbox-allow-dir"}],
        "readable_dirs": [{"value": "/opt/x", "source": "spettro.agents.toml:6:2"}],
        "allowed_variables": [{"value": "GH_TOKEN", "source": "--sandbox-allow-env"}],
        "steering_files": {"value": "protected", "source": "default"},
        "roots": [{"path": "/usr", "grant": "read", "directory": true, "source": "system"},
                  {"path": "/dev/null", "grant": "device", "directory": false, "source": "default"}]
    })";
    QCOMPARE(jsonOf(FrozenPolicy(frozen)), QJsonDocument::fromJson(expected).object());
    QVERIFY(jsonOf(FrozenPolicy(content(FileSystemMode::Off, {})))["roots"].isArray());
}

void tst_FrozenPolicy::jsonSurvivesAnyBytes()
{
    FrozenContent frozen = content(FileSystemMode::WorkspaceWrite, {});
    frozen.workspace = "/ws/\xFF\xC3(\x01\"\n";
    const QJsonObject object = jsonOf(FrozenPolicy(frozen));
    QVERIFY(!object.isEmpty());
    QCOMPARE(object["workspace"].toString(), QString::fromUtf16(u"/ws/\uFFFD\uFFFD(\u0001\"\n"));
}

void tst_FrozenPolicy::copiesShareContent()
{
    const FrozenPolicy policy(content(FileSystemMode::WorkspaceWrite, {}));
    const FrozenPolicy copy = policy;
    QCOMPARE(&copy.workspace(), &policy.workspace());
    QCOMPARE(&copy.roots(), &policy.roots());
}

void tst_FrozenPolicy::staysWholeWhenMovedFrom()
{
    FrozenPolicy policy(content(FileSystemMode::WorkspaceWrite, {}));
    const FrozenPolicy taken = std::move(policy);
    QCOMPARE(taken.tag(), std::string("sandbox:ws"));
    QCOMPARE(policy.tag(), std::string("sandbox:ws"));
}

QTEST_APPLESS_MAIN(tst_FrozenPolicy)
#include "tst_frozenpolicy.moc"
