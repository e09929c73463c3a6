#pragma once

#include "app/keys/KeyFiles.h"
#include "app/keys/Keyring.h"

#include <string>

namespace spettro {

/// Whether somebody may be there to unlock the desktop's key store.
enum class Attendance { Person, Nobody };

/// Where a key is to be kept.
enum class KeyPlace {
    Desktop, ///< The desktop's key store; a file where there is none.
    File,
};

/// What looking for a key gave.
struct FoundKey
{
    std::optional<QByteArray> key;
    std::string
        trouble; ///< Why a place could not be looked into though there may be a key; empty where all could.
};

/// What became of a key that was to be kept.
struct KeptKey
{
    QByteArray place; ///< For a person.
    std::string
        trouble; ///< Why it is not where it was wanted, or what could not be tidied; empty where all is well.
};

/// What became of a key that was to be removed.
struct ForgottenKey
{
    bool wasThere = false;
    std::string trouble; ///< Why a place could not be looked into; empty where all could.
};

/// The keys that the operator has given to Spettro: in the desktop's key store, else in files. Names are those of `storedName`. A key
/// is kept in one of both places only.
class KeyStore
{
public:
    /// `stateFolder`: `~/.spettro`.
    KeyStore(const QByteArray &stateFolder, Attendance attendance);

    /// Looks into the desktop's key store, then at the file. An error where a file must not be believed.
    sandbox::Result<FoundKey> find(const QByteArray &name) const;

    sandbox::Result<KeptKey> keep(const QByteArray &name, const QByteArray &key, KeyPlace place) const;

    /// Removes it from both places.
    sandbox::Result<ForgottenKey> forget(const QByteArray &name) const;

private:
    KeyFiles m_files;
    Keyring m_keyring;
};

} // namespace spettro
