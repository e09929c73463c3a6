#include "tools/SteeringPaths.h"

#include <QByteArray>

#include <algorithm>
#include <array>

namespace spettro {

namespace {

constexpr std::array<QByteArrayView, 10> SteeringNames{
    ".git",    ".spettro", "spettro.agents.toml", ".vscode", ".idea", ".mcp.json", ".claude", ".codex",
    ".cursor", ".gemini",
};

// Characters that HFS+ leaves out when it compares names: zero-width joiners, direction marks, the byte order mark.
constexpr std::array<QByteArrayView, 3> IgnoredPrefixes{"\xe2\x80", "\xe2\x81", "\xef\xbb"};

QByteArray folded(QByteArrayView name)
{
    QByteArray result = name.toByteArray().toLower();
    for (const QByteArrayView prefix : IgnoredPrefixes) {
        for (qsizetype at; (at = result.indexOf(prefix)) >= 0;) {
            result.remove(at, 3);
        }
    }
    if (const qsizetype colon = result.indexOf(':'); colon >= 0) {
        result.truncate(colon);
    }
    while (result.endsWith(' ') || result.endsWith('.')) {
        result.chop(1);
    }
    return result;
}

} // namespace

std::span<const QByteArrayView> steeringNames()
{
    return SteeringNames;
}

bool isSteeringPath(QByteArrayView relativePath)
{
    for (qsizetype begin = 0; begin <= relativePath.size();) {
        const qsizetype slash = relativePath.indexOf('/', begin);
        const qsizetype end = slash < 0 ? relativePath.size() : slash;
        const QByteArray name = folded(relativePath.sliced(begin, end - begin));
        if (std::find(SteeringNames.begin(), SteeringNames.end(), QByteArrayView(name))
            != SteeringNames.end()) {
            return true;
        }
        begin = end + 1;
    }
    return false;
}

} // namespace spettro
