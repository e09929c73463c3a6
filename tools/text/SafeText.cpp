#include "tools/text/SafeText.h"

#include "tools/text/Utf8.h"
#include "tools/text/VisibleCode.h"

#include <array>

namespace spettro {

namespace {

constexpr char Escape = '\x1b';
constexpr char Bell = '\x07';
constexpr QByteArrayView ReplacementMark("\xEF\xBF\xBD", 3);

// So that a sequence without an end cannot swallow the output.
constexpr qsizetype LongestCsi = 256;
constexpr qsizetype LongestString = 4096;
constexpr qsizetype LongestIntermediate = 8;

constexpr std::array<bool, 256> makePlainTable()
{
    std::array<bool, 256> table{};
    for (std::size_t byte = 0x20; byte < 0x7F; ++byte) {
        table[byte] = true;
    }
    table['\t'] = true;
    table['\n'] = true;
    return table;
}

constexpr std::array<bool, 256> IsPlain = makePlainTable();

qsizetype plainLength(QByteArrayView bytes)
{
    qsizetype length = 0;
    while (length < bytes.size() && IsPlain[static_cast<quint8>(bytes[length])]) {
        ++length;
    }
    return length;
}

bool isBetween(char byte, char first, char last)
{
    return byte >= first && byte <= last;
}

void appendCharacter(QByteArray &out, char32_t character, QByteArrayView bytes)
{
    if (isNonCharacter(character)) {
        out.append(ReplacementMark);
    } else if (character < 0x20 || (character >= 0x7F && character < 0xA0)) {
        appendVisibleCode(out, character);
    } else {
        out.append(bytes);
    }
}

} // namespace

QByteArray SafeTextDecoder::feed(QByteArrayView bytes)
{
    QByteArray out;
    out.reserve(bytes.size() + bytes.size() / 16);
    decode(bytes, out);
    return out;
}

QByteArray SafeTextDecoder::finish()
{
    QByteArray out;
    while (m_state != State::Text) {
        showSequence(out);
    }
    if (!m_character.isEmpty()) {
        out.append(ReplacementMark);
    }
    *this = SafeTextDecoder();
    return out;
}

void SafeTextDecoder::decode(QByteArrayView bytes, QByteArray &out)
{
    while (!bytes.isEmpty()) {
        if (m_state == State::Text) {
            bytes = bytes.sliced(decodeText(bytes, out));
        } else if (continueSequence(bytes[0], out)) {
            bytes = bytes.sliced(1);
        }
    }
}

/// Decodes up to the end or to behind an ESC; returns how many bytes that were.
qsizetype SafeTextDecoder::decodeText(QByteArrayView bytes, QByteArray &out)
{
    qsizetype at = completeCharacter(bytes, out);
    while (at < bytes.size()) {
        const char byte = bytes[at];
        if (byte == Escape) {
            startSequence();
            return at + 1;
        }
        if (byte == '\r') {
            out.append(m_isAfterCr ? QByteArrayView() : QByteArrayView("\n"));
            m_isAfterCr = true;
            ++at;
            continue;
        }
        if (m_isAfterCr) {
            m_isAfterCr = false;
            at += byte == '\n' ? 1 : 0;
        }
        const qsizetype plain = plainLength(bytes.sliced(at));
        out.append(bytes.sliced(at, plain));
        at += plain;
        // A run of others, so that texts without ASCII do not come by here for each character.
        while (at < bytes.size() && !IsPlain[static_cast<quint8>(bytes[at])] && bytes[at] != Escape
               && bytes[at] != '\r') {
            const Utf8Character character = firstUtf8Character(bytes.sliced(at));
            if (character.kind == Utf8Character::Kind::Incomplete) {
                m_character = bytes.sliced(at).toByteArray();
                return bytes.size();
            }
            if (character.kind == Utf8Character::Kind::Broken) {
                out.append(ReplacementMark);
            } else {
                appendCharacter(out, character.value, bytes.sliced(at, character.length));
            }
            at += character.length;
        }
    }
    return at;
}

/// Ends the character that an earlier chunk began, as far as these bytes do; returns how many were used.
qsizetype SafeTextDecoder::completeCharacter(QByteArrayView bytes, QByteArray &out)
{
    qsizetype used = 0;
    while (!m_character.isEmpty() && used < bytes.size()) {
        m_character.append(bytes[used]);
        const Utf8Character character = firstUtf8Character(m_character);
        if (character.kind == Utf8Character::Kind::Broken) {
            out.append(ReplacementMark);
            m_character.clear();
            return used; // This byte is not part of it.
        }
        ++used;
        if (character.kind == Utf8Character::Kind::Valid) {
            appendCharacter(out, character.value, m_character);
            m_character.clear();
        }
    }
    return used;
}

void SafeTextDecoder::startSequence()
{
    m_state = State::Escape;
    m_isAfterCr = false;
}

void SafeTextDecoder::endSequence()
{
    m_state = State::Text;
    m_sequence.clear();
}

/// What was taken for a sequence is text. Only an ESC at its very end begins another one.
void SafeTextDecoder::showSequence(QByteArray &out)
{
    QByteArray text = m_sequence;
    if (m_state == State::StringEscape) {
        text.append(Escape);
    }
    endSequence();
    appendVisibleCode(out, U'\x1b');
    decodeText(text, out);
}

/// Returns whether the byte was used; if not, it is the next one for the new state.
bool SafeTextDecoder::continueSequence(char byte, QByteArray &out)
{
    switch (m_state) {
    case State::Text:
        return false;
    case State::Escape:
        if (isBetween(byte, 0x20, 0x2F)) {
            m_state = State::Intermediate;
        } else if (byte == '[') {
            m_state = State::Csi;
        } else if (QByteArrayView("]PX^_").contains(byte)) {
            m_state = State::String;
        } else if (isBetween(byte, 0x30, 0x7E)) {
            endSequence();
            return true;
        } else {
            showSequence(out);
            return false;
        }
        break;
    case State::Intermediate:
    case State::Csi: {
        const bool isCsi = m_state == State::Csi;
        if (isBetween(byte, isCsi ? 0x40 : 0x30, 0x7E)) {
            endSequence();
            return true;
        }
        const bool isLong = m_sequence.size() >= (isCsi ? LongestCsi : LongestIntermediate);
        if (isLong || !isBetween(byte, 0x20, isCsi ? 0x3F : 0x2F)) {
            showSequence(out);
            return false;
        }
        break;
    }
    case State::String:
        if (byte == Bell) {
            endSequence();
            return true;
        }
        if (byte == Escape) {
            m_state = State::StringEscape;
            return true;
        }
        if (m_sequence.size() >= LongestString || isBetween(byte, 0x00, 0x1F)) {
            showSequence(out);
            return false;
        }
        break;
    case State::StringEscape:
        if (byte == '\\') {
            endSequence();
            return true;
        }
        showSequence(out);
        return false;
    }
    m_sequence.append(byte);
    return true;
}

QByteArray safeText(QByteArrayView bytes)
{
    SafeTextDecoder decoder;
    QByteArray out = decoder.feed(bytes);
    return out.append(decoder.finish());
}

} // namespace spettro
