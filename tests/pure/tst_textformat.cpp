// What kind of text the bytes of a file are, and the way to UTF-8 and back.

#include "tools/text/TextFormat.h"

#include <QFile>
#include <QTest>

#include <random>

using namespace spettro;

using Encoding = TextFormat::Encoding;
using Ending = TextFormat::LineEnding;

Q_DECLARE_METATYPE(spettro::TextFormat::Encoding)
Q_DECLARE_METATYPE(spettro::TextFormat::LineEnding)

namespace {

constexpr unsigned Seed = 20261130;

template<std::size_t Size>
QByteArray bytes(const char (&text)[Size])
{
    return {text, static_cast<qsizetype>(Size - 1)};
}

QByteArray utf16(QStringView text, bool isLittle)
{
    QByteArray out;
    for (const QChar unit : text) {
        const char low = static_cast<char>(unit.unicode() & 0xFFU);
        const char high = static_cast<char>(unit.unicode() >> 8U);
        out.append(isLittle ? low : high).append(isLittle ? high : low);
    }
    return out;
}

QByteArray randomBytes(std::mt19937 &random, qsizetype size)
{
    QByteArray out(size, Qt::Uninitialized);
    for (char &byte : out)
        byte = static_cast<char>(random() % 256);
    return out;
}

} // namespace

class tst_TextFormat : public QObject
{
    Q_OBJECT

private slots:
    void detects_data();
    void detects();
    void programsAreBinary();
    void randomBytesAreBinary();
    void asciiIsNeverUtf16();
    void convertsBothWays();
    void roundTripsWhateverItIs();
    void refusesBrokenUtf8();
    void namesLineEndings();
    void largeText();
};

void tst_TextFormat::detects_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<Encoding>("encoding");
    QTest::addColumn<bool>("hasMark");
    QTest::addColumn<Ending>("ending");
    const auto row = [](const char *name, const QByteArray &content, Encoding encoding, Ending ending,
                        bool hasMark = false) {
        QTest::newRow(name) << content << encoding << hasMark << ending;
    };
    const auto binary = [&row](const char *name, const QByteArray &content) {
        row(name, content, Encoding::Binary, Ending::None);
    };

    row("empty", "", Encoding::Utf8, Ending::None);
    row("one line", "abc", Encoding::Utf8, Ending::None);
    row("LF", "a\nb", Encoding::Utf8, Ending::Lf);
    row("CRLF", "a\r\nb\r\n", Encoding::Utf8, Ending::CrLf);
    row("CR", "a\rb\r", Encoding::Utf8, Ending::Cr);
    row("mixed", "a\r\nb\n", Encoding::Utf8, Ending::Mixed);
    row("CR before CRLF", "a\r\r\n", Encoding::Utf8, Ending::Mixed);
    row("LF before CR", "a\n\r", Encoding::Utf8, Ending::Mixed);
    row("CRLF across blocks", QByteArray(127, 'x') + "\r\n", Encoding::Utf8, Ending::CrLf);
    row("CR at the end", QByteArray(127, 'x') + "\r", Encoding::Utf8, Ending::Cr);
    row("UTF-8", "h\xC3\xA9 \xF0\x9F\x99\x82\n", Encoding::Utf8, Ending::Lf);
    row("UTF-8 with mark", "\xEF\xBB\xBFsalt\n", Encoding::Utf8, Ending::Lf, true);
    row("mark alone", "\xEF\xBB\xBF", Encoding::Utf8, Ending::None, true);
    row("coloured log", "\x1B[31mred\x1B[0m\x1B[1m\n", Encoding::Utf8, Ending::Lf);
    row("the Makefile with a NUL",
        bytes("all:\n\techo a  \n\n\t\techo b\t\nlast-no-newline \xC3\xA9 e\xCC\x81 \0 end"), Encoding::Utf8,
        Ending::Lf);
    row("few bytes with a NUL", bytes("a\0b"), Encoding::Utf8, Ending::None);
    row("text on signatures", "%PDF- is how a PDF file begins\n", Encoding::Utf8, Ending::Lf);

    row("Latin-1", "caf\xE9 one\nsecond\n", Encoding::EightBit, Ending::Lf);
    row("Latin-1 with CRLF", "const x = 1;\r\n// caf\xE9\r\n", Encoding::EightBit, Ending::CrLf);
    row("GBK", "\xD6\xD0\xCE\xC4\n", Encoding::EightBit, Ending::Lf);
    row("cut UTF-8", "abc \xE2\x82", Encoding::EightBit, Ending::None);
    row("mark, then Latin-1", "\xEF\xBB\xBF\xE9t\xE9\n", Encoding::EightBit, Ending::Lf, true);
    binary("Latin-1 with a NUL",
           bytes("caf\xE9\0 and more text, so that the share is small") + QByteArray(500, 'x'));

    row("UTF-16LE with mark", bytes("\xFF\xFEh\0i\0\n\0"), Encoding::Utf16Le, Ending::Lf, true);
    row("UTF-16BE with mark", bytes("\xFE\xFF\0h\0i\0\r\0\n"), Encoding::Utf16Be, Ending::CrLf, true);
    row("UTF-16LE mark alone", bytes("\xFF\xFE"), Encoding::Utf16Le, Ending::None, true);
    row("UTF-16LE without mark", utf16(u"name=value\r\n", true), Encoding::Utf16Le, Ending::CrLf);
    row("UTF-16BE without mark", utf16(u"name=v\u00E4lue\n", false), Encoding::Utf16Be, Ending::Lf);
    row("UTF-16LE emoji", "\xFF\xFE" + utf16(u"\U0001F642", true), Encoding::Utf16Le, Ending::None, true);
    binary("UTF-16LE, odd size", bytes("\xFF\xFEh\0i"));
    binary("UTF-16LE, lone surrogate", bytes("\xFF\xFEh\0\x3D\xD8i\0"));
    binary("UTF-16LE, NUL character", bytes("\xFF\xFEh\0\0\0i\0"));
    binary("UTF-32LE", bytes("\xFF\xFE\0\0h\0\0\0"));

    binary("ELF", bytes("\x7F"
                        "ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0>\0\1\0\0\0"));
    binary("PNG", bytes("\x89PNG\r\n\x1A\n\0\0\0\rIHDR"));
    binary("JPEG", bytes("\xFF\xD8\xFF\xE0 with a long text but no control bytes in it"));
    binary("GIF", bytes("GIF89a\1\0\1\0\x80\0\0"));
    binary("PDF", "%PDF-1.7\n%\xE2\xE3\xCF\xD3\n1 0 obj");
    binary("ZIP", bytes("PK\3\4\x14\0\0\0\x08\0"));
    binary("gzip", bytes("\x1F\x8B\x08 no NUL in this one at all"));
    binary("xz", bytes("\xFD"
                       "7zXZ\0"));
    binary("SQLite", bytes("SQLite format 3\0\x10\0\1\1\0@  ") + QByteArray(4000, '\0'));
    binary("Java class", bytes("\xCA\xFE\xBA\xBE\0\0\0\x41"));
    binary("zeros", QByteArray(100, '\0'));
    binary("numbers", bytes("\1\0\0\0\2\0\0\0\3\0\0\0"));
    binary("tar", QByteArray("Makefile").leftJustified(512, '\0') + QByteArray(20000, 'x'));
    binary("text, then zeros", QByteArray(10000, 'x') + QByteArray(1000, '\0'));
}

void tst_TextFormat::detects()
{
    QFETCH(QByteArray, content);
    const TextFormat format = detectTextFormat(content);
    QTEST(format.encoding, "encoding");
    QTEST(format.hasByteOrderMark, "hasMark");
    QTEST(format.lineEnding, "ending");
}

void tst_TextFormat::programsAreBinary()
{
    QFile file(QCoreApplication::applicationFilePath());
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray content = file.readAll();
    QCOMPARE(detectTextFormat(content).encoding, Encoding::Binary);
    QCOMPARE(detectTextFormat(content.mid(content.size() / 2)).encoding, Encoding::Binary);
    QCOMPARE(detectTextFormat(qCompress(content.left(100000))).encoding, Encoding::Binary);
}

void tst_TextFormat::randomBytesAreBinary()
{
    std::mt19937 random(Seed);
    for (int i = 0; i < 200; ++i)
        QCOMPARE(detectTextFormat(randomBytes(random, 2000)).encoding, Encoding::Binary);
    for (int i = 0; i < 200; ++i) { // Small numbers in 16 bits, as in a table or a sound.
        QByteArray numbers;
        for (int j = 0; j < 500; ++j)
            numbers.append(static_cast<char>(random() % 128)).append('\0');
        QCOMPARE(detectTextFormat(numbers).encoding, Encoding::Binary);
    }
}

void tst_TextFormat::asciiIsNeverUtf16()
{
    std::mt19937 random(Seed);
    for (int i = 0; i < 5000; ++i) {
        QByteArray text(static_cast<qsizetype>(random() % 40), Qt::Uninitialized);
        for (char &byte : text)
            byte = random() % 8 == 0 ? '\n' : static_cast<char>(0x20 + random() % 95);
        QCOMPARE(detectTextFormat(text).encoding, Encoding::Utf8);
    }
}

void tst_TextFormat::convertsBothWays()
{
    const TextFormat little = detectTextFormat(bytes("\xFF\xFEh\0\xE9\0\n\0"));
    QCOMPARE(toUtf8(bytes("\xFF\xFEh\0\xE9\0\n\0"), little), QByteArray("h\xC3\xA9\n"));
    QCOMPARE(fromUtf8("\xF0\x9F\x99\x82", little), bytes("\xFF\xFE\x3D\xD8\x42\xDE"));
    const TextFormat big{Encoding::Utf16Be, false, Ending::None};
    QCOMPARE(fromUtf8("ho", big), bytes("\0h\0o"));
    QCOMPARE(toUtf8(bytes("\0h\0o"), big), QByteArray("ho"));
    const TextFormat marked{Encoding::Utf8, true, Ending::None};
    QCOMPARE(toUtf8("\xEF\xBB\xBF\xEF\xBB\xBFx", marked), QByteArray("\xEF\xBB\xBFx"));
    QCOMPARE(fromUtf8("x", marked), QByteArray("\xEF\xBB\xBFx"));
}

void tst_TextFormat::roundTripsWhateverItIs()
{
    std::mt19937 random(Seed);
    int utf16Files = 0;
    for (int i = 0; i < 20000; ++i) {
        QByteArray content = randomBytes(random, static_cast<qsizetype>(random() % 24));
        switch (random() % 4) {
        case 0:
            content.prepend("\xFF\xFE");
            break;
        case 1:
            content.prepend("\xFE\xFF");
            break;
        case 2:
            content.prepend("\xEF\xBB\xBF");
            break;
        default:
            break;
        }
        const TextFormat format = detectTextFormat(content);
        utf16Files += format.encoding == Encoding::Utf16Le || format.encoding == Encoding::Utf16Be ? 1 : 0;
        const QByteArray text = toUtf8(content, format);
        const auto shown = QByteArray::number(Seed) + ": " + content.toHex();
        QVERIFY2(fromUtf8(text, format) == content, shown.constData());
        const bool isUtf8 = format.encoding != Encoding::Binary && format.encoding != Encoding::EightBit;
        QVERIFY2(!isUtf8 || text.isValidUtf8(), shown.constData());
    }
    QVERIFY(utf16Files > 1000);
}

void tst_TextFormat::refusesBrokenUtf8()
{
    const TextFormat format{Encoding::Utf16Le, true, Ending::None};
    for (const char *text : {"\xFF", "a\xC3", "\xED\xA0\x80", "\xC0\x80", "\xF4\x90\x80\x80"})
        QVERIFY(!fromUtf8(text, format));
    QVERIFY(fromUtf8("", format));
}

void tst_TextFormat::namesLineEndings()
{
    QCOMPARE(lineEndingName(Ending::Lf), QString("LF"));
    QCOMPARE(lineEndingName(Ending::CrLf), QString("CRLF"));
    QCOMPARE(lineEndingName(Ending::Cr), QString("CR"));
    QCOMPARE(lineEndingName(Ending::Mixed), QString("mixed"));
    QCOMPARE(lineEndingName(Ending::None), QString("none"));
}

void tst_TextFormat::largeText()
{
    const QByteArray line = "    const auto value = compute(first, second); // h\xC3\xA9\r\n";
    const QByteArray content = line.repeated(10'000'000 / line.size());
    TextFormat format;
    format = detectTextFormat(content);
    QCOMPARE(format.lineEnding, Ending::CrLf);
}

QTEST_GUILESS_MAIN(tst_TextFormat)

#include "tst_textformat.moc"
