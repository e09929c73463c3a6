#include "tools/ScopeRoots.h"

#include "sandbox/linux/HostPath.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>

namespace spettro {

using namespace sandbox;

namespace {

unsigned bitsOf(Grant grant)
{
    switch (grant) {
    case Grant::Read:
        return ScopeRoots::Read | ScopeRoots::List;
    case Grant::List:
        return ScopeRoots::List;
    case Grant::Write:
        return ScopeRoots::Read | ScopeRoots::List | ScopeRoots::Write;
    case Grant::Device:
        return 0; // no file tool works on a device
    }
    return 0;
}

bool isOnProc(int descriptor)
{
    struct statfs status;
    return ::fstatfs(descriptor, &status) == 0 && status.f_type == PROC_SUPER_MAGIC;
}

ScopeRoot scopeRoot(const Root &root, unsigned own)
{
    return {QByteArray::fromStdString(root.path),
            root.descriptor,
            {static_cast<dev_t>(root.device), static_cast<ino_t>(root.inode)},
            own,
            own,
            root.isDirectory};
}

/// The folder above; empty for "/".
QByteArrayView parentOf(QByteArrayView path)
{
    const qsizetype slash = path.lastIndexOf('/');
    return slash == 0 && path.size() > 1 ? QByteArrayView("/") : path.first(std::max<qsizetype>(slash, 0));
}

} // namespace

ToolOutcome<ScopeRoots> ScopeRoots::create(const FrozenPolicy &policy)
{
    const unsigned unconfined = policy.mode() == FileSystemMode::Off ? bitsOf(Grant::Write) : 0;
    ScopeRoots roots;
    for (const Root &root : policy.roots()) {
        if (!isOnProc(*root.descriptor)) {
            roots.add(scopeRoot(root, bitsOf(root.grant)));
        }
    }
    for (const std::string &path : {std::string("/"), policy.workspace()}) {
        const Result<Root> root = openRoot(path, Grant::Read, {}, LastLink::Refuse);
        if (!root) {
            return pathError("open", QByteArray::fromStdString(path), root.error().nativeCode);
        }
        roots.add(scopeRoot(*root, unconfined));
    }
    for (ScopeRoot &root : roots.m_byPath) {
        for (QByteArrayView above = root.path; !above.isEmpty(); above = parentOf(above)) {
            root.grants |= roots.m_byPath.value(above.toByteArray()).own;
        }
    }
    return roots;
}

void ScopeRoots::add(const ScopeRoot &root)
{
    m_ownByIdentity[root.identity] |= root.own;
    ScopeRoot &entry = m_byPath[root.path];
    const unsigned own = entry.own | root.own;
    entry = root;
    entry.own = own;
}

template<typename Predicate>
const ScopeRoot *ScopeRoots::nearestOf(QByteArrayView path, Predicate holds) const
{
    for (; !path.isEmpty(); path = parentOf(path)) {
        const auto entry = m_byPath.constFind(QByteArray::fromRawData(path.data(), path.size()));
        if (entry != m_byPath.constEnd() && entry->isDirectory && holds(*entry)) {
            return &*entry;
        }
    }
    return nullptr;
}

const ScopeRoot &ScopeRoots::nearest(QByteArrayView path) const
{
    return *nearestOf(path, [](const ScopeRoot &) { return true; });
}

unsigned ScopeRoots::grantsAt(const FileIdentity &identity) const
{
    return m_ownByIdentity.value(identity);
}

QByteArray ScopeRoots::belowWritable(const QByteArray &path) const
{
    const ScopeRoot *root = nearestOf(path, [](const ScopeRoot &entry) { return (entry.own & Write) != 0; });
    return root != nullptr ? path.mid(root->path.size()) : path;
}

} // namespace spettro
