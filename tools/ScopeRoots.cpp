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

bool isBelow(QByteArrayView path, const ScopeRoot &root)
{
    return isBeneath({path.data(), static_cast<std::size_t>(path.size())},
                     {root.path.data(), static_cast<std::size_t>(root.path.size())});
}

} // namespace

ToolOutcome<ScopeRoots> ScopeRoots::create(const FrozenPolicy &policy)
{
    const unsigned everything = bitsOf(Grant::Write);
    const unsigned unconfined = policy.mode() == FileSystemMode::Off ? everything : 0;
    ScopeRoots roots;
    for (const Root &root : policy.roots()) {
        if (!isOnProc(*root.descriptor)) {
            roots.m_roots.push_back(scopeRoot(root, bitsOf(root.grant)));
        }
    }
    for (const std::string &path : {std::string("/"), policy.workspace()}) {
        const Result<Root> root = openRoot(path, Grant::Read, {}, LastLink::Refuse);
        if (!root) {
            return pathError("open", QByteArray::fromStdString(path), root.error().nativeCode);
        }
        roots.m_roots.push_back(scopeRoot(*root, unconfined));
    }
    for (ScopeRoot &root : roots.m_roots) {
        for (const ScopeRoot &above : roots.m_roots) {
            root.grants |= isBelow(root.path, above) && above.isDirectory ? above.own : 0;
        }
    }
    std::stable_sort(roots.m_roots.begin(), roots.m_roots.end(),
                     [](const ScopeRoot &a, const ScopeRoot &b) { return a.path.size() > b.path.size(); });
    return roots;
}

const ScopeRoot &ScopeRoots::nearest(QByteArrayView path) const
{
    return *std::find_if(m_roots.begin(), m_roots.end(),
                         [path](const ScopeRoot &root) { return root.isDirectory && isBelow(path, root); });
}

unsigned ScopeRoots::grantsAt(const FileIdentity &identity) const
{
    unsigned grants = 0;
    for (const ScopeRoot &root : m_roots) {
        grants |= root.identity == identity ? root.own : 0;
    }
    return grants;
}

QByteArray ScopeRoots::belowWritable(const QByteArray &path) const
{
    for (const ScopeRoot &root : m_roots) {
        if (root.isDirectory && (root.own & Write) != 0 && isBelow(path, root)) {
            return path.mid(root.path.size());
        }
    }
    return path;
}

} // namespace spettro
