#pragma once

#include "tools/Json.h"

#include <QByteArray>

namespace spettro {

/// A session as Markdown for people, one record after the other. What the model and commands wrote cannot end the block that it
/// stands in, and cannot move a terminal. Reasoning that a server keeps to itself is not shown.
/// Returns the text for one record; empty for those that only matter to Spettro.
QByteArray sessionMarkdown(const Json &record);

} // namespace spettro
