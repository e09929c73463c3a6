#include "app/llm/ReasoningDetails.h"
#include "app/llm/JsonText.h"

namespace spettro {

namespace {

bool isSameDetail(const Json &a, const Json &b)
{
    return member(a, "index").is_number() && member(a, "index") == member(b, "index")
           && member(a, "type") == member(b, "type");
}

/// Texts grow; of everything else the first value that is one stays, of a signature the last.
void merge(Json &detail, const Json &fragment)
{
    for (const auto &[name, value] : fragment.items()) {
        Json &own = detail[name];
        const bool grows = name == "text" || name == "summary" || name == "data";
        if (own.is_null() || (name == "signature" && !value.is_null())) {
            own = value;
        } else if (grows && own.is_string() && value.is_string()) {
            own = own.get_ref<const std::string &>() + value.get_ref<const std::string &>();
        }
    }
}

} // namespace

void ReasoningDetails::add(const Json &fragments)
{
    if (!fragments.is_array()) {
        return;
    }
    for (const Json &fragment : fragments) {
        if (!m_details.empty() && fragment.is_object() && isSameDetail(m_details.back(), fragment)) {
            merge(m_details.back(), fragment);
        } else {
            m_details.push_back(fragment);
        }
    }
}

QByteArray ReasoningDetails::text() const
{
    return m_details.empty() ? QByteArray() : toText(m_details);
}

} // namespace spettro
