#include "tools/HiddenName.h"

#include <QRandomGenerator>

namespace spettro {

QByteArray freshHiddenName()
{
    return ".spettro-" + QByteArray::number(QRandomGenerator::system()->generate64(), 36);
}

} // namespace spettro
