#pragma once

#include "tools/ToolResult.h"

namespace spettro {

/// Reads the JSON object that a model sent as the input of a tool. Broken JSON, a doubled key, a value that is no object
/// and text that is not Unicode are errors.
ToolOutcome<Json> parseInput(QByteArrayView text);

/// Checks an input against a tool's schema: an object whose `properties` have `type` (`string`, `integer`, `boolean`,
/// `array` with `items`, `object`), `minimum` and `enum`, integers of 32 bits, with `required` and without other fields. The error names the
/// field. A NUL byte is only taken in the fields named in `rawFields`: everywhere else a program would cut it off.
ToolOutcome<bool> checkInput(const Json &input, const Json &schema, const QList<QByteArray> &rawFields);

} // namespace spettro
