// The direction of the layers: reads every #include of app, sandbox, tools and ui and checks it against one table.

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

namespace {

/// What a layer, named by its folder, may include by `"..."`: folders with everything beneath them, and single files.
struct Layer
{
    QString folder;
    QStringList mayInclude;
    bool isPure = false; ///< No operating system: no header of one and no conditional compilation.
    bool hasQt = false;
    bool isFlat = false; ///< Only the files in the folder itself: folders below it have entries of their own.
};

/// The table. The longest folder that holds a file is the file's layer; a file in none of them is an error.
const QList<Layer> &layers()
{
    static const QList<Layer> table{
        {.folder = "sandbox/policy", .mayInclude = {"sandbox/policy"}, .isPure = true},
        {.folder = "sandbox/plan", .mayInclude = {"sandbox/policy", "sandbox/plan"}, .isPure = true},
        {.folder = "sandbox/linux", .mayInclude = {"sandbox/policy", "sandbox/plan", "sandbox/linux"}},
        {.folder = "sandbox/child",
         .mayInclude = {"sandbox/policy", "sandbox/plan", "sandbox/linux", "sandbox/child"}},
        {.folder = "sandbox/doctor", .mayInclude = {"sandbox"}},
        {.folder = "sandbox",
         .mayInclude = {"sandbox/SandboxedProcess.h", "sandbox/policy", "sandbox/plan", "sandbox/linux",
                        "sandbox/child"},
         .hasQt = true,
         .isFlat = true},
        {.folder = "tools/text", .mayInclude = {"tools/text"}, .isPure = true, .hasQt = true},
        {.folder = "tools/permissions", .mayInclude = {"tools/permissions", "tools/text"}, .hasQt = true},
        {.folder = "tools/search", .mayInclude = {"tools/search", "tools/text"}, .hasQt = true},
        {.folder = "tools/shell",
         .mayInclude = {"sandbox", "tools/Json.h", "tools/ToolResult.h", "tools/text", "tools/shell"},
         .hasQt = true},
        {.folder = "tools", .mayInclude = {"sandbox", "tools"}, .hasQt = true},
        {.folder = "ui/view", .mayInclude = {"ui/view", "sandbox/policy"}, .hasQt = true},
        {.folder = "ui/gui", .mayInclude = {"ui/gui", "ui/view", "sandbox/policy"}, .hasQt = true},
        {.folder = "ui/tui", .mayInclude = {"ui/tui", "ui/view", "sandbox/policy"}, .hasQt = true},
        {.folder = "app/config", .mayInclude = {"app/config", "sandbox"}},
        {.folder = "app/http", .mayInclude = {"app/http"}, .hasQt = true},
        {.folder = "app/llm",
         .mayInclude = {"app/llm", "app/http", "tools/Json.h", "sandbox/policy"},
         .isPure = true,
         .hasQt = true},
        {.folder = "app/keys",
         .mayInclude = {"app/keys", "app/agent/session/PrivateFiles.h", "tools/text", "sandbox"},
         .hasQt = true},
        {.folder = "app/agent", .mayInclude = {"app/agent", "app/llm", "tools", "sandbox"}, .hasQt = true},
        {.folder = "app", .mayInclude = {"app", "sandbox", "tools", "ui"}, .hasQt = true},
    };
    return table;
}

bool isBelow(const QString &path, const QString &folder)
{
    return path.startsWith(folder + '/');
}

const Layer *layerOf(const QString &path)
{
    const Layer *found = nullptr;
    for (const Layer &layer : layers()) {
        const bool isCovered =
            isBelow(path, layer.folder) && !(layer.isFlat && path.indexOf('/', layer.folder.size() + 1) >= 0);
        if (isCovered && (!found || layer.folder.size() > found->folder.size()))
            found = &layer;
    }
    return found;
}

/// Why `layer` may not include `header`; empty when it may.
QString judgeInclude(const Layer &layer, const QString &header, bool isQuoted)
{
    if (!isQuoted) {
        static const QRegularExpression qtHeader("^(Q[A-Z]|Qt|qt)");
        if (!layer.hasQt && qtHeader.match(header).hasMatch())
            return layer.folder + " is without Qt";
        // The headers of C++ have no suffix, so that one with .h belongs to C or to an operating system.
        if (layer.isPure && header.endsWith(".h") && !header.startsWith("toml++/"))
            return layer.folder + " is without headers of an operating system";
        return {};
    }
    if (header.endsWith(".moc") && !header.contains('/'))
        return {};
    for (const QString &folder : layer.mayInclude) {
        if ((isBelow(header, folder) || header == folder) && !header.contains(".."))
            return {};
    }
    return layer.folder + " may only include from " + layer.mayInclude.join(", ");
}

/// Everything in a file that the rules forbid, each as `path:line: what: why`.
QStringList violations(const QString &path, const QString &text)
{
    static const QRegularExpression include(
        "^\\s*#\\s*include(_next)?\\s*(?<open>[<\"])(?<header>[^>\"]+)[>\"]");
    static const QRegularExpression anyInclude("^\\s*#\\s*include");
    static const QRegularExpression conditional("^(?<indent>\\s*)#\\s*(if|ifdef|ifndef|elif|else)\\b");

    const Layer *layer = layerOf(path);
    if (!layer)
        return {path + ": its folder is in no layer of tests/pure/tst_includes.cpp"};

    QStringList found;
    bool isInBody = false;
    qsizetype number = 0;
    for (const QString &line : text.split('\n')) {
        ++number;
        const auto report = [&](const QString &why) {
            found << QString("%1:%2: %3: %4").arg(path).arg(number).arg(line.trimmed(), why);
        };

        // A body is taken to begin with a brace in the first column and to end with one, as clang-format writes it.
        if (line.startsWith('{'))
            isInBody = true;
        else if (line.startsWith('}'))
            isInBody = false;

        if (const auto match = include.match(line); match.hasMatch()) {
            const QString why =
                judgeInclude(*layer, match.captured("header"), match.captured("open") == "\"");
            if (!why.isEmpty())
                report(why);
        } else if (anyInclude.match(line).hasMatch()) {
            report("the name of an included file is written out");
        }

        if (const auto match = conditional.match(line); match.hasMatch()) {
            if (layer->isPure)
                report(layer->folder + " is the same on every system");
            else if (isInBody || !match.captured("indent").isEmpty())
                report("no conditional compilation inside a body: choose a source file in CMake");
        }
    }
    return found;
}

} // namespace

class tst_Includes : public QObject
{
    Q_OBJECT

private slots:
    void rules_data();
    void rules();
    void tree();
};

void tst_Includes::rules_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("reason"); // Part of the only violation; empty when there is none.

    const auto row = [](const char *name, const char *path, const char *text, const char *reason) {
        QTest::newRow(name) << QString(path) << QString(text) << QString(reason);
    };
    row("own layer", "sandbox/policy/A.cpp", "#include \"sandbox/policy/A.h\"\n#include <string>\n", "");
    row("down", "sandbox/plan/A.h", "#include \"sandbox/policy/Policy.h\"", "");
    row("toml++", "sandbox/policy/A.cpp", "#include <toml++/toml.h>", "");
    row("up", "sandbox/policy/A.h", "#include \"sandbox/plan/B.h\"", "sandbox/policy may only include from");
    row("up with blanks", "sandbox/plan/A.h", "  #  include \"sandbox/linux/B.h\"", "may only include from");
    row("after a comment", "sandbox/linux/A.h", "// x\n#include \"sandbox/child/B.h\"", "A.h:2:");
    row("child to doctor", "sandbox/child/A.h", "#include \"sandbox/doctor/B.h\"", "may only include from");
    row("doctor to child", "sandbox/doctor/A.h", "#include \"sandbox/child/B.h\"", "");
    row("sandbox to app", "sandbox/doctor/A.h", "#include \"app/Main.h\"", "may only include from");
    row("tools to sandbox", "tools/A.h", "#include \"sandbox/policy/Policy.h\"", "");
    row("tools to ui", "tools/builtin/A.h", "#include \"ui/view/B.h\"", "may only include from");
    row("ui to a value", "ui/tui/A.cpp", "#include \"sandbox/policy/FrozenPolicy.h\"", "");
    row("ui to machinery", "ui/tui/A.cpp", "#include \"sandbox/linux/B.h\"", "may only include from");
    row("gui to tui", "ui/gui/A.cpp", "#include \"ui/tui/B.h\"", "may only include from");
    row("app to all", "app/A.cpp", "#include \"ui/gui/B.h\"\n#include \"sandbox/child/C.h\"", "");
    row("not from the root", "sandbox/plan/A.cpp", "#include \"A.h\"", "may only include from");
    row("with dots", "sandbox/plan/A.cpp", "#include \"sandbox/plan/../linux/A.h\"", "may only include from");
    row("similar name", "sandbox/plan/A.cpp", "#include \"sandbox/policyx/A.h\"", "may only include from");
    row("by a macro", "sandbox/linux/A.cpp", "#include HEADER", "written out");
    row("unknown layer", "sandbox/beos/A.cpp", "", "in no layer");

    row("Qt class", "sandbox/child/A.cpp", "#include <QString>", "without Qt");
    row("Qt module", "sandbox/doctor/A.cpp", "#include <QtCore/qglobal.h>", "without Qt");
    row("Qt in tools", "tools/A.cpp", "#include <QString>", "");
    row("moc", "tools/A.cpp", "#include \"A.moc\"", "");

    row("unistd in policy", "sandbox/policy/A.cpp", "#include <unistd.h>", "operating system");
    row("sys in plan", "sandbox/plan/A.cpp", "#include <sys/stat.h>", "operating system");
    row("windows in plan", "sandbox/plan/A.cpp", "#include <windows.h>", "operating system");
    row("unistd in linux", "sandbox/linux/A.cpp", "#include <unistd.h>", "");

    row("if in plan", "sandbox/plan/A.cpp", "#if 1\n#endif", "same on every system");
    row("ifdef in policy", "sandbox/policy/A.h", "#ifdef __linux__\n#endif", "same on every system");
    row("if outside", "sandbox/linux/A.cpp", "#ifdef X\nint f();\n#endif\nint g()\n{\n}\n", "");
    row("if in a body", "sandbox/linux/A.cpp", "int f()\n{\n#if X\n#endif\n}\n", "inside a body");
    row("if after a body", "sandbox/linux/A.cpp", "int f()\n{\n}\n#if X\n#endif\n", "");
    row("indented if", "sandbox/linux/A.cpp", "namespace x {\n    #if X\n    #endif\n}", "inside a body");
}

void tst_Includes::rules()
{
    QFETCH(QString, path);
    QFETCH(QString, text);
    QFETCH(QString, reason);

    const QStringList found = violations(path, text);
    QCOMPARE(found.size(), reason.isEmpty() ? 0 : 1);
    if (!reason.isEmpty())
        QVERIFY2(found.first().contains(reason), qPrintable(found.first()));
}

void tst_Includes::tree()
{
    const QDir root(SPETTRO_SOURCE_DIR);
    int files = 0;
    QStringList found;
    for (const char *top : {"app", "sandbox", "tools", "ui"}) {
        QDirIterator entries(root.filePath(top), {"*.h", "*.hpp", "*.c", "*.cpp", "*.mm", "*.inc", "*.in"},
                             QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
        while (entries.hasNext()) {
            QFile file(entries.next());
            QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(file.fileName()));
            found << violations(root.relativeFilePath(file.fileName()), QString::fromUtf8(file.readAll()));
            ++files;
        }
    }
    QVERIFY2(files >= 10, qPrintable(QString("only %1 source files in %2").arg(files).arg(root.path())));
    QVERIFY2(found.isEmpty(), qPrintable('\n' + found.join('\n')));
}

QTEST_APPLESS_MAIN(tst_Includes)

#include "tst_includes.moc"
