#include "app/llm/CallCollector.h"
#include "app/llm/JsonText.h"

#include <algorithm>

namespace spettro {

namespace {

/// Arguments as text, whatever they are sent as; null and missing ones are none.
QByteArray argumentsOf(const Json &arguments)
{
    if (arguments.is_null()) {
        return {};
    }
    return arguments.is_string() ? textOf(arguments) : toText(arguments);
}

} // namespace

struct CallCollector::Fragment
{
    explicit Fragment(const Json &json)
        : index(integerOf(member(json, "index"))), id(textOf(member(json, "id"))),
          name(textOf(member(member(json, "function"), "name"))),
          arguments(argumentsOf(member(member(json, "function"), "arguments")))
    {}

    std::optional<qint64> index;
    QByteArray id;
    QByteArray name;
    QByteArray arguments;
};

bool CallCollector::addFragment(const Json &json)
{
    const Fragment fragment(json);
    return append(callOf(fragment), fragment);
}

void CallCollector::addWhole(const Json &json)
{
    const Fragment fragment(json);
    append(m_calls.emplaceBack(Call{fragment.index, fragment.id, {}, {}, {}}), fragment);
}

QList<CallCollector::Call> CallCollector::calls() const
{
    QList<Call> found;
    std::copy_if(m_calls.begin(), m_calls.end(), std::back_inserter(found), [](const Call &call) {
        return !call.name.isEmpty() || !call.arguments.trimmed().isEmpty();
    });
    return found;
}

CallCollector::Call &CallCollector::callOf(const Fragment &fragment)
{
    Call *call = known(fragment);
    if (!call || beginsAnother(*call, fragment)) {
        return m_calls.emplaceBack(Call{fragment.index, fragment.id, {}, {}, {}});
    }
    return *call;
}

/// The call that the fragment names, or would go on with if it names none.
CallCollector::Call *CallCollector::known(const Fragment &fragment)
{
    const auto last = [this](const auto &isIt) {
        const auto found = std::find_if(m_calls.rbegin(), m_calls.rend(), isIt);
        return found == m_calls.rend() ? nullptr : &*found;
    };
    if (fragment.index) {
        return last([&](const Call &call) { return call.index == fragment.index; });
    }
    if (!fragment.id.isEmpty()) {
        return last([&](const Call &call) { return call.id == fragment.id; });
    }
    Call *open = last([](const Call &call) { return !call.progress.isWhole(); });
    return open || m_calls.isEmpty() ? open : &m_calls.last();
}

bool CallCollector::beginsAnother(const Call &call, const Fragment &fragment)
{
    const bool hasOtherId = !fragment.id.isEmpty() && !call.id.isEmpty() && fragment.id != call.id;
    if (hasOtherId) {
        // Some servers invent an id for every fragment; only the first of a call has its name.
        return !fragment.name.isEmpty() || call.progress.isWhole();
    }
    if (fragment.name.isEmpty()) {
        return false;
    }
    if (call.progress.isWhole() && !fragment.arguments.trimmed().isEmpty()) {
        return true;
    }
    const bool hasSameId = !fragment.id.isEmpty() && fragment.id == call.id;
    return !hasSameId && !call.name.isEmpty() && fragment.name != call.name;
}

bool CallCollector::append(Call &call, const Fragment &fragment)
{
    if (call.id.isEmpty()) {
        call.id = fragment.id;
    }
    const bool isNamed = call.name.isEmpty() && !fragment.name.isEmpty();
    if (isNamed) {
        call.name = fragment.name;
    }
    call.arguments += fragment.arguments;
    call.progress.add(fragment.arguments);
    return isNamed;
}

} // namespace spettro
