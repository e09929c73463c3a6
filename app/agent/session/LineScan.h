#pragma once

#include "app/agent/session/LineLog.h"

namespace spettro {

/// Where the last whole line of a file of `size` bytes ends: behind its newline, 0 where there is none.
sandbox::Result<qint64, int> endOfLastLine(int file, qint64 size);

/// Reads the lines up to `end` in pieces; a line that is too long to be a record is passed over without being kept. Adds to
/// `findings`. Returns 0 or the error number.
int scanLines(int file, qint64 end, const RecordVisitor &visit, LogFindings *findings);

} // namespace spettro
