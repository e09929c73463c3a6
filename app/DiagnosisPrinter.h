#pragma once

#include "sandbox/doctor/Diagnosis.h"

#include <string>

namespace spettro {

/// A diagnosis as a table for people.
std::string toTable(const sandbox::Diagnosis &diagnosis);

/// The same as one JSON object (UTF-8; bytes that are no UTF-8 are replaced).
std::string toJson(const sandbox::Diagnosis &diagnosis);

} // namespace spettro
