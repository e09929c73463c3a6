#include "sandbox/child/StageRequest.h"

#include "sandbox/linux/SystemError.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace spettro::sandbox {

namespace {

constexpr int Seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
constexpr std::uint32_t Magic = 0x53505432; // "SPT2": the layout below

/// Appends values in a fixed order; `Reader` takes them back in the same.
class Writer
{
public:
    template<typename T>
    void put(T value)
    {
        static_assert(std::is_trivially_copyable_v<T>);
        m_bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
    }

    void put(const std::vector<std::string> &texts)
    {
        put(static_cast<std::uint64_t>(texts.size()));
        for (const std::string &text : texts) {
            put(static_cast<std::uint64_t>(text.size()));
            m_bytes.append(text);
        }
    }

    const std::string &bytes() const { return m_bytes; }

private:
    std::string m_bytes;
};

class Reader
{
public:
    explicit Reader(std::string bytes) : m_bytes(std::move(bytes)) {}

    template<typename T>
    T take()
    {
        T value{};
        if (const char *from = advance(sizeof value)) {
            std::memcpy(&value, from, sizeof value);
        }
        return value;
    }

    std::vector<std::string> takeTexts()
    {
        std::vector<std::string> texts;
        for (std::uint64_t left = take<std::uint64_t>(); left > 0 && m_whole; --left) {
            const std::uint64_t size = take<std::uint64_t>();
            if (const char *from = advance(size)) {
                texts.emplace_back(from, size);
            }
        }
        return texts;
    }

    bool isAtEnd() const { return m_whole && m_position == m_bytes.size(); }
    bool isWhole() const { return m_whole; }

private:
    const char *advance(std::uint64_t size)
    {
        if (size > m_bytes.size() - m_position) {
            m_whole = false;
            return nullptr;
        }
        const char *from = m_bytes.data() + m_position;
        m_position += size;
        return from;
    }

    std::string m_bytes;
    std::size_t m_position = 0;
    bool m_whole = true;
};

std::string encode(const StageRequest &request)
{
    Writer writer;
    writer.put(Magic);
    writer.put(request.arguments);
    writer.put(request.environment);
    writer.put(request.workingDirectory);
    writer.put(static_cast<std::int64_t>(request.timeout.count()));
    writer.put(static_cast<std::uint8_t>(request.confined));
    writer.put(request.ruleset);
    writer.put(request.reportPipe);
    writer.put(request.parent);
    writer.put(static_cast<std::uint64_t>(request.filter.size()));
    for (const BpfInstruction &instruction : request.filter) {
        writer.put(instruction);
    }
    return writer.bytes();
}

Error requestError(const char *subject, int number)
{
    return systemError(ErrorKind::Unenforceable, std::string("stage request: ") + subject, number);
}

Result<std::string> readAll(int descriptor)
{
    struct stat status;
    if (::fstat(descriptor, &status) != 0) {
        return requestError("fstat", errno);
    }
    std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
    const ssize_t count = ::pread(descriptor, bytes.data(), bytes.size(), 0);
    if (count != status.st_size) {
        return requestError("pread", count < 0 ? errno : EIO);
    }
    return bytes;
}

} // namespace

StageRequest makeStageRequest(const CompiledPolicy &policy, std::vector<std::string> arguments,
                              std::vector<std::string> environment)
{
    StageRequest request;
    request.arguments = std::move(arguments);
    request.environment = std::move(environment);
    request.workingDirectory = policy.policy().workspaceDescriptor();
    request.confined = policy.policy().isConfined();
    request.ruleset = policy.ruleset();
    request.filter = policy.filter();
    return request;
}

Result<Descriptor> packStageRequest(const StageRequest &request)
{
    const std::string bytes = encode(request);
    Descriptor file(::memfd_create("spettro", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!file) {
        return requestError("memfd_create", errno);
    }
    if (::pwrite(file.number(), bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
        return requestError("pwrite", errno);
    }
    if (::fcntl(file.number(), F_ADD_SEALS, Seals) != 0) {
        return requestError("fcntl F_ADD_SEALS", errno);
    }
    return file;
}

Result<StageRequest> unpackStageRequest(int descriptor)
{
    const int seals = ::fcntl(descriptor, F_GET_SEALS);
    if (seals < 0 || (seals & Seals) != Seals) {
        return requestError("not a sealed memory file", seals < 0 ? errno : EPERM);
    }
    Result<std::string> bytes = readAll(descriptor);
    if (!bytes) {
        return bytes.error();
    }
    Reader reader(std::move(bytes).value());
    const bool known = reader.take<std::uint32_t>() == Magic;
    StageRequest request;
    request.arguments = reader.takeTexts();
    request.environment = reader.takeTexts();
    request.workingDirectory = reader.take<int>();
    request.timeout = std::chrono::milliseconds(reader.take<std::int64_t>());
    request.confined = reader.take<std::uint8_t>() != 0;
    request.ruleset = reader.take<int>();
    request.reportPipe = reader.take<int>();
    request.parent = reader.take<pid_t>();
    for (std::uint64_t left = reader.take<std::uint64_t>(); left > 0 && reader.isWhole(); --left) {
        request.filter.push_back(reader.take<BpfInstruction>());
    }
    if (!known || !reader.isAtEnd() || request.arguments.empty()
        || request.confined == request.filter.empty()) {
        return requestError("incomplete", EBADMSG);
    }
    return request;
}

} // namespace spettro::sandbox
