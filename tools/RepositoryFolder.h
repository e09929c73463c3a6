#pragma once

namespace spettro {

/// Whether `path`, taken from a folder, is what `.git` is, whatever it is called: git takes a folder with `HEAD`,
/// `objects` and `refs` for one (gitrepository-layout(5)).
bool isRepositoryFolder(int folder, const char *path = "");

} // namespace spettro
