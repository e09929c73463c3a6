#include "tests/support/TinyDisk.h"

#include "tests/support/Fixture.h"

#include <QFile>

#include <sys/mount.h>

#include <cerrno>
#include <cstring>

namespace spettro::test {

TinyDisk::TinyDisk(qint64 bytes) : m_fixture(std::make_unique<Fixture>())
{
    if (!isRoot()) {
        m_reason = "only root can mount a small file system: see the entry without .user";
        return;
    }
    const QByteArray options = "mode=0700,size=" + QByteArray::number(bytes);
    if (::mount("tmpfs", QFile::encodeName(path()).constData(), "tmpfs", MS_NOSUID | MS_NODEV,
                options.constData())
        != 0) {
        m_reason = QByteArray("this host lets nobody mount: ") + std::strerror(errno);
    }
}

TinyDisk::~TinyDisk()
{
    if (isValid()) {
        ::umount2(QFile::encodeName(path()).constData(), MNT_DETACH);
    }
}

QString TinyDisk::path() const
{
    return m_fixture->workspace();
}

void TinyDisk::fill() const
{
    QFile filling(path() + "/filling");
    if (!filling.open(QIODevice::WriteOnly | QIODevice::Unbuffered)) {
        qFatal("%s", qPrintable(filling.errorString()));
    }
    const QByteArray piece(4096, 'f');
    while (filling.write(piece) == piece.size()) {
    }
}

void TinyDisk::free() const
{
    QFile::remove(path() + "/filling");
}

} // namespace spettro::test
