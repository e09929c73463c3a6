#pragma once

namespace spettro {

/// How `spettro-keyring` ends. Where it failed, standard error has the reason in the desktop's words.
enum KeyringAnswer { KeyringDone = 0, KeyringHasNone = 1, KeyringFailed = 2 };

} // namespace spettro
