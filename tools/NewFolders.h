#pragma once

#include "sandbox/linux/Descriptor.h"

#include <QByteArray>
#include <QList>

#include <vector>

namespace spettro {

/// Folders made on the way to a new file: removed again unless they are kept.
class NewFolders
{
public:
    /// `base` belongs to the caller and has to outlive this.
    explicit NewFolders(int base) : m_base(base) {}
    ~NewFolders();
    NewFolders(const NewFolders &) = delete;
    NewFolders &operator=(const NewFolders &) = delete;

    /// Makes the folders, each below the one before. Returns 0 or the error number.
    int make(const QList<QByteArray> &names);

    /// The last folder that was made; `base` where there is none.
    int last() const { return m_made.empty() ? m_base : m_made.back().descriptor.number(); }

    void keep() { m_isKept = true; }

private:
    struct Folder
    {
        QByteArray name;
        sandbox::Descriptor descriptor;
        bool isNew = false;
    };

    int m_base = -1;
    std::vector<Folder> m_made;
    bool m_isKept = false;
};

} // namespace spettro
