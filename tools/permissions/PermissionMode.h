#pragma once

#include <QByteArray>
#include <QByteArrayView>

#include <optional>

namespace spettro {

/// What is asked where no rule decides.
enum class PermissionMode {
    AskFirst,   ///< Every change and every command.
    Restricted, ///< Changes outside the workspace and commands that do not only read.
    Yolo,       ///< Nothing; deny rules hold.
};

/// `ask-first`, `restricted`, `yolo`; anything else is no value.
std::optional<PermissionMode> parsePermissionMode(QByteArrayView text);
QByteArray toText(PermissionMode mode);

} // namespace spettro
