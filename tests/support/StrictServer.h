#pragma once

#include "tools/Json.h"

#include <QByteArray>

namespace spettro::test {

// What the strictest servers of each protocol refuse, in words; empty if they would take the body.

QByteArray refusalOfChat(const QByteArray &body);
QByteArray refusalOfMessages(const QByteArray &body);
QByteArray refusalOfResponses(const QByteArray &body);

} // namespace spettro::test
