#include "app/agent/session/SessionId.h"

#include <QDateTime>
#include <QRandomGenerator>

#include <algorithm>
#include <chrono>
#include <string_view>

namespace spettro {

namespace {

constexpr std::string_view Form = "dddddddd-dddddd-dddddd-xxxxxx"; // d: digit, x: digit or small letter
constexpr std::string_view RandomCharacters = "0123456789abcdefghijklmnopqrstuvwxyz";

bool fits(char form, char byte)
{
    if (form == '-') {
        return byte == '-';
    }
    return (byte >= '0' && byte <= '9') || (form == 'x' && byte >= 'a' && byte <= 'z');
}

} // namespace

QByteArray freshSessionId()
{
    using namespace std::chrono;
    const qint64 now = duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
    const QDateTime second = QDateTime::fromSecsSinceEpoch(now / 1'000'000, Qt::UTC);
    QByteArray id = second.toString(QStringLiteral("yyyyMMdd-HHmmss-")).toLatin1();
    id += QByteArray::number(now % 1'000'000).rightJustified(6, '0') + '-';
    const auto randomPart = static_cast<std::size_t>(std::count(Form.begin(), Form.end(), 'x'));
    for (std::size_t i = 0; i < randomPart; ++i) {
        id += RandomCharacters[QRandomGenerator::system()->bounded(
            static_cast<quint32>(RandomCharacters.size()))];
    }
    return id;
}

bool isSessionId(QByteArrayView text)
{
    return text.size() == static_cast<qsizetype>(Form.size())
           && std::equal(Form.begin(), Form.end(), text.begin(), fits);
}

} // namespace spettro
