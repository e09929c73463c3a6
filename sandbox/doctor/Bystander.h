#pragma once

#include "sandbox/linux/Descriptor.h"

#include <sys/types.h>

#include <csignal>
#include <optional>
#include <string>

namespace spettro::sandbox {

/// A process outside the sandbox that does nothing but hold a secret in its environment. It ends with its
/// owner.
class Bystander
{
public:
    /// Starts `program` as one (act `stand-by`), with the signal mask that processes are to have. Nothing
    /// where that fails.
    static std::optional<Bystander> start(const std::string &program, const std::string &secret,
                                          const sigset_t &mask);

    Bystander(Bystander &&other) noexcept;
    Bystander &operator=(Bystander &&) = delete;
    ~Bystander();

    pid_t process() const { return m_process; }

    /// Where the secret lies in its memory, as a decimal number.
    const std::string &secretAddress() const { return m_secretAddress; }

    /// Whether it has ended; waits a moment for that.
    bool hasDied() const;

private:
    Bystander(pid_t process, Descriptor handle) : m_process(process), m_handle(std::move(handle)) {}

    pid_t m_process;
    Descriptor m_handle;
    std::string m_secretAddress;
};

} // namespace spettro::sandbox
