#pragma once

#include "sandbox/policy/Result.h"

#include <QByteArray>

namespace spettro {

/// Reads a secret: one line from the terminal, which does not show it, where standard input is one (and is as before however this ends:
/// a signal that ends or stops the process finds it so); else all of standard input, at most 16 KiB. `prompt` is for a person only.
sandbox::Result<QByteArray> readSecret(const QByteArray &prompt);

} // namespace spettro
