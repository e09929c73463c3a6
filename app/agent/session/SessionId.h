#pragma once

#include <QByteArray>

namespace spettro {

/// A new name `YYYYMMDD-HHMMSS-UUUUUU-RRRRRR`: the time in UTC to the microsecond, so that names sort by it, and random
/// characters against two of the same moment.
QByteArray freshSessionId();

/// Whether a text has the form of such a name, and so cannot lead to another folder.
bool isSessionId(QByteArrayView text);

} // namespace spettro
