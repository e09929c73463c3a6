#pragma once

#include <QByteArray>

#include <optional>

namespace spettro {

/// The shells that run command lines, by absolute path: looked up in the system's folders and never in PATH, which may
/// name folders that commands can write. Nothing where the system has none.
std::optional<QByteArray> shProgram();
std::optional<QByteArray> bashProgram();

} // namespace spettro
