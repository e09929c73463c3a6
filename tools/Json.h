#pragma once

#include <nlohmann/json.hpp>

namespace spettro {

/// JSON with the members of an object in the order in which they were added. (nlohmann-json and not QJsonDocument, which
/// takes doubled keys, raw control characters and unknown escapes, and rounds large integers.)
using Json = nlohmann::ordered_json;

} // namespace spettro
