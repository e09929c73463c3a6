#include "tools/search/RipgrepOutput.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace spettro {

namespace {

/// Reads one message after the other; an error ends it.
class Reader
{
public:
    Reader(const std::optional<GlobPattern> &glob, qsizetype limit) : m_glob(glob), m_limit(limit) {}

    RipgrepResult result;
    QString error;

    void read(QByteArrayView line)
    {
        QJsonParseError problem = {};
        const QJsonDocument document =
            QJsonDocument::fromJson(QByteArray::fromRawData(line.data(), line.size()), &problem);
        if (problem.error != QJsonParseError::NoError || !document.isObject()) {
            fail("a line is no JSON object");
            return;
        }
        const QJsonValue data = document["data"];
        const QString type = document["type"].toString();
        if (!data.isObject() || result.isComplete) {
            fail("a message is not where it belongs");
        } else if (type == "begin") {
            begin(data.toObject());
        } else if (type == "match") {
            match(data.toObject());
        } else if (type == "end") {
            end(data.toObject());
        } else if (type == "summary") {
            result.isComplete = true;
            if (m_isInFile) {
                fail("the summary comes inside of a file");
            }
        } else {
            fail("a message is of an unknown type");
        }
    }

private:
    void fail(const char *message)
    {
        if (error.isEmpty()) {
            error = QString("the output of ripgrep cannot be read: %1").arg(message);
        }
    }

    /// Text that comes as `{"text": …}` or, if it is not UTF-8, as `{"bytes": base64}`.
    std::optional<QByteArray> bytes(const QJsonValue &value)
    {
        const QJsonValue text = value["text"];
        if (text.isString()) {
            return text.toString().toUtf8();
        }
        if (value["bytes"].isString()) {
            auto decoded = QByteArray::fromBase64Encoding(value["bytes"].toString().toLatin1(),
                                                          QByteArray::AbortOnBase64DecodingErrors);
            if (decoded) {
                return decoded.decoded;
            }
        }
        fail("a text is missing or damaged");
        return {};
    }

    std::optional<QByteArray> path(const QJsonObject &data)
    {
        std::optional<QByteArray> path = bytes(data["path"]);
        if (path && path->startsWith("./")) {
            path->remove(0, 2);
        }
        if (path && path->isEmpty()) {
            fail("a path is empty");
        }
        return path;
    }

    /// A whole number from `least` up.
    std::optional<qsizetype> number(const QJsonValue &value, qsizetype least)
    {
        const qint64 whole = value.toInteger(-1);
        if (whole < least) {
            fail("a number is missing or out of range");
            return {};
        }
        return whole;
    }

    void begin(const QJsonObject &data)
    {
        const std::optional<QByteArray> name = path(data);
        if (m_isInFile) {
            fail("a file begins inside of another");
        }
        m_isInFile = true;
        m_path = name.value_or(QByteArray());
        m_isWanted = !m_glob || m_glob->matches(m_path);
        m_fileLines.clear();
        m_fileLeftOut = 0;
        m_lastLine = 0;
    }

    void match(const QJsonObject &data)
    {
        const std::optional<QByteArray> name = path(data);
        std::optional<QByteArray> line = bytes(data["lines"]);
        const std::optional<qsizetype> lineNumber = number(data["line_number"], m_lastLine + 1);
        const QJsonArray matches = data["submatches"].toArray();
        if (!name || !line || !lineNumber) {
            return;
        }
        if (!m_isInFile || *name != m_path) {
            fail("a match is outside of its file");
            return;
        }
        m_lastLine = *lineNumber;
        qsizetype begin = 0;
        qsizetype end = 0;
        if (!matches.isEmpty()) {
            begin = number(matches[0]["start"], 0).value_or(0);
            end = number(matches[0]["end"], begin).value_or(0);
        }
        if (!error.isEmpty() || end > line->size()) {
            fail("a match is outside of its line");
            return;
        }
        if (!m_isWanted) {
            return;
        }
        if (result.lines.size() + m_fileLines.size() >= m_limit) {
            ++m_fileLeftOut;
            return;
        }
        if (line->endsWith('\n')) {
            line->chop(1);
        }
        if (line->endsWith('\r')) {
            line->chop(1);
        }
        const qsizetype length = std::max<qsizetype>(std::min(end, line->size()) - begin, 0);
        m_fileLines << FoundLine{m_path, *lineNumber, begin + 1, length, *line};
    }

    void end(const QJsonObject &data)
    {
        const std::optional<QByteArray> name = path(data);
        if (!m_isInFile || (name && *name != m_path)) {
            fail("a file ends that has not begun");
        }
        m_isInFile = false;
        const QJsonValue binary = data["binary_offset"];
        if (!binary.isNull() && !binary.isDouble()) {
            fail("it is not said whether a file is binary");
        } else if (binary.isNull()) {
            result.lines += m_fileLines;
            result.leftOutLines += m_fileLeftOut;
        } else if (!m_fileLines.isEmpty() || m_fileLeftOut > 0) {
            result.binaryFiles << m_path;
        }
    }

    const std::optional<GlobPattern> &m_glob;
    qsizetype m_limit;
    bool m_isInFile = false;
    bool m_isWanted = false;
    QByteArray m_path;
    QList<FoundLine> m_fileLines;
    qsizetype m_fileLeftOut = 0;
    qsizetype m_lastLine = 0;
};

} // namespace

QList<QByteArray> ripgrepArguments(const RipgrepRequest &request)
{
    QList<QByteArray> arguments{"--no-config",      "--json",        "--hidden",           "--glob=!.git",
                                "--no-require-git", "--no-messages", "--no-ignore-global", "--no-ignore-dot",
                                "--crlf",           "--binary",      "--no-mmap",          "--sort=path",
                                "--case-sensitive"};
    if (request.parentRules == ParentRules::Disregard) {
        arguments << "--no-ignore-parent";
    }
    if (request.letterCase == LetterCase::Ignore) {
        arguments << "--ignore-case";
    }
    if (request.syntax == PatternSyntax::FixedString) {
        arguments << "--fixed-strings";
    }
    arguments << "--regexp=" + request.pattern << "--"
              << "./" + request.path;
    return arguments;
}

std::variant<RipgrepResult, QString> parseRipgrepOutput(QByteArrayView output,
                                                        const std::optional<GlobPattern> &glob,
                                                        qsizetype limit)
{
    Reader reader(glob, limit);
    while (!output.isEmpty()) {
        const qsizetype newLine = output.indexOf('\n');
        if (newLine < 0) {
            break; // ripgrep was ended in the middle of a line
        }
        reader.read(output.first(newLine));
        if (!reader.error.isEmpty()) {
            return reader.error;
        }
        output = output.sliced(newLine + 1);
    }
    reader.result.isComplete = reader.result.isComplete && output.isEmpty();
    return reader.result;
}

} // namespace spettro
