// Bytes that programs wrote, made into text that is safe in a request, a history and a prompt.

#include "tools/text/SafeText.h"
#include "tools/text/Utf8.h"

#include <QStringDecoder>
#include <QTest>

#include <random>

using namespace spettro;

namespace {

constexpr unsigned Seed = 20261130;
constexpr const char *Mark = "\xEF\xBF\xBD";

template<std::size_t Size>
QByteArray bytes(const char (&text)[Size])
{
    return {text, static_cast<qsizetype>(Size - 1)};
}

/// The characters of a text, by a reading of the encoding of its own; nothing if it is not valid.
std::optional<std::u32string> charactersOf(const QByteArray &text)
{
    std::u32string out;
    for (qsizetype i = 0; i < text.size();) {
        const auto at = [&text](qsizetype index) {
            return index < text.size() ? quint8(text.at(index)) : quint8(0);
        };
        const quint8 lead = at(i);
        const int more = lead < 0x80   ? 0
                         : lead < 0xC0 ? -1
                         : lead < 0xE0 ? 1
                         : lead < 0xF0 ? 2
                         : lead < 0xF8 ? 3
                                       : -1;
        if (more < 0)
            return std::nullopt;
        char32_t value = more == 0 ? lead : lead & (0x3FU >> more);
        for (int j = 1; j <= more; ++j) {
            if ((at(i + j) & 0xC0U) != 0x80)
                return std::nullopt;
            value = value * 64 + (at(i + j) & 0x3FU);
        }
        constexpr char32_t Smallest[] = {0, 0x80, 0x800, 0x10000};
        if (value < Smallest[more] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))
            return std::nullopt;
        out += value;
        i += more + 1;
    }
    return out;
}

/// Why this must not reach a model; empty when it may.
QByteArray judge(const QByteArray &text)
{
    const auto characters = charactersOf(text);
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    const QString decoded = decoder(text);
    if (!characters || decoder.hasError() || !decoded.isValidUtf16())
        return "not valid UTF-8";
    for (const char32_t character : *characters) {
        const bool isControl = (character < 0x20 && character != '\t' && character != '\n')
                               || (character >= 0x7F && character < 0xA0);
        if (isControl || (character & 0xFFFEU) == 0xFFFE || (character >= 0xFDD0 && character <= 0xFDEF))
            return "U+" + QByteArray::number(uint(character), 16);
    }
    return {};
}

QByteArray inChunks(const QByteArray &text, std::mt19937 &random, std::size_t longest)
{
    SafeTextDecoder decoder;
    QByteArray out;
    for (qsizetype at = 0; at < text.size();) {
        const auto size = std::min(static_cast<qsizetype>(1 + random() % longest), text.size() - at);
        out += decoder.feed(QByteArrayView(text).sliced(at, size));
        at += size;
    }
    return out + decoder.finish();
}

/// Bytes of the kinds that the decoder tells apart.
QByteArray randomBytes(std::mt19937 &random, std::size_t longest)
{
    static const QByteArrayList parts{"a",
                                      "\x1B",
                                      "\x1B[",
                                      "[",
                                      "]",
                                      "0;",
                                      "\x1B]",
                                      "\x07",
                                      "\\",
                                      "\x1B\\",
                                      "m",
                                      "\r",
                                      "\n",
                                      "\t",
                                      "\x7F",
                                      "\x1BP",
                                      "\x18",
                                      "\xC3",
                                      "\xA9",
                                      "\xE2",
                                      "\x89",
                                      "\xA4",
                                      "\xF0\x9F",
                                      "\x99\x82",
                                      "\xED\xA0",
                                      "\x80",
                                      "\xC0",
                                      "\xF4",
                                      "\xEF\xBF",
                                      "\xBE",
                                      "(",
                                      "B",
                                      " ",
                                      "\xC2\x85",
                                      "\xE2\x80\xA8",
                                      QByteArray(1, '\0')};
    QByteArray out;
    for (std::size_t i = random() % (longest + 1); i > 0; --i) {
        if (random() % 4 == 0)
            out += static_cast<char>(random() % 256);
        else
            out += parts.at(static_cast<qsizetype>(random() % static_cast<std::size_t>(parts.size())));
    }
    return out;
}

} // namespace

class tst_SafeText : public QObject
{
    Q_OBJECT

private slots:
    void decodes_data();
    void decodes();
    void keepsCharactersThatAreCut();
    void startsAnewAfterTheEnd();
    void boundsSequences();
    void fuzzChunks();
    void longSequencesInChunks();
    void keepsAllValidText();
    void agreesOnValidity();
    void shows_data();
    void shows();
    void fuzzVisible();
    void largeText();
};

void tst_SafeText::decodes_data()
{
    QTest::addColumn<QByteArray>("input");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char *name, const QByteArray &input, const QByteArray &expected) {
        QTest::newRow(name) << input << expected;
    };
    const QByteArray mark = Mark;
    row("empty", "", "");
    row("plain", "a\tb\nc", "a\tb\nc");
    row("case 81, NUL", bytes("a\0b\0"), "a\\x00b\\x00");
    row("case 81, colour and DEL", "\x01\x02\x1B[31mred\x1B[0m\x7F\n", "\\x01\\x02red\\x7f\n");
    row("case 81, broken", "\xFF\xFE\xC0\x80\xED\xA0\x80\n", mark.repeated(7) + "\n");
    row("case 81, noncharacters", "\xEF\xBF\xBE\xEF\xBF\xBF\xE2\x80\xA8\n",
        mark.repeated(2) + "\xE2\x80\xA8\n");
    row("case 79, broken parts", "\xE2\x89x\ntail\xF0\x9F", mark + "x\ntail" + mark);
    row("case A89", "a\xF0\x9F\x98", "a" + mark);
    row("valid", "\xC3\xA9\xE2\x89\xA4\xF0\x9F\x99\x82\xEF\xBB\xBF",
        "\xC3\xA9\xE2\x89\xA4\xF0\x9F\x99\x82\xEF\xBB\xBF");
    row("overlong", "\xE0\x80\x80", mark.repeated(3));
    row("above the last", "\xF4\x90\x80\x80", mark.repeated(4));
    row("cut, then ASCII", "\xF0\x9F\x99x", mark + "x");
    row("cut, then a character", "\xF0\x9F\xC3\xA9", mark + "\xC3\xA9");
    row("more noncharacters", "\xEF\xB7\x90\xF0\x9F\xBF\xBE", mark.repeated(2));
    row("C1", "\xC2\x80\xC2\x9B\x33\xC2\x9F", "\\u0080\\u009b3\\u009f");
    row("backspace, bell", "a\b\x07", "a\\x08\\x07");
    row("replacement mark", mark, mark);

    row("CRLF", "a\r\nb\r\n", "a\nb\n");
    row("CR", "10%\r20%\r", "10%\n20%\n");
    row("CR, CRLF", "a\r\r\nb", "a\nb");
    row("CRLF and LF", "a\r\n\nb\n\nc", "a\n\nb\n\nc");
    row("CRLF twice", "a\r\n\r\nb", "a\n\nb");
    row("CR and a sequence", "1%\r\x1B[K2%", "1%\n2%");
    row("CR and a character", "1\r\xC3\xA9\nx", "1\n\xC3\xA9\nx");

    row("colours", "\x1B[1;38;5;12mx\x1B[m", "x");
    row("private and intermediate", "\x1B[?25lx\x1B[>0 q", "x");
    row("title, BEL", "\x1B]0;title\x07x", "x");
    row("link, ST", "\x1B]8;;http://x\x1B\\link\x1B]8;;\x1B\\", "link");
    row("title in UTF-8", "\x1B]0;\xC3\xA9\x07x", "x");
    row("DCS", "\x1BPq#0\x1B\\x", "x");
    row("charset",
        "\x1B(Bx\x1B=y\x1B"
        "7z",
        "xyz");
    row("CSI, cut by a line", "\x1B[31\nx", "\\x1b[31\nx");
    row("CSI, cut by ESC", "\x1B[31\x1B[0mx", "\\x1b[31x");
    row("CSI, cut by a character", "\x1B[3\xC3\xA9", "\\x1b[3\xC3\xA9");
    row("OSC, cut by a line", "\x1B]0;abc\nx", "\\x1b]0;abc\nx");
    row("OSC, cut by a sequence", "\x1B]0;abc\x1B[0mx", "\\x1b]0;abcx");
    row("OSC, cut inside a character", "\x1B]0;\xE2\x89\x1B[0mx", "\\x1b]0;" + mark + "x");
    row("OSC, bytes inside", "\x1B]0;\xFF\x7F\nx", "\\x1b]0;" + mark + "\\x7f\nx");
    row("ESC ESC", "\x1B\x1B[0mx", "\\x1bx");
    row("ESC at the end", "x\x1B", "x\\x1b");
    row("CSI at the end", "x\x1B[3", "x\\x1b[3");
    row("OSC at the end", "x\x1B]0;a\x1B", "x\\x1b]0;a\\x1b");
    row("ESC and a broken byte", "\x1B\xFF", "\\x1b" + mark);
}

void tst_SafeText::decodes()
{
    QFETCH(QByteArray, input);
    QFETCH(QByteArray, expected);
    QCOMPARE(safeText(input), expected);
    std::mt19937 random(Seed);
    QCOMPARE(inChunks(input, random, 1), expected);
}

void tst_SafeText::keepsCharactersThatAreCut()
{
    SafeTextDecoder decoder;
    QCOMPARE(decoder.feed("\xE2"), QByteArray());
    QCOMPARE(decoder.feed("\x89"), QByteArray());
    QCOMPARE(decoder.feed("\xA4\xF0\x9F"), QByteArray("\xE2\x89\xA4"));
    QCOMPARE(decoder.feed("\x99"), QByteArray());
    QCOMPARE(decoder.feed("\x82\n"), QByteArray("\xF0\x9F\x99\x82\n"));
    QCOMPARE(decoder.finish(), QByteArray());
    std::mt19937 random(Seed);
    const QByteArray many =
        QByteArray("\xE4\xBD\xA0").repeated(50000) + QByteArray("\xC3\xA9").repeated(70001);
    QCOMPARE(inChunks(many, random, 70), many);
}

void tst_SafeText::startsAnewAfterTheEnd()
{
    SafeTextDecoder decoder;
    for (const char *beginning : {"\xF0\x9F", "\x1B[3", "\x1B]0;\x1B", "\r"}) {
        decoder.feed(beginning);
        decoder.finish();
        QCOMPARE(decoder.feed("\n1m\x99"), QByteArray("\n1m") + Mark);
        QCOMPARE(decoder.finish(), QByteArray());
    }
}

void tst_SafeText::boundsSequences()
{
    QCOMPARE(safeText("\x1B[" + QByteArray(200, '1') + "mx"), QByteArray("x"));
    QCOMPARE(safeText("\x1B[" + QByteArray(300, '1') + "mx"), "\\x1b[" + QByteArray(300, '1') + "mx");
    QCOMPARE(safeText("\x1B]" + QByteArray(4000, 'a') + "\x07x"), QByteArray("x"));
    QCOMPARE(safeText("\x1B]" + QByteArray(5000, 'a') + "\x07x"),
             "\\x1b]" + QByteArray(5000, 'a') + "\\x07x");
    const QByteArray text = QByteArray("\xE2\x89\xA4").repeated(2000); // the bound is inside a character
    QCOMPARE(safeText("\x1B]" + text), "\\x1b]" + text);
    QCOMPARE(safeText("\x1B]a" + text), "\\x1b]a" + text);
    QCOMPARE(safeText("\x1B" + QByteArray(100, ' ') + "x"), "\\x1b" + QByteArray(100, ' ') + "x");
}

void tst_SafeText::fuzzChunks()
{
    std::mt19937 random(Seed);
    for (int i = 0; i < 30000; ++i) {
        const QByteArray input = randomBytes(random, 40);
        const QByteArray whole = safeText(input);
        const QByteArray shown = QByteArray::number(Seed) + ": " + input.toHex() + ": " + judge(whole);
        QVERIFY2(judge(whole).isEmpty(), shown.constData());
        QVERIFY2(inChunks(input, random, 1) == whole, shown.constData());
        QVERIFY2(inChunks(input, random, 9) == whole, shown.constData());
    }
}

void tst_SafeText::longSequencesInChunks()
{
    std::mt19937 random(Seed);
    for (int i = 0; i < 200; ++i) {
        QByteArray input;
        for (int j = 0; j < 4; ++j) {
            input += randomBytes(random, 6) + "\x1B" + (random() % 2 == 0 ? "]" : "[");
            input += QByteArray(random() % 2 == 0 ? "1" : "\xC3\xA9")
                         .repeated(static_cast<qsizetype>(random() % 5000));
        }
        const QByteArray whole = safeText(input);
        QCOMPARE(judge(whole), QByteArray());
        QCOMPARE(inChunks(input, random, 1), whole);
        QCOMPARE(inChunks(input, random, 3000), whole);
    }
}

void tst_SafeText::keepsAllValidText()
{
    QByteArray all;
    for (char32_t character = 0xA0; character <= 0x10FFFF; ++character) {
        if ((character < 0xD800 || character > 0xDFFF) && !isNonCharacter(character))
            all += QString::fromUcs4(&character, 1).toUtf8();
    }
    QVERIFY(safeText(all) == all);
}

void tst_SafeText::agreesOnValidity()
{
    std::mt19937 random(Seed);
    for (int i = 0; i < 30000; ++i) {
        const QByteArray input = randomBytes(random, 5);
        bool isValid = true;
        for (QByteArrayView rest = input; !rest.isEmpty() && isValid;) {
            const Utf8Character character = firstUtf8Character(rest);
            isValid = character.kind == Utf8Character::Kind::Valid;
            rest = rest.sliced(character.length);
        }
        QVERIFY2(isValid == charactersOf(input).has_value(), input.toHex().constData());
        QVERIFY2(isValid == input.isValidUtf8(), input.toHex().constData());
    }
}

void tst_SafeText::shows_data()
{
    QTest::addColumn<QByteArray>("input");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char *name, const QByteArray &input, const QByteArray &expected) {
        QTest::newRow(name) << input << expected;
    };
    row("plain", "rm -rf 'a b' \\n $x", "rm -rf 'a b' \\n $x");
    row("text", "h\xC3\xA9 \xE4\xBD\xA0 \xF0\x9F\x99\x82", "h\xC3\xA9 \xE4\xBD\xA0 \xF0\x9F\x99\x82");
    row("lines", "a\n\tb\r", "a\\x0a\\x09b\\x0d");
    row("sequence", "\x1B[2Kx", "\\x1b[2Kx");
    row("NUL, DEL", bytes("\0\x7F"), "\\x00\\x7f");
    row("C1", "\xC2\x9B", "\\u009b");
    row("direction",
        "\xE2\x80\xAE"
        "exe\xE2\x81\xA6\xD8\x9C",
        "\\u202eexe\\u2066\\u061c");
    row("zero width", "a\xE2\x80\x8B\xE2\x80\x8D\xEF\xBB\xBF\xC2\xAD\xE2\x81\xA0",
        "a\\u200b\\u200d\\ufeff\\u00ad\\u2060");
    row("blanks", "\xC2\xA0\xE2\x80\x83\xE3\x80\x80", "\\u00a0\\u2003\\u3000");
    row("separators", "\xE2\x80\xA8\xE2\x80\xA9", "\\u2028\\u2029");
    row("tags", "\xF3\xA0\x80\x81\xF3\xA0\x81\xA1", "\\U000e0001\\U000e0061");
    row("fillers", "\xE3\x85\xA4\xEF\xBE\xA0\xEF\xB8\x8F\xCD\x8F", "\\u3164\\uffa0\\ufe0f\\u034f");
    row("noncharacter", "\xEF\xBF\xBF", "\\uffff");
    row("no UTF-8", "a\xFF\xE2\x89x\xED\xA0\x80", "a\\xff\\xe2\\x89x\\xed\\xa0\\x80");
}

void tst_SafeText::shows()
{
    QFETCH(QByteArray, input);
    QFETCH(QByteArray, expected);
    QCOMPARE(visibleText(input), expected);
}

void tst_SafeText::fuzzVisible()
{
    std::mt19937 random(Seed);
    for (int i = 0; i < 20000; ++i) {
        const QByteArray text = visibleText(randomBytes(random, 30));
        const QByteArray why = judge(text) + (text.contains('\n') || text.contains('\t') ? "line" : "");
        QVERIFY2(why.isEmpty(), (QByteArray::number(Seed) + ": " + why + ' ' + text.toHex()).constData());
    }
}

void tst_SafeText::largeText()
{
    const QByteArray text =
        QByteArray("a line of sixty characters, which is what programs write\n").repeated(200'000);
    QCOMPARE(safeText(text).size(), text.size());
    // An unended sequence that comes again and again is read at most twice.
    QVERIFY(!safeText(("\x1B]" + QByteArray(4200, 'a')).repeated(1000)).isEmpty());
}

QTEST_APPLESS_MAIN(tst_SafeText)

#include "tst_safetext.moc"
