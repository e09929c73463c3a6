#include "app/keys/KeyStore.h"

namespace spettro {

using namespace sandbox;
using namespace std::chrono_literals;

namespace {

constexpr auto PatienceWithAPerson = 60s; // who has to type a password first
constexpr auto PatienceAlone = 3s;

} // namespace

KeyStore::KeyStore(const QByteArray &stateFolder, Attendance attendance)
    : m_files(stateFolder),
      m_keyring(attendance == Attendance::Person ? std::chrono::milliseconds(PatienceWithAPerson)
                                                 : std::chrono::milliseconds(PatienceAlone))
{}

Result<FoundKey> KeyStore::find(const QByteArray &name) const
{
    FoundKey found;
    if (Keyring::hasSession()) {
        Result<std::optional<QByteArray>> key = m_keyring.read(name);
        if (key && *key) {
            found.key = std::move(key).value();
            return found;
        }
        found.trouble = key ? "" : key.error().message;
    }
    Result<std::optional<QByteArray>> key = m_files.read(name);
    if (!key) {
        return key.error();
    }
    found.key = std::move(key).value();
    return found;
}

Result<KeptKey> KeyStore::keep(const QByteArray &name, const QByteArray &key, KeyPlace place) const
{
    KeptKey kept;
    if (place == KeyPlace::Desktop) {
        const Result<bool> written = m_keyring.write(name, key);
        if (written) {
            kept.place = "the desktop's key store, as spettro/" + name;
            const Result<bool> removed = m_files.remove(name);
            kept.trouble = removed ? "" : removed.error().message;
            return kept;
        }
        kept.trouble = written.error().message;
    }
    const Result<bool> written = m_files.write(name, key);
    if (!written) {
        return written.error();
    }
    kept.place = m_files.pathOf(name);
    if (Keyring::hasSession()) {
        const Result<bool> removed = m_keyring.remove(name); // it would be found first
        if (!removed && place == KeyPlace::File) {
            kept.trouble = removed.error().message;
        }
    }
    return kept;
}

Result<ForgottenKey> KeyStore::forget(const QByteArray &name) const
{
    const Result<bool> file = m_files.remove(name);
    if (!file) {
        return file.error();
    }
    ForgottenKey forgotten{*file, {}};
    if (Keyring::hasSession()) {
        const Result<bool> entry = m_keyring.remove(name);
        forgotten.wasThere = *file || (entry && *entry);
        forgotten.trouble = entry ? "" : entry.error().message;
    }
    return forgotten;
}

} // namespace spettro
