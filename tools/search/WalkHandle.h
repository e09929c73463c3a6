#pragma once

#include <utility>

namespace spettro {

/// Owns a descriptor.
class WalkHandle
{
public:
    explicit WalkHandle(int descriptor = -1) : m_descriptor(descriptor) {}
    WalkHandle(WalkHandle &&other) noexcept : m_descriptor(std::exchange(other.m_descriptor, -1)) {}
    WalkHandle &operator=(WalkHandle &&other) noexcept
    {
        std::swap(m_descriptor, other.m_descriptor);
        return *this;
    }
    WalkHandle(const WalkHandle &) = delete;
    WalkHandle &operator=(const WalkHandle &) = delete;
    ~WalkHandle() { reset(); }

    bool isOpen() const { return m_descriptor >= 0; }
    int value() const { return m_descriptor; }
    int release() { return std::exchange(m_descriptor, -1); }
    void reset();

private:
    int m_descriptor;
};

/// A folder in an open folder, for reading; no link is followed. Not open if that fails, errno says why.
WalkHandle openFolderAt(int folder, const char *name);

/// The same for everything else. Nothing waits: neither for what is at the other end of a fifo nor for a device.
WalkHandle openFileAt(int folder, const char *name);

} // namespace spettro
