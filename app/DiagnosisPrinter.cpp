#include "app/DiagnosisPrinter.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>

namespace spettro {

using namespace sandbox;

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t FactWidth = 16;
constexpr std::size_t ResultWidth = 20;

constexpr const char *GapExplanation =
    "NOT KEPT and not required: no layer of this version keeps it on this machine, and commands run "
    "nevertheless.\n"
    "Do not count on it. (Refusing changes of metadata outright would break git, tar and linkers.)\n";
constexpr const char *FailureExplanation =
    "Work that FAILS: more is refused here than the policy asks for. No promise is broken by that.\n";

std::string padded(std::string_view text, std::size_t width)
{
    return std::string(text) + std::string(text.size() < width ? width - text.size() : 1, ' ');
}

std::string fact(std::string_view name, std::string_view value)
{
    return padded(name, FactWidth) + std::string(value) + '\n';
}

const char *wordFor(Finding finding)
{
    switch (finding) {
    case Finding::Kept:
        return "kept";
    case Finding::NotKept:
        return "NOT KEPT here";
    case Finding::NotAsked:
        return "not asked";
    case Finding::NotTried:
        return "could not be tried";
    }
    return "";
}

const char *wordFor(WorkFinding finding)
{
    switch (finding) {
    case WorkFinding::Works:
        return "works";
    case WorkFinding::Fails:
        return "FAILS";
    case WorkFinding::NotTried:
        return "could not be tried";
    }
    return "";
}

const char *keyFor(Finding finding)
{
    switch (finding) {
    case Finding::Kept:
        return "kept";
    case Finding::NotKept:
        return "not-kept";
    case Finding::NotAsked:
        return "not-asked";
    case Finding::NotTried:
        return "not-tried";
    }
    return "";
}

const char *keyFor(WorkFinding finding)
{
    switch (finding) {
    case WorkFinding::Works:
        return "works";
    case WorkFinding::Fails:
        return "fails";
    case WorkFinding::NotTried:
        return "not-tried";
    }
    return "";
}

std::string landlockFact(const Diagnosis &diagnosis)
{
    const std::string &note = diagnosis.landlockNote;
    if (diagnosis.landlockAbi > 0) {
        return "ABI " + std::to_string(diagnosis.landlockAbi) + (note.empty() ? "" : " (" + note + ')');
    }
    return "none: " + note;
}

std::string facts(const Diagnosis &diagnosis)
{
    std::string text = fact("kernel", diagnosis.kernel) + fact("Landlock", landlockFact(diagnosis))
                       + fact("syscall filter", diagnosis.hasSyscallFilter ? "yes" : "none: no seccomp here")
                       + fact("policy", diagnosis.tag.empty() ? "nothing is confined" : diagnosis.tag)
                       + fact("", diagnosis.summary);
    if (!diagnosis.refusal.empty()) {
        text += fact("CANNOT BE KEPT", diagnosis.refusal);
    }
    return text;
}

/// What a person needs to know of a row besides its result.
std::string notes(const PromiseRow &row)
{
    std::string text;
    if (row.finding == Finding::NotTried) {
        return "    " + row.reason + '\n';
    }
    for (const AttackRow &attack : row.attacks) {
        if (attack.finding == Finding::NotKept) {
            text += "    succeeded: " + attack.title + '\n';
        } else if (attack.finding == Finding::NotTried) {
            text += "    not tried: " + attack.title + ": " + attack.reason + '\n';
        }
    }
    return text;
}

/// The layer that keeps a promise; one that was seen to fail is named as such.
std::string layerOf(const PromiseRow &row)
{
    const bool failed = row.state.kept && row.finding == Finding::NotKept;
    return row.finding == Finding::NotAsked ? "-" : row.state.layer + (failed ? ", which did not hold" : "");
}

std::size_t widthOfMeanings(const Diagnosis &diagnosis)
{
    std::size_t width = 0;
    for (const PromiseRow &row : diagnosis.promises) {
        width = std::max(width, meaningOf(row.state.promise).size() + 2);
    }
    return width;
}

/// What is said below the table.
std::string explanations(const Diagnosis &diagnosis)
{
    const bool hasGap =
        std::any_of(diagnosis.promises.begin(), diagnosis.promises.end(), [](const PromiseRow &row) {
            return row.finding == Finding::NotKept && !row.state.required;
        });
    const bool hasFailure = std::any_of(diagnosis.work.begin(), diagnosis.work.end(),
                                        [](const WorkRow &row) { return row.finding == WorkFinding::Fails; });
    return std::string(hasGap || hasFailure ? "\n" : "") + (hasGap ? GapExplanation : "")
           + (hasFailure ? FailureExplanation : "");
}

Json toJson(const PromiseRow &row)
{
    Json object{{"name", nameOf(row.state.promise)},
                {"meaning", meaningOf(row.state.promise)},
                {"result", keyFor(row.finding)},
                {"asked", row.state.asked},
                {"required", row.state.required},
                {"layer", row.state.layer},
                {"reason", row.reason}};
    object["attacks"] = Json::array();
    for (const AttackRow &attack : row.attacks) {
        object["attacks"].push_back(
            {{"name", attack.title}, {"result", keyFor(attack.finding)}, {"reason", attack.reason}});
    }
    return object;
}

} // namespace

std::string toTable(const Diagnosis &diagnosis)
{
    const std::size_t width = widthOfMeanings(diagnosis);
    std::string text =
        facts(diagnosis) + '\n' + padded("promise", width) + padded("result", ResultWidth) + "by\n";
    for (const PromiseRow &row : diagnosis.promises) {
        text += padded(meaningOf(row.state.promise), width) + padded(wordFor(row.finding), ResultWidth)
                + layerOf(row) + '\n'
                + (diagnosis.refusal.empty() ? notes(row) : ""); // else all for the same reason
    }
    if (!diagnosis.work.empty()) {
        text += '\n' + padded("ordinary work", width) + "result\n";
    }
    for (const WorkRow &row : diagnosis.work) {
        text += padded(row.title, width) + wordFor(row.finding) + '\n';
        text += row.reason.empty() ? "" : "    " + row.reason + '\n';
    }
    return text + explanations(diagnosis);
}

std::string toJson(const Diagnosis &diagnosis)
{
    Json object;
    object["kernel"] = diagnosis.kernel;
    object["landlock_abi"] = diagnosis.landlockAbi;
    object["landlock_note"] = diagnosis.landlockNote;
    object["syscall_filter"] = diagnosis.hasSyscallFilter;
    object["tag"] = diagnosis.tag;
    object["summary"] = diagnosis.summary;
    object["kept"] = diagnosis.isPolicyKept();
    object["refusal"] = diagnosis.refusal;
    object["promises"] = Json::array();
    for (const PromiseRow &row : diagnosis.promises) {
        object["promises"].push_back(toJson(row));
    }
    object["work"] = Json::array();
    for (const WorkRow &row : diagnosis.work) {
        object["work"].push_back(
            {{"name", row.title}, {"result", keyFor(row.finding)}, {"reason", row.reason}});
    }
    return object.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace spettro
