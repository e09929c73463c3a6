#pragma once

#include <QByteArray>
#include <QByteArrayView>

namespace spettro {

/// Makes a stream of bytes that others wrote into text for a model, a history and a request: valid UTF-8, no
/// control characters but tab and LF, no terminal sequences. The chunks may be cut anywhere.
///
/// - A broken part (cut characters, overlong forms, surrogates, lone bytes) and a noncharacter become one
///   U+FFFD each.
/// - Terminal sequences are left out; one that is not ended within its bound is text like any other.
/// - Other control characters become codes: `\x1b` for C0 and DEL, `\u009b` for C1.
/// - A run of CRs, with the LF behind it if there is one, becomes one LF: CRLF text reads as LF, and each
///   state of a progress bar is a line.
class SafeTextDecoder
{
public:
    /// The text that these bytes make together with those kept from before.
    QByteArray feed(QByteArrayView bytes);

    /// What is left: a cut character or an unended sequence. The decoder is then as new.
    QByteArray finish();

private:
    enum class State {
        Text,
        Escape,       ///< Behind ESC.
        Intermediate, ///< ESC and bytes 0x20 to 0x2F.
        Csi,          ///< ESC [
        String,       ///< ESC ] (OSC) and the other strings (DCS, SOS, PM, APC).
        StringEscape, ///< An ESC in such a string, perhaps the first half of its end.
    };

    void decode(QByteArrayView bytes, QByteArray &out);
    qsizetype decodeText(QByteArrayView bytes, QByteArray &out);
    qsizetype completeCharacter(QByteArrayView bytes, QByteArray &out);
    bool continueSequence(char byte, QByteArray &out);
    void startSequence();
    void endSequence();
    void showSequence(QByteArray &out);

    State m_state = State::Text;
    QByteArray m_sequence;  ///< The unended sequence, for the case that it turns out to be text.
    QByteArray m_character; ///< The beginning of a character, at most three bytes.
    bool m_isAfterCr = false;
};

/// `SafeTextDecoder` for a whole text.
QByteArray safeText(QByteArrayView bytes);

/// For approvals and names, where nothing may hide or pretend: everything without a picture of its own
/// becomes a code. That is `\x0a` for control characters (tab and LF too), `\u202e` for characters that are
/// invisible, change the direction or look like a blank, `\U000e0001` for such above U+FFFF, `\xff` for bytes
/// that are no UTF-8. Nothing is left out; backslashes stay as they are.
QByteArray visibleText(QByteArrayView bytes);

} // namespace spettro
