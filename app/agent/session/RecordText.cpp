#include "app/agent/session/RecordText.h"

namespace spettro {

namespace {

constexpr int DeepestRecord = 64;

/// Whether a JSON text nests no deeper than a record may; looks at brackets outside of strings only.
bool isShallow(QByteArrayView text)
{
    int depth = 0;
    bool isInString = false;
    for (qsizetype i = 0; i < text.size(); ++i) {
        const char byte = text[i];
        if (isInString && byte == '\\') {
            ++i;
        } else if (byte == '"') {
            isInString = !isInString;
        } else if (!isInString && (byte == '{' || byte == '[') && ++depth > DeepestRecord) {
            return false;
        } else if (!isInString && (byte == '}' || byte == ']')) {
            --depth;
        }
    }
    return true;
}

bool isRecord(const Json &json)
{
    const auto type = json.is_object() ? json.find("type") : json.end();
    return json.is_object() && type != json.end() && type->is_string();
}

} // namespace

std::optional<QByteArray> textOfRecord(const Json &record)
{
    if (!isRecord(record)) {
        return std::nullopt;
    }
    QByteArray text = QByteArray::fromStdString(record.dump(-1, ' ', false, Json::error_handler_t::replace));
    if (text.size() > LargestRecord || !isShallow(text)) {
        return std::nullopt;
    }
    return text;
}

std::optional<Json> recordOf(QByteArrayView line)
{
    // The parser keeps a value for every level: a line of brackets alone would cost a hundred times its size.
    if (line.isEmpty() || line.size() > LargestRecord || !isShallow(line)) {
        return std::nullopt;
    }
    Json json = Json::parse(line.begin(), line.end(), nullptr, false);
    if (json.is_discarded() || !isRecord(json)) {
        return std::nullopt;
    }
    return json;
}

std::string encodedPath(const QByteArray &path)
{
    return path.toPercentEncoding("/").toStdString();
}

QByteArray decodedPath(const std::string &text)
{
    return QByteArray::fromPercentEncoding(QByteArray::fromStdString(text));
}

} // namespace spettro
