// The shell parser: what it finds, what it refuses, and whether bash agrees.

#include "tools/permissions/ShellSyntax.h"

#include <QProcess>
#include <QSet>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <random>

using namespace spettro;

namespace {

constexpr unsigned Seed = 20261130;

/// The commands as text: `a=1 cmd|word|?expansion >target`, in order.
QByteArrayList shown(const QList<SimpleCommand> &commands)
{
    QByteArrayList list;
    for (const SimpleCommand &command : commands) {
        QByteArray text;
        for (const auto &assignment : command.assignments)
            text += assignment.name + '=' + assignment.value.text + ' ';
        QByteArrayList words;
        for (const auto &word : command.words)
            words.append((word.isLiteral ? "" : "?") + word.text);
        text += words.join('|');
        for (const auto &redirection : command.redirections)
            text += ' ' + redirection.fd + redirection.op + redirection.target.text;
        list.append(text);
    }
    return list;
}

/// Writes lines of nested commands, each command `mark N` with a number of its own.
class LineMaker
{
public:
    explicit LineMaker(unsigned seed) : m_random(seed) {}

    QByteArray line() { return list(4) + '\n'; }
    int count() const { return m_count; }
    std::mt19937 &random() { return m_random; }

    int below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(m_random); }

private:
    QByteArray command() { return "mark " + QByteArray::number(m_count++); }

    QByteArray list(int depth)
    {
        QByteArray text = statement(depth);
        const QByteArrayList separators{" && ", "; ", " || ", " | ", " & ", "\n", "&&", ";", " |& ", " &\n"};
        for (int i = below(2); i > 0; --i)
            text += separators[below(static_cast<int>(separators.size()))] + statement(depth);
        return text;
    }

    QByteArray statement(int depth)
    {
        if (depth == 0)
            return command();
        const QByteArray inner = list(depth - 1);
        switch (below(24)) {
        case 0:
            return "( " + inner + ")";
        case 1:
            return "{ " + inner + "; }";
        case 2:
            return "if " + inner + "; then " + command() + "; elif " + command() + "; then :; else "
                   + command() + "; fi";
        case 3:
            return "while " + inner + " && false; do " + command() + "; done";
        case 4:
            return "for x in a 'b c' \"$( " + inner + ")\"; do " + command() + "; done";
        case 5:
            return "case \"$( " + inner + ")\" in (a|b) " + command() + ";; *) " + command() + " ;; esac";
        case 6:
            return "echo \"x$( " + inner + ")y\"";
        case 7:
            return "echo $( " + inner + " )";
        case 8:
            return "echo `" + command() + "` \"`" + command() + "`\"; " + inner;
        case 9:
            return "cat <<E\n$( " + inner + ")\nE\n" + command();
        case 10:
            return "cat <<'E'\n$(mark no) ' \" `\nE\n" + inner;
        case 11:
            return "echo <(" + inner + ") >(" + command() + ")";
        case 12:
            return "f() { " + inner + "; }; f";
        case 13:
            return "function g { " + inner + "; }; g";
        case 14:
            return "time ! " + command() + "; " + inner;
        case 15:
            return "[[ -n \"$( " + inner + ")\" && a == b ]]";
        case 16:
            return "x=\"$( " + inner + ")\" " + command();
        case 17:
            return "echo ${y:-$( " + inner + ")}";
        case 18:
            return "echo $(( 1 + $( " + inner + ") ))";
        case 19:
            return command() + " 2>/dev/null # " + "$(mark no) ' \"\n" + inner;
        case 20:
            return "a=( x $( " + inner + ") )";
        case 21:
            return "cat <<<\"$( " + inner + ")\"";
        case 22:
            return "until " + inner + " || true; do " + command() + "; done >/dev/null";
        default:
            return command() + " 'a b' \"c $d\" e\\ f $'g\\n'; " + inner;
        }
    }

    std::mt19937 m_random;
    int m_count = 0;
};

/// The arguments of all `mark N`. `mayBeAny`: the name of a program is made by an expansion.
QSet<QByteArray> marks(const QList<SimpleCommand> &commands, bool &mayBeAny)
{
    QSet<QByteArray> found;
    for (const SimpleCommand &command : commands) {
        for (qsizetype i = 0; i < command.words.size() && i < 2; ++i)
            mayBeAny = mayBeAny || !command.words[i].isLiteral;
        if (!command.words.isEmpty() && command.words[0].text == "mark")
            found.insert(command.words.size() > 1 ? command.words[1].text : QByteArray());
    }
    return found;
}

/// Runs each line in a shell of its own, in an empty folder and without programs. The marks of each line.
QList<QByteArrayList> runLines(const QByteArrayList &lines, const QString &shell)
{
    const QTemporaryDir folder;
    QProcess process;
    process.setWorkingDirectory(folder.path());
    process.setStandardErrorFile(QProcess::nullDevice());
    // Background commands of a line may come late: each mark says whose it is, and cat waits for the last of them.
    process.start("bash", {"-c",
                           "{ exec 9>&1; export n=0; while IFS= read -r -d '' line; do echo \"m$n:start\"; "
                           "( ulimit -t 1; ulimit -f 64; PATH=/nowhere exec \"$0\" -c "
                           "'mark() { echo \"m$n:$1\" >&9; }; cat() { :; }; eval \"$1\"' x \"$line\" ) "
                           ">/dev/null </dev/null; n=$((n+1)); done; } | cat",
                           shell});
    for (const QByteArray &line : lines)
        process.write(line + '\0');
    process.closeWriteChannel();
    process.waitForFinished(280'000);
    QList<QByteArrayList> results(lines.size());
    for (const QByteArray &line : process.readAllStandardOutput().split('\n')) {
        const qsizetype colon = line.indexOf(':');
        const qsizetype number = line.sliced(0, std::max<qsizetype>(colon, 0)).mid(1).toLongLong();
        if (line.startsWith('m') && colon > 1 && number < results.size())
            results[number].append(line.sliced(colon + 1));
    }
    return results;
}

} // namespace

class tst_ShellSyntax : public QObject
{
    Q_OBJECT

private slots:
    void finds_data();
    void finds();
    void refuses_data();
    void refuses();
    void knowsRanges();
    void limitsDepth();
    void endsOnHardInput_data();
    void endsOnHardInput();
    void findsEveryNestedCommand();
    void shellsRunNothingElse_data();
    void shellsRunNothingElse();
    void splitsWordsAsBash();
    void fuzzBytes();
};

void tst_ShellSyntax::finds_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArrayList>("commands");
    const auto row = [](const char *line, const QByteArrayList &commands) {
        QTest::newRow(line) << QByteArray(line) << commands;
    };
    row("", {});
    row("# only a comment", {});
    row("ls", {"ls"});
    row("  ls  -l\t'a b' # c", {"ls|-l|a b"});
    row("\\rm r\"\"m $'r\\155' r''m", {"rm|rm|rm|rm"});
    row("r\"$Y\"m $X", {"?r$Ym|?$X"});
    row("a && b || c; d & e | f |& g\nh", {"a", "b", "c", "d", "e", "f", "g", "h"});
    row("(a; (b)); { c; d; }", {"a", "b", "c", "d"});
    row("if a; then b; elif c; then d; else e; fi", {"a", "b", "c", "d", "e"});
    row("while a; do b; done; until c\ndo d\ndone", {"a", "b", "c", "d"});
    row("for x in 1 2; do a; done", {"x= ", "a"});
    row("for PATH do a; done; for ((i=0;i<3;i++)); do b; done", {"PATH= ", "a", "((|?((i=0;i<3;i++))", "b"});
    row("select x in a b; do c; done", {"x= ", "c"});
    row("case $(a) in x|y) b;; (z) c ;& *) d; esac", {"a", "b", "c", "d"});
    row("f() { a; }; function g { b; }; function h () ( c )", {"a", "b", "c"});
    row("[[ -f x && ! ( a < b ) || c =~ ^d$ ]]", {"[[|-f|x|&&|!|(|a|<|b|)||||c|=~|^d$|]]"});
    row("(( x + 1 ))", {"?((|?(( x + 1 ))"});
    row("echo $((1 + 2)) $((x))", {"echo|?$((1 + 2))|?$((x))", "((|?$((x))"});
    row("echo $(a `b \\`c\\`` \"$(d)\")",
        {"echo|?$(a `b \\`c\\`` \"$(d)\")", "a|?`b \\`c\\``|?$(d)", "b|?`c`", "c", "d"});
    row("echo \"x $(a \"b c\") y\"", {"echo|?x $(a \"b c\") y", "a|b c"});
    row("echo ${x:-$(a)} ${y:=1}", {"echo|?${x:-$(a)}|?${y:=1}", "a", "y= "});
    row("cat <<E\n$(a) `b` \\$(no)\nE\nc", {"cat <<E", "a", "b", "c"});
    row("cat <<'E' <<-F\n$(no)\nE\n\t$(a)\n\tF\n", {"cat <<E <<-F", "a"});
    row("cat <<<\"$(a)\" <(b) > >(c)", {"cat|?<(b) <<<$(a) >>(c)", "a", "b", "c"});
    row("A=1 B[2]+='x y' c; D=$(e)", {"A=1 B[2]=x y c", "D=$(e) ", "e"});
    row("a=(b $(c)) d; declare -a e=(f)", {"a= d", "c", "declare|-a|?e="});
    row("a >b 2>&1 <c >>d &>e >|f <>g 3<&- {h}>i", {"a >b 2>&1 <c >>d &>e >|f <>g 3<&- {h}>i"});
    row(">a", {" >a"});
    row("{ a; } >b 2>c", {"a", " >b 2>c"});
    row("! a | time -p b; coproc c; coproc N { d; }", {"a", "b", "c", "d"});
    row("a c\\\nd", {"a|cd"});
    row("git log -3 HEAD~1 @{u} a{b,c} {1..3} {} ~/x *.c [ [a",
        {"git|log|-3|HEAD~1|@{u}|?a{b,c}|?{1..3}|{}|?~/x|?*.c|[|?[a"});
    row("[ -f x ]", {"[|-f|x|]"});
    row("echo a#b 'c'#d", {"echo|a#b|c#d"});
    row("echo if then { }", {"echo|if|then|{|}"});
    row("ls\r", {"ls\r"});
    row("echo \"a\\$b\\c\\\"d\\\ne\"", {"echo|a$b\\c\"de"});
    row("echo $ \"$\" $'a\\x41\\101\\tb' $\"x\"", {"echo|$|$|aAA\tb|?x"});
}

void tst_ShellSyntax::finds()
{
    QFETCH(const QByteArray, line);
    QFETCH(const QByteArrayList, commands);
    const auto parsed = parseShell(line);
    QVERIFY(parsed);
    QCOMPARE(shown(*parsed), commands);
}

void tst_ShellSyntax::refuses_data()
{
    QTest::addColumn<QByteArray>("line");
    for (const char *line : {"'a",
                             "\"a",
                             "a\\",
                             "`a",
                             "$(a",
                             "${a",
                             "(a",
                             "a)",
                             "{ a",
                             "a }; }",
                             "; a",
                             "a &&",
                             "a | | b",
                             "a ;; b",
                             "if a; then b",
                             "if a; fi; fi",
                             "then a",
                             "for 1 in a; do b; done",
                             "case a in b c",
                             "case a b; esac",
                             "f( a",
                             "f(a) { b; }",
                             "a (b)",
                             "a <",
                             "a > ; b",
                             "cat <<E\nx",
                             "cat <<E\nx\nE)\n",
                             "cat <<$X\n$X\n",
                             "cat <<E $(a\n)\nE\n",
                             "cat <<E 'x\n'\nE\n",
                             "cat <<E\nx\\\nE\nE\n",
                             "[[ a",
                             "[[ rm -rf x ]]",
                             "[[ a || rm -f b ]]",
                             "((a)",
                             "((echo a); (b))",
                             "$((a); b)",
                             "echo $((a) )",
                             "echo \"${x:-'}\"",
                             "${ a; }",
                             "echo ${x:-<(a)}",
                             "echo ${x@P}",
                             "echo $[1]",
                             "ls *(e:'a':)",
                             "a[b c]=1 rm x",
                             "a[$(b)]=1 c",
                             "i\\\nf a",
                             "\"$\\\n(a)\"",
                             "$'\\'; a'",
                             "$'\\u0041'",
                             "$'\\0x'",
                             "time -v rm x",
                             "a\\\nb c",
                             "do a",
                             "a=(b",
                             "a=(b)c d",
                             "echo ${x:-{}}",
                             "case a in esac)",
                             "function a-$b { c; }",
                             "(( 'a' ))",
                             "! ",
                             "a & & b"})
        QTest::newRow(line) << QByteArray(line);
    QTest::newRow("NUL") << QByteArray("a\0b", 3);
    QTest::newRow("too long") << QByteArray(MaximumCommandLine + 1, 'a');
}

void tst_ShellSyntax::refuses()
{
    QFETCH(const QByteArray, line);
    const auto parsed = parseShell(line);
    QVERIFY2(!parsed, parsed ? shown(*parsed).join(" ; ").constData() : "");
}

void tst_ShellSyntax::knowsRanges()
{
    const QByteArray line = " ls -l | (cat \"$(id)\" >f ); x=1 `rm`";
    const auto parsed = parseShell(line);
    QVERIFY(parsed);
    QByteArrayList parts;
    for (const SimpleCommand &command : *parsed)
        parts.append(line.sliced(command.begin, command.end - command.begin));
    QCOMPARE(parts, (QByteArrayList{"ls -l", "cat \"$(id)\" >f", "id", "x=1 `rm`", "`rm`"}));
}

void tst_ShellSyntax::limitsDepth()
{
    for (const char *opening : {"( ", "$(", "{ ", "! ( ", "if ", "${x:-", "f() { ", "<(", "coproc { ", "\"$(",
                                "[[ ! ( ", "$((", "(( $((", "${x:-\"${x:-\""}) {
        QByteArray line;
        for (int i = 0; i < 20'000; ++i)
            line += opening;
        QVERIFY2(!parseShell(line), opening);
    }
    QByteArray inside = "a";
    for (int i = 0; i < MaximumShellNesting; ++i)
        inside = "(" + QByteArray(" ") + inside + ")";
    QVERIFY(parseShell(inside));
    QVERIFY(!parseShell("( " + inside + ")"));
}

void tst_ShellSyntax::endsOnHardInput_data()
{
    QTest::addColumn<QByteArray>("part");
    for (const char *part : {"a",     "a ",       "a;",           "'a'",
                             "$(a) ", "a\\\n",    "\\\\",         "`a` ",
                             "${a} ", "1>a ",     "{a",           "a[",
                             "# a\n", "a<<b ",    "cat <<E\nE\n", "cat <<E\n$(a <<F\nF\n)\nE\n",
                             "$((",   "[[ a ]];", "a=1 ",         "((1));",
                             "\t#"})
        QTest::newRow(part) << QByteArray(part);
}

void tst_ShellSyntax::endsOnHardInput()
{
    QFETCH(const QByteArray, part);
    // Quadratic work would not end within the time limit of this test.
    const auto commands = parseShell(part.repeated(MaximumCommandLine / 16 / part.size()));
    QVERIFY(!commands || commands->size() <= MaximumCommandLine / 16);
}

void tst_ShellSyntax::findsEveryNestedCommand()
{
    for (unsigned i = 0; i < 1'500; ++i) {
        LineMaker maker(Seed + i);
        const QByteArray line = maker.line();
        const auto parsed = parseShell(line);
        // Shells disagree on a here-document in the line of another construct's newline.
        if (!parsed && line.contains("<<E"))
            continue;
        QVERIFY2(parsed, line.constData());
        bool ignored = false;
        const QSet<QByteArray> found = marks(*parsed, ignored);
        QVERIFY2(found.size() == maker.count(), line.constData());
        QVERIFY2(!found.contains("no"), line.constData());
    }
}

void tst_ShellSyntax::shellsRunNothingElse_data()
{
    QTest::addColumn<QString>("shell");
    // `shell-exec` may use another shell than bash: what is certain is so for both.
    for (const char *shell : {"bash", "dash"})
        QTest::newRow(shell) << QStandardPaths::findExecutable(shell);
}

/// Lines with a byte changed here and there: whatever a shell runs must have been found.
void tst_ShellSyntax::shellsRunNothingElse()
{
    QFETCH(const QString, shell);
    QVERIFY2(!shell.isEmpty(), "install: bash dash");
    const int count = 100;
    QByteArrayList lines;
    QList<QSet<QByteArray>> found;
    const QByteArrayList pieces{"'",   "\"", "\\",  "`",    "$(",  ")",    "(",  "{",     "}",
                                ";",   "&",  "|",   "<",    ">",   "#",    "\n", " ",     "<<E",
                                "$",   "$'", "((",  "))",   "=",   "[",    "]",  "! ",    "E\n",
                                "if ", "fi", "do ", "esac", ",",   "\\\n", "${", "time ", "coproc ",
                                "in ", "a=", "$((", "[[ ",  " ]]", ";;",   "\t", "@",     "*"};
    for (unsigned i = 0; lines.size() < count; ++i) {
        LineMaker maker(Seed * 3 + i);
        QByteArray line = maker.line();
        for (int change = maker.below(4); change > 0; --change) {
            const int position = maker.below(static_cast<int>(line.size()));
            const QByteArray &piece = pieces[maker.below(static_cast<int>(pieces.size()))];
            switch (maker.below(3)) {
            case 0:
                line.remove(position, maker.below(3) + 1);
                break;
            case 1:
                line.insert(position, piece);
                break;
            default:
                line.replace(position, 1, piece);
            }
            if (line.isEmpty())
                line = ":";
        }
        const auto parsed = parseShell(line);
        if (!parsed)
            continue;
        bool mayBeAny = false;
        const QSet<QByteArray> known = marks(*parsed, mayBeAny);
        if (mayBeAny)
            continue;
        lines.append(line);
        found.append(known);
    }
    const QList<QByteArrayList> results = runLines(lines, shell);
    int runs = 0;
    for (qsizetype i = 0; i < lines.size(); ++i) {
        QVERIFY(results[i].contains("start"));
        for (const QByteArray &mark : results[i]) {
            if (mark == "start")
                continue;
            ++runs;
            QVERIFY2(found[i].contains(mark), ("ran " + mark + " in:\n" + lines[i]).constData());
        }
    }
    QVERIFY2(runs > count / 2, QByteArray::number(runs)); // dash gives up on most lines
}

void tst_ShellSyntax::splitsWordsAsBash()
{
    std::mt19937 random(Seed);
    const QByteArrayList pieces{"a",     "B",    " ",  "'",        "\"",   "\\", "$'", "\\n", "\\x4", "1",
                                "~",     "{",    "}",  ",",        "..",   "#",  "=",  "!",   "\t",   "\\\n",
                                "$",     "\"\"", "''", "\xC3\xA9", "\xFF", "|",  ";",  "(",   ")",    "-",
                                "\\101", "%",    "^",  ":",        "[",    "]",  "/",  "@"};
    QByteArray script;
    QList<QByteArrayList> expected;
    QByteArrayList lines;
    while (expected.size() < 3'000) {
        QByteArray line = "printf '%s\\0' ";
        const int length = std::uniform_int_distribution<int>(1, 12)(random);
        for (int i = 0; i < length; ++i)
            line += pieces[std::uniform_int_distribution<qsizetype>(0, pieces.size() - 1)(random)];
        const auto parsed = parseShell(line);
        if (!parsed || parsed->size() != 1 || parsed->first().words.size() < 3)
            continue;
        QByteArrayList words;
        bool areLiteral = true;
        for (const auto &word : parsed->first().words.sliced(2)) {
            words.append(word.text);
            areLiteral = areLiteral && word.isLiteral;
        }
        if (!areLiteral)
            continue;
        expected.append(words);
        lines.append(line);
        script += line + "\nprintf '<end>\\0'\n";
    }
    QProcess process;
    process.start("bash", {});
    process.write(script);
    process.closeWriteChannel();
    QVERIFY(process.waitForFinished(60'000));
    QByteArrayList words;
    qsizetype number = 0;
    for (const QByteArray &word : process.readAllStandardOutput().split('\0')) {
        if (word != "<end>") {
            words.append(word);
            continue;
        }
        QVERIFY(number < expected.size());
        QVERIFY2(words == expected[number], lines[number].toPercentEncoding().constData());
        words.clear();
        ++number;
    }
    QCOMPARE(number, expected.size());
}

void tst_ShellSyntax::fuzzBytes()
{
    std::mt19937 random(Seed);
    const QByteArray alphabet = "ab1 \t\n'\"\\`$(){}[]<>|&;#!*?~=,.-E/@+:ifthendodoneesac";
    for (int round = 0; round < 40'000; ++round) {
        QByteArray line(std::uniform_int_distribution<int>(0, 40)(random), '\0');
        const bool isAny = round % 4 == 0;
        for (char &byte : line) {
            byte = isAny ? static_cast<char>(std::uniform_int_distribution<int>(1, 255)(random))
                         : alphabet[std::uniform_int_distribution<qsizetype>(0, alphabet.size() - 1)(random)];
        }
        const auto parsed = parseShell(line);
        if (!parsed)
            continue;
        for (const SimpleCommand &command : *parsed) {
            QVERIFY(command.begin >= 0 && command.begin <= command.end && command.end <= line.size());
            QVERIFY(!command.words.isEmpty() || !command.assignments.isEmpty()
                    || !command.redirections.isEmpty());
        }
    }
}

QTEST_APPLESS_MAIN(tst_ShellSyntax)
#include "tst_shellsyntax.moc"
