#include "app/agent/checkpoints/FileState.h"

#include <QCryptographicHash>

namespace spettro {

namespace {

constexpr qsizetype HashLength = 64;    // hexadecimal digits
constexpr mode_t PermissionBits = 0777; // set-id bits are never given back

std::optional<qint64> numberOf(const Json &json, const char *name)
{
    const auto found = json.find(name);
    if (found == json.end() || !found->is_number_unsigned()) {
        return std::nullopt;
    }
    const auto number = found->get<std::uint64_t>();
    constexpr std::uint64_t LargestSize = std::uint64_t{1} << 50;
    return number <= LargestSize ? std::optional(static_cast<qint64>(number)) : std::nullopt;
}

} // namespace

FileState FileState::of(const std::optional<QByteArray> &content, const std::optional<struct stat> &status)
{
    FileState state;
    if (content) {
        state.exists = true;
        state.sha256 = QCryptographicHash::hash(*content, QCryptographicHash::Sha256).toHex();
        state.size = content->size();
        state.mode = status ? status->st_mode & PermissionBits : 0;
    }
    return state;
}

Json toJson(const FileState &state)
{
    if (!state.exists) {
        return nullptr;
    }
    Json json = {{"sha256", state.sha256.toStdString()},
                 {"size", static_cast<std::uint64_t>(state.size)},
                 {"mode", static_cast<std::uint64_t>(state.mode)}};
    if (state.place) {
        json["place"] = static_cast<std::uint64_t>(*state.place);
    }
    return json;
}

std::optional<FileState> fileStateOf(const Json &json)
{
    FileState state;
    if (json.is_null()) {
        return state;
    }
    if (!json.is_object()) {
        return std::nullopt;
    }
    const auto sha256 = json.find("sha256");
    const std::optional<qint64> size = numberOf(json, "size");
    const std::optional<qint64> mode = numberOf(json, "mode");
    if (sha256 == json.end() || !sha256->is_string() || !size || !mode) {
        return std::nullopt;
    }
    state.exists = true;
    state.sha256 = QByteArray::fromStdString(sha256->get<std::string>());
    state.size = *size;
    state.mode = static_cast<mode_t>(*mode) & PermissionBits;
    state.place = numberOf(json, "place");
    return state.sha256.size() == HashLength ? std::optional(state) : std::nullopt;
}

} // namespace spettro
