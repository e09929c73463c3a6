// A Java compiler and machine under the sandbox, where the system has one.

#include "tests/support/OperatorHome.h"
#include "tests/support/OrdinaryWork.h"

#include <QTest>

using namespace spettro::test;

class TestWorkJava : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void works_data();
    void works() { checkWork(); }
};

void TestWorkJava::initTestCase()
{
    if (!missingPackages({"java", "javac"}).isEmpty()) {
        QSKIP("no Java here; the package default-jdk-headless is large and nothing else needs it");
    }
}

void TestWorkJava::works_data()
{
    addWorkColumns();
    addWork("javac and java", {.programs = {"java", "javac"},
                               .script = R"(
cat >M.java <<'X'
import java.nio.file.*;
public class M {
    public static void main(String[] args) throws Exception {
        System.out.println(new ProcessBuilder("echo", "child").inheritIO().start().waitFor());
        var thread = new Thread(() -> System.out.println("thread"));
        thread.start();
        thread.join();
        var file = Files.createTempFile("x", "y");
        Files.move(file, Path.of("moved"));
        Files.writeString(Path.of("result"), "java\n");
    }
}
X
javac M.java; java M
)",
                               .output = "child\n0\nthread\n",
                               .file = "result",
                               .content = "java\n"});
}

QTEST_GUILESS_MAIN(TestWorkJava)
#include "tst_work_java.moc"
