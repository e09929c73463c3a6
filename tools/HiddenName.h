#pragma once

#include <QByteArray>

namespace spettro {

/// A name `.spettro-*` that nothing else has, for a file on its way in or out.
QByteArray freshHiddenName();

} // namespace spettro
