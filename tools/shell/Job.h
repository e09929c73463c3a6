#pragma once

#include "tools/shell/CommandRun.h"
#include "tools/shell/OutputLog.h"

namespace spettro {

/// A command of a session with its output, under the name that the model uses for it.
class Job
{
public:
    /// The output is kept in a nameless file of `outputFolder`; `listener` (may be empty) gets it as it comes, in the
    /// launch thread.
    Job(QByteArray id, LaunchThread &thread, const QByteArray &outputFolder,
        std::function<void(const QByteArray &)> listener)
        : m_id(std::move(id)), m_output(outputFolder, std::move(listener)),
          m_run(std::make_shared<CommandRun>(thread, m_output))
    {}

    /// Ends the command, if it runs, and waits for that.
    ~Job();
    Job(const Job &) = delete;
    Job &operator=(const Job &) = delete;

    const QByteArray &id() const { return m_id; }
    const OutputLog &output() const { return m_output; }
    CommandRun &run() const { return *m_run; }

private:
    QByteArray m_id;
    OutputLog m_output;
    std::shared_ptr<CommandRun> m_run;
};

} // namespace spettro
