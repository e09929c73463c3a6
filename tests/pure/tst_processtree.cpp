// Which processes descend from another, by a table of parents as /proc gives it: unordered, and changing meanwhile.

#include "sandbox/child/ProcessTree.h"

#include <QTest>

#include <algorithm>
#include <random>

using namespace spettro::sandbox;

namespace {

std::vector<pid_t> descendants(pid_t ancestor, const std::vector<ProcessLink> &links)
{
    std::vector<pid_t> found;
    for (const ProcessLink &link : descendantsOf(ancestor, links)) {
        found.push_back(link.process);
    }
    return found;
}

std::vector<pid_t> sorted(std::vector<pid_t> processes)
{
    std::sort(processes.begin(), processes.end());
    return processes;
}

using Processes = std::vector<pid_t>;

} // namespace

class tst_ProcessTree : public QObject
{
    Q_OBJECT

private slots:
    void findsNothingInNothing();
    void findsAllGenerations();
    void leavesOthersAlone();
    void parentsComeFirst();
    void orderOfTheTableDoesNotMatter();
    void numbersNeedNotGrow();
    void keepsTheParentOfEach();
    void deepChainsAndWideFamiliesEnd();
};

void tst_ProcessTree::findsNothingInNothing()
{
    QCOMPARE(descendants(10, {}), Processes());
    QCOMPARE(descendants(10, {{10, 1}}), Processes());
    QCOMPARE(descendants(10, {{1, 0}, {2, 0}, {10, 1}, {11, 1}}), Processes());
}

void tst_ProcessTree::findsAllGenerations()
{
    QCOMPARE(sorted(descendants(10, {{10, 1}, {11, 10}, {12, 10}, {13, 11}, {14, 13}})),
             (Processes{11, 12, 13, 14}));
}

void tst_ProcessTree::leavesOthersAlone()
{
    // The ancestor's parent, brothers and their children; and kernel threads, whose parent is 2.
    QCOMPARE(sorted(descendants(10, {{1, 0}, {2, 0}, {3, 2}, {9, 1}, {10, 9}, {20, 9}, {21, 20}, {11, 10}})),
             (Processes{11}));
}

void tst_ProcessTree::parentsComeFirst()
{
    const Processes found = descendants(10, {{14, 13}, {13, 12}, {12, 11}, {11, 10}});
    QCOMPARE(found, (Processes{11, 12, 13, 14}));
}

void tst_ProcessTree::orderOfTheTableDoesNotMatter()
{
    std::vector<ProcessLink> links{{1, 0},   {10, 1},  {11, 10}, {12, 10},
                                   {13, 11}, {14, 13}, {20, 1},  {21, 20}};
    std::mt19937 random(1);
    for (int i = 0; i < 100; ++i) {
        std::shuffle(links.begin(), links.end(), random);
        QCOMPARE(sorted(descendants(10, links)), (Processes{11, 12, 13, 14}));
    }
}

void tst_ProcessTree::numbersNeedNotGrow()
{
    QCOMPARE(descendants(4000, {{4000, 1}, {7, 4000}, {3, 7}}),
             (Processes{7, 3})); // after the numbers wrapped
}

void tst_ProcessTree::keepsTheParentOfEach()
{
    for (const ProcessLink &link : descendantsOf(10, {{11, 10}, {12, 11}})) {
        QCOMPARE(link.parent, link.process - 1);
    }
}

void tst_ProcessTree::deepChainsAndWideFamiliesEnd()
{
    constexpr pid_t Count = 20'000;
    std::vector<ProcessLink> chain;
    std::vector<ProcessLink> family;
    for (pid_t process = 2; process < Count; ++process) {
        chain.push_back({process, process - 1});
        family.push_back({process, 1});
    }
    QCOMPARE(descendants(1, chain).size(), std::size_t(Count - 2));
    QCOMPARE(descendants(1, family).size(), std::size_t(Count - 2));
}

QTEST_APPLESS_MAIN(tst_ProcessTree)

#include "tst_processtree.moc"
