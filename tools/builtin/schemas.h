#pragma once

#include "tools/Json.h"

#include <QByteArray>

namespace spettro {

/// `{"type": type, "description": description}`.
Json property(const char *type, const char *description);

/// The same for an integer that is at least `minimum`.
Json integerProperty(int minimum, const std::string &description);

/// The schema of an object with these properties and no others, of which some are required.
Json objectSchema(Json properties, std::initializer_list<const char *> required);

/// A text of an input; empty where it is absent.
QByteArray textOf(const Json &input, const char *field);

} // namespace spettro
