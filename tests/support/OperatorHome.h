#pragma once

#include "tests/support/Fixture.h"

/// A fixture as an operator's home folder, with settings as people have them, for tests of everyday use.
namespace spettro::test {

class OperatorHome
{
public:
    OperatorHome();

    const Fixture &fixture() const { return m_fixture; }
    QString folder() const { return m_fixture.folder(); }
    QString workspace(const QString &name = {}) const { return m_fixture.workspace(name); }

    /// A folder for temporary files that is this home's own.
    QString temporary(const QString &name = {}) const;

    /// What the operator's shell exports: the programs of the system and nothing of the machine's own settings.
    QProcessEnvironment environment() const;

    /// `spettro exec FLAGS -- COMMAND` as this operator, started in the workspace.
    RunResult exec(const QStringList &flags, const QStringList &command, RunOptions options = {}) const;

private:
    Fixture m_fixture;
};

/// The Debian packages of those programs that are not installed, for the message of a test that needs them.
QStringList missingPackages(const QStringList &programs);

} // namespace spettro::test
