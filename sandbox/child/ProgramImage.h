#pragma once

#include "sandbox/linux/Descriptor.h"
#include "sandbox/policy/Result.h"

#include <memory>
#include <string>

namespace spettro::sandbox {

/// A program in sealed memory: what is started from it stays what it was when it was loaded, whatever becomes of its
/// file. (A workspace may well hold the folder that Spettro was built in.) Copies share the memory.
class ProgramImage
{
public:
    /// Copies a program into memory. A file that cannot be read and a system that does not execute from memory
    /// (`vm.memfd_noexec`) are errors of kind Unenforceable.
    static Result<ProgramImage> load(const std::string &path);

    /// The path by which this process, or a child before its execve(2), can start the program.
    std::string path() const;

private:
    explicit ProgramImage(Descriptor file) : m_file(std::make_shared<const Descriptor>(std::move(file))) {}

    std::shared_ptr<const Descriptor> m_file;
};

} // namespace spettro::sandbox
