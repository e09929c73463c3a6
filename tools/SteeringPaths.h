#pragma once

#include <QByteArrayView>

#include <span>

namespace spettro {

/// The names, in lower case: git's folder, the settings of editors and agents, Spettro's manifest and folder.
std::span<const QByteArrayView> steeringNames();

/// Whether a path, relative to the folder it may be written in, leads to a file by which a repository steers programs
/// on the host: one of `steeringNames()` stands at any depth.
///
/// Names are compared as the most forgiving file system would: without regard to case, to blanks and dots at the end,
/// and to what stands behind a colon (NTFS streams).
bool isSteeringPath(QByteArrayView relativePath);

} // namespace spettro
