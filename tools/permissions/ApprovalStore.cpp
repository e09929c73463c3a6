#include "tools/permissions/ApprovalStore.h"

#include "tools/permissions/PrivateFile.h"

#include <nlohmann/json.hpp>

#include <QCryptographicHash>

#include <set>
#include <vector>

namespace spettro {

namespace {

using Json = nlohmann::json;

constexpr qsizetype MaximumSize = qsizetype{1024} * 1024;
constexpr int Version = 1;
constexpr int DeepestLevel = 3;

/// Paths are bytes and JSON is Unicode: everything but plain characters is written as %XX.
std::string encodedPath(const QByteArray &path)
{
    return path.toPercentEncoding("/").toStdString();
}

/// Parses, and refuses what the library would let pass: a key twice, and more nesting than the format has.
std::optional<Json> parseStrictly(const QByteArray &text)
{
    std::vector<std::set<std::string>> keys;
    bool isStrict = true;
    const auto check = [&](int depth, Json::parse_event_t event, Json &value) {
        isStrict = isStrict && depth <= DeepestLevel;
        if (event == Json::parse_event_t::object_start) {
            keys.emplace_back();
        } else if (event == Json::parse_event_t::object_end && !keys.empty()) {
            keys.pop_back();
        } else if (event == Json::parse_event_t::key && !keys.empty()) {
            isStrict = keys.back().insert(value.get<std::string>()).second && isStrict;
        }
        return true;
    };
    Json json = Json::parse(text.begin(), text.end(), check, false);
    if (json.is_discarded() || !isStrict)
        return std::nullopt;
    return json;
}

QByteArray textOf(const Json &object, const char *key)
{
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? QByteArray::fromStdString(found->get<std::string>())
                                                       : QByteArray();
}

std::variant<PermissionRule, QString> ruleOf(const Json &json)
{
    if (!json.is_object() || json.size() != 3)
        return QStringLiteral("a rule has permission, pattern and action");
    std::variant<PermissionRule, QString> rule =
        makePermissionRule(textOf(json, "permission"), textOf(json, "pattern"), textOf(json, "action"));
    if (const auto *made = std::get_if<PermissionRule>(&rule); made && made->action != RuleAction::Allow)
        return QStringLiteral("only allow rules are stored");
    return rule;
}

ApprovalStore::Rules rulesOf(const QByteArray &text, const QByteArray &workspace)
{
    const std::optional<Json> json = parseStrictly(text);
    if (!json || !json->is_object())
        return QStringLiteral("is not the expected JSON");
    const auto version = json->find("version");
    const auto list = json->find("rules");
    if (json->size() != 3 || version == json->end() || *version != Version || list == json->end()
        || !list->is_array())
        return QStringLiteral("does not have exactly version %1, workspace and rules").arg(Version);
    if (textOf(*json, "workspace").toStdString() != encodedPath(workspace))
        return QStringLiteral("belongs to another workspace");
    QList<PermissionRule> rules;
    for (const Json &entry : *list) {
        std::variant<PermissionRule, QString> rule = ruleOf(entry);
        if (const auto *mistake = std::get_if<QString>(&rule))
            return QStringLiteral("rule %1: %2").arg(rules.size() + 1).arg(*mistake);
        rules.append(std::get<PermissionRule>(rule));
    }
    return rules;
}

/// No value when a rule is no Unicode.
std::optional<QByteArray> textOfRules(const QList<PermissionRule> &rules, const QByteArray &workspace)
{
    Json list = Json::array();
    for (const PermissionRule &rule : rules) {
        if (QString::fromUtf8(rule.pattern).toUtf8() != rule.pattern)
            return std::nullopt;
        list.push_back({{"permission", rule.permission.toStdString()},
                        {"pattern", rule.pattern.toStdString()},
                        {"action", toText(rule.action).toStdString()}});
    }
    const Json json{{"version", Version}, {"workspace", encodedPath(workspace)}, {"rules", std::move(list)}};
    return QByteArray::fromStdString(json.dump(2)) + '\n';
}

} // namespace

ApprovalStore::ApprovalStore(const QByteArray &stateFolder, const QByteArray &workspaceRealPath)
    : m_workspace(workspaceRealPath),
      m_path(stateFolder + "/approvals/"
             + QCryptographicHash::hash(workspaceRealPath, QCryptographicHash::Sha256).toHex() + ".json")
{}

ApprovalStore::Rules ApprovalStore::rules() const
{
    const PrivateFile::Text content = PrivateFile(m_path).read(MaximumSize);
    if (const auto *error = std::get_if<QString>(&content))
        return *error;
    const QByteArray &text = std::get<QByteArray>(content);
    if (text.isNull())
        return QList<PermissionRule>();
    Rules found = rulesOf(text, m_workspace);
    if (auto *error = std::get_if<QString>(&found))
        error->prepend(QString::fromUtf8(m_path) + QStringLiteral(": "));
    return found;
}

std::optional<QString> ApprovalStore::add(const PermissionRule &rule) const
{
    const auto checked = makePermissionRule(rule.permission, rule.pattern, toText(rule.action));
    if (const auto *mistake = std::get_if<QString>(&checked))
        return *mistake;
    if (rule.action != RuleAction::Allow)
        return QStringLiteral("only allow rules are stored");
    const PrivateFile file(m_path);
    if (std::optional<QString> error = file.makeFolder())
        return error;
    const PrivateFileLock lock(m_path);
    if (lock.error())
        return lock.error();
    Rules stored = rules();
    if (const auto *error = std::get_if<QString>(&stored))
        return *error;
    auto &list = std::get<QList<PermissionRule>>(stored);
    if (list.contains(rule))
        return std::nullopt;
    list.append(rule);
    const std::optional<QByteArray> text = textOfRules(list, m_workspace);
    if (!text)
        return QStringLiteral("a rule that is not valid UTF-8 cannot be stored");
    if (text->size() > MaximumSize)
        return QString::fromUtf8(m_path) + QStringLiteral(": too many rules are stored");
    return file.write(*text);
}

} // namespace spettro
