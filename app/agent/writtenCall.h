#pragma once

#include <QByteArray>
#include <QList>

namespace spettro {

/// Whether an answer is a call of a tool that was written as text, as models do that were not told of tools in the way they
/// were taught: `<tool_call>`, `<function=...>`, `[TOOL_CALLS]`, or nothing but JSON with the name of one of `tools`.
bool isWrittenCall(const QByteArray &text, const QList<QByteArray> &tools);

} // namespace spettro
