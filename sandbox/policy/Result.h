#pragma once

#include <string>
#include <utility>
#include <variant>

namespace spettro::sandbox {

/// What a failure means for the person who started Spettro; it decides the exit code.
enum class ErrorKind {
    Usage,         ///< A flag, a path or a manifest is wrong: exit 2, nothing was started.
    Unenforceable, ///< The policy cannot be kept on this host: exit 126, nothing was run.
};

/// Why something could not be done, in words for the operator (never for the model).
struct Error
{
    ErrorKind kind = ErrorKind::Usage;
    std::string message;
    int nativeCode = 0; ///< The operating system's error number, 0 where there is none.

    bool operator==(const Error &) const = default;
};

/// A value or the reason why there is none, in the shape of `std::expected`.
template<typename T, typename E = Error>
class [[nodiscard]] Result
{
public:
    Result(T value) : m_content(std::in_place_index<0>, std::move(value)) {}
    Result(E error) : m_content(std::in_place_index<1>, std::move(error)) {}

    explicit operator bool() const { return m_content.index() == 0; }

    /// The value; may only be asked for when the result holds one.
    const T &value() const & { return std::get<0>(m_content); }
    T &value() & { return std::get<0>(m_content); }
    T &&value() && { return std::get<0>(std::move(m_content)); }
    const T *operator->() const { return &value(); }
    const T &operator*() const { return value(); }

    /// The error; may only be asked for when the result holds no value.
    const E &error() const { return std::get<1>(m_content); }

private:
    std::variant<T, E> m_content;
};

} // namespace spettro::sandbox
