// Who goes round in circles, and who only repeats honest work.

#include "app/agent/RepetitionWatch.h"

#include <QTest>

#include <functional>

using namespace spettro;
using Verdict = RepetitionWatch::Verdict;

namespace {

struct Step
{
    QByteArray tool;
    QByteArray arguments;
    QByteArray result;
    bool isError = false;
    bool isChange = false;
};

using Work = std::function<QList<Step>(int)>;

/// The number of the step after which the watch first said this; 0 for never.
int firstStep(const Work &work, Verdict verdict, int steps = 60)
{
    RepetitionWatch watch;
    for (int number = 1; number <= steps; ++number) {
        for (const Step &step : work(number)) {
            watch.add({"id", step.tool, step.arguments, {}}, {"id", step.result, step.isError},
                      step.isChange);
        }
        if (watch.endStep() == verdict) {
            return number;
        }
    }
    return 0;
}

Step failingEdit()
{
    return {"file-edit", R"({"path":"a","old_string":"zzz"})", "does not occur", true, true};
}

} // namespace

Q_DECLARE_METATYPE(Work)

class tst_RepetitionWatch : public QObject
{
    Q_OBJECT

private slots:
    void stops_data();
    void stops();
    void goesOn_data();
    void goesOn();
    void saysWhat();
};

void tst_RepetitionWatch::stops_data()
{
    QTest::addColumn<Work>("work");
    QTest::addColumn<int>("warns");
    QTest::addColumn<int>("stops");
    QTest::newRow("the same failing call") << Work([](int) { return QList{failingEdit()}; }) << 3 << 5;
    QTest::newRow("alternating with a reading call") << Work([](int number) {
        return QList{number % 2 == 1 ? failingEdit() : Step{"file-read", R"({"path":"a"})", "text"}};
    }) << 5 << 9;
    QTest::newRow("together with a reading call") << Work([](int) {
        return QList{failingEdit(), Step{"file-read", R"({"path":"a"})", "text"}};
    }) << 3 << 5;
    QTest::newRow("another way each time, and every call fails") << Work([](int number) {
        return QList{Step{"bash", "make # " + QByteArray::number(number), "exit code 2", true}};
    }) << 5 << 10;
    QTest::newRow("waiting for what does not change") << Work([](int) {
        return QList{Step{"bash", "cat status", "running"}};
    }) << 6 << 30;
}

void tst_RepetitionWatch::stops()
{
    QFETCH(Work, work);
    QFETCH(int, warns);
    QFETCH(int, stops);
    QCOMPARE(firstStep(work, Verdict::Warn), warns);
    QCOMPARE(firstStep(work, Verdict::Stop), stops);
}

void tst_RepetitionWatch::goesOn_data()
{
    QTest::addColumn<Work>("work");
    QTest::newRow("moving many files") << Work([](int number) {
        const QByteArray name = QByteArray::number(number);
        return QList{Step{"bash", "git mv f" + name + " d/", ""}, Step{"grep", name, "found " + name}};
    });
    QTest::newRow("reading a large file in parts") << Work([](int number) {
        return QList{
            Step{"file-read", QByteArray::number(number * 200), "lines " + QByteArray::number(number)}};
    });
    QTest::newRow("waiting for what changes") << Work([](int number) {
        return QList{Step{"bash", "cat status", QByteArray::number(number) + " %"}};
    });
    QTest::newRow("the same test that fails, with edits in between") << Work([](int number) {
        return number % 2 == 0 ? QList{Step{"bash", "make test", "1 failed", true}}
                               : QList{Step{"file-edit", QByteArray::number(number),
                                            "diff " + QByteArray::number(number), false, true}};
    });
}

void tst_RepetitionWatch::goesOn()
{
    QFETCH(Work, work);
    QCOMPARE(firstStep(work, Verdict::Warn), 0);
    QCOMPARE(firstStep(work, Verdict::Stop), 0);
}

void tst_RepetitionWatch::saysWhat()
{
    RepetitionWatch watch;
    Verdict verdict = Verdict::Fine;
    for (int number = 0; number < 5; ++number) {
        watch.add({"id", "file-edit", "{}", {}}, {"id", "no", true}, true);
        verdict = watch.endStep();
    }
    QVERIFY(verdict == Verdict::Stop);
    QCOMPARE(watch.description(),
             QByteArray("file-edit was called 5 times in the same way with the same result"));
}

QTEST_GUILESS_MAIN(tst_RepetitionWatch)

#include "tst_repetitionwatch.moc"
