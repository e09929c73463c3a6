#include "app/agent/session/sessionMarkdown.h"

#include "app/agent/session/MessageRecord.h"
#include "app/agent/session/RecordText.h"
#include "tools/text/SafeText.h"

#include <algorithm>

namespace spettro {

namespace {

QByteArray textIn(const Json &json, const char *name)
{
    const auto member = json.find(name);
    return member != json.end() && member->is_string()
               ? QByteArray::fromStdString(member->get_ref<const std::string &>())
               : QByteArray();
}

QByteArray numberIn(const Json &json, const char *name)
{
    const auto member = json.find(name);
    return member != json.end() && member->is_number_integer() ? QByteArray::number(member->get<qint64>())
                                                               : QByteArray("?");
}

/// A block whose fence is longer than any row of backticks in the text.
QByteArray fenced(const QByteArray &raw)
{
    const QByteArray text = safeText(raw); // first: what it leaves out can stand between backticks
    qsizetype longest = 0;
    qsizetype row = 0;
    for (const char character : text) {
        row = character == '`' ? row + 1 : 0;
        longest = std::max(longest, row);
    }
    const QByteArray fence(std::max<qsizetype>(3, longest + 1), '`');
    return fence + '\n' + text + (text.endsWith('\n') ? "" : "\n") + fence + "\n\n";
}

QByteArray quoted(const QByteArray &text)
{
    return "> " + safeText(text).replace('\n', "\n> ") + "\n\n";
}

/// Arguments and results are JSON: written out for reading, or as they are.
QByteArray readable(const QByteArray &text)
{
    const Json json = Json::parse(text.constData(), nullptr, false);
    if (!json.is_object()) {
        return text;
    }
    QByteArray lines;
    for (const auto &[name, value] : json.items()) {
        const QByteArray shown = QByteArray::fromStdString(
            value.is_string() ? value.get<std::string>()
                              : value.dump(-1, ' ', false, Json::error_handler_t::replace));
        lines += QByteArray::fromStdString(name) + ": " + (shown.contains('\n') ? "\n" : "") + shown
                 + (shown.endsWith('\n') ? "" : "\n");
    }
    return lines;
}

QByteArray shown(const TextPart &part, Message::Role role)
{
    return role == Message::Role::User ? quoted(part.text) : safeText(part.text) + "\n\n";
}

QByteArray shown(const ReasoningPart &part, Message::Role)
{
    return part.text.trimmed().isEmpty() ? QByteArray() : "*Thinking:*\n\n" + quoted(part.text);
}

QByteArray shown(const CallPart &part, Message::Role)
{
    return "**" + visibleText(part.name) + "**\n\n" + fenced(readable(part.arguments));
}

QByteArray shown(const ResultPart &part, Message::Role)
{
    return (part.isError ? "Failed:\n\n" : "Result:\n\n") + fenced(readable(part.text));
}

QByteArray shownMessage(const Json &record)
{
    const std::optional<Message> message = messageOf(record);
    QByteArray text;
    if (message) {
        for (const Part &part : message->parts) {
            text += std::visit([&](const auto &which) { return shown(which, message->role); }, part);
        }
    }
    return text;
}

} // namespace

QByteArray sessionMarkdown(const Json &record)
{
    const QByteArray type = textIn(record, "type");
    if (type == "session") {
        return "# Session in " + visibleText(decodedPath(textIn(record, "workspace").toStdString())) + "\n\n"
               + textIn(record, "time") + "\n\n";
    }
    if (type == "run") {
        const QByteArray bounds = textIn(record, "bounds");
        return "*" + safeText(textIn(record, "model")) + ", "
               + (bounds.isEmpty() ? QByteArray("no bounds") : safeText(bounds)) + ", "
               + textIn(record, "time") + "*\n\n";
    }
    if (type == "iteration") {
        return "## Iteration " + numberIn(record, "number") + " (undo: --turn "
               + numberIn(record, "checkpoint") + ")\n\n";
    }
    if (type == "message") {
        return shownMessage(record);
    }
    if (type == "approval") {
        return "*Asked:* " + visibleText(textIn(record, "tool")) + ", answered "
               + safeText(textIn(record, "answer")) + "\n\n" + fenced(textIn(record, "what"));
    }
    if (type == "compaction") {
        return "*The conversation was shortened here.*\n\n" + quoted(textIn(record, "summary"));
    }
    if (type == "end") {
        return "## " + safeText(textIn(record, "result")) + "\n\n" + quoted(textIn(record, "message"));
    }
    return {};
}

} // namespace spettro
