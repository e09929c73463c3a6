#include "app/agent/systemPrompt.h"

#include "tools/text/SafeText.h"

#include <QDate>
#include <QFile>
#include <QSysInfo>

namespace spettro {

QByteArray systemPrompt(const QByteArray &workspace, const ProjectFacts &facts, const QByteArray &agentPrompt)
{
    QFile file(":/prompts/system.md");
    const bool isThere = file.open(QIODevice::ReadOnly); // part of the program
    Q_ASSERT(isThere);
    QByteArray prompt = file.readAll();
    prompt += "\n# Where you are\n\nSystem: " + QSysInfo::prettyProductName().toUtf8() + ", "
              + QSysInfo::currentCpuArchitecture().toUtf8()
              + "\nShell of the tool bash: /bin/bash\nProject folder: " + visibleText(workspace)
              + "\nDate: " + QDate::currentDate().toString(Qt::ISODate).toUtf8() + '\n';
    if (!facts.repository.isEmpty()) {
        prompt += "\nThe repository when the session began, as git told it:\n\n" + facts.repository + '\n';
    }
    for (const ProjectFacts::Instructions &instructions : facts.instructions) {
        prompt +=
            "\n# Instructions of the project (" + instructions.file + ")\n\n" + instructions.text + '\n';
    }
    if (!agentPrompt.isEmpty()) {
        prompt += "\n# Your part\n\n" + agentPrompt + '\n';
    }
    return prompt;
}

} // namespace spettro
