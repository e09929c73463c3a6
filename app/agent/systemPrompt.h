#pragma once

#include <QByteArray>

namespace spettro {

/// What a model is told before everything else: how to work, and where it is. `workspace` is the project folder's path.
QByteArray systemPrompt(const QByteArray &workspace);

} // namespace spettro
