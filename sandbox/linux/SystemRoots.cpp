#include "sandbox/linux/SystemRoots.h"

#include "sandbox/linux/HostPath.h"
#include "sandbox/plan/SystemPaths.h"

#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <unistd.h>

#include <memory>

namespace spettro::sandbox {

namespace {

const Origin SystemOrigin{Origin::Kind::System, {}};

using Folder = std::unique_ptr<DIR, int (*)(DIR *)>;

Folder openFolder(const std::string &path)
{
    return {::opendir(path.c_str()), ::closedir};
}

bool isDots(std::string_view name)
{
    return name == "." || name == "..";
}

bool matches(const WithheldPath &withheld, const std::string &name)
{
    return ::fnmatch(std::string(withheld.name).c_str(), name.c_str(), 0) == 0;
}

/// Collects the roots; keeps the first error.
class SystemRoots
{
public:
    SystemRoots()
    {
        if (::geteuid() == 0) {
            m_withheld = withheldPaths();
        }
    }

    Result<std::vector<Root>> open()
    {
        for (const std::string_view path : systemReadPaths()) {
            grantReading(std::string(path));
        }
        grant("/dev", Grant::List, LastLink::Refuse);
        for (const std::string_view path : deviceNodes()) {
            grant(std::string(path), Grant::Device, LastLink::Follow); // /dev/ptmx may be a link to pts/ptmx
        }
        for (const std::string_view path : temporaryPaths()) {
            add(openRealRoot(std::string(path), Grant::Write, SystemOrigin));
        }
        if (m_error) {
            return *m_error;
        }
        return std::move(m_roots);
    }

private:
    void grantReading(const std::string &path)
    {
        if (containsWithheld(path)) {
            grantEntries(path);
        } else {
            grant(path, Grant::Read, LastLink::Refuse);
        }
    }

    void grantEntries(const std::string &folder)
    {
        const Folder entries = openFolder(folder);
        if (!entries) {
            return;
        }
        grant(folder, Grant::List, LastLink::Refuse);
        while (const dirent *entry = ::readdir(entries.get())) {
            if (!isDots(entry->d_name) && entry->d_type != DT_LNK && !isWithheld(folder, entry->d_name)) {
                grantReading(folder + '/' + entry->d_name);
            }
        }
    }

    /// A link is passed over: its target is granted under its own name, or is none of the system paths.
    void grant(const std::string &path, Grant kind, LastLink lastLink)
    {
        add(openRoot(path, kind, SystemOrigin, lastLink));
    }

    void add(Result<Root> root)
    {
        if (root) {
            m_roots.push_back(std::move(root).value());
        } else if (root.error().kind != ErrorKind::Usage && !m_error) {
            m_error = root.error();
        }
    }

    bool containsWithheld(const std::string &path) const
    {
        for (const WithheldPath &withheld : m_withheld) {
            if (isBeneath(withheld.folder, path)) {
                return true;
            }
        }
        return false;
    }

    bool isWithheld(const std::string &folder, const std::string &name) const
    {
        for (const WithheldPath &withheld : m_withheld) {
            if (withheld.folder == folder && matches(withheld, name)) {
                return true;
            }
        }
        return false;
    }

    std::span<const WithheldPath> m_withheld;
    std::vector<Root> m_roots;
    std::optional<Error> m_error;
};

} // namespace

Result<std::vector<Root>> openSystemRoots()
{
    return SystemRoots().open();
}

} // namespace spettro::sandbox
