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

bool isAtOrBelow(QByteArrayView path, QByteArrayView folder)
{
    return path.startsWith(folder)
           && (path.size() == folder.size() || folder.endsWith('/') || path[folder.size()] == '/');
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
    std::sort(roots.m_roots.begin(), roots.m_roots.end(),
              [](const ScopeRoot &a, const ScopeRoot &b) { return a.path.size() > b.path.size(); });
    for (ScopeRoot &root : roots.m_roots) {
        for (const ScopeRoot &above : roots.m_roots) {
            root.grants |= isAtOrBelow(root.path, above.path) ? above.own : 0;
        }
    }
    return roots;
}

void ScopeRoots::add(ScopeRoot root)
{
    const auto entry = std::find_if(m_roots.begin(), m_roots.end(),
                                    [&](const ScopeRoot &other) { return other.path == root.path; });
    if (entry == m_roots.end()) {
        m_roots.push_back(std::move(root));
        return;
    }
    root.own |= entry->own;
    *entry = std::move(root);
}

template<typename Predicate>
const ScopeRoot *ScopeRoots::nearestOf(QByteArrayView path, Predicate holds) const
{
    for (const ScopeRoot &root : m_roots) {
        if (root.isDirectory && isAtOrBelow(path, root.path) && holds(root)) {
            return &root;
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
    unsigned granted = 0;
    for (const ScopeRoot &root : m_roots) {
        granted |= root.identity == identity ? root.own : 0;
    }
    return granted;
}

QByteArray ScopeRoots::belowWritable(const QByteArray &path) const
{
    const ScopeRoot *root = nearestOf(path, [](const ScopeRoot &entry) { return (entry.own & Write) != 0; });
    return root != nullptr ? path.mid(root->path.size()) : path;
}

} // namespace spettro
