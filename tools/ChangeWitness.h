#pragma once

#include "tools/ScopeGuard.h"

namespace spettro {

/// Is told of every change that a file tool is about to make, so that it can be taken back later.
class ChangeWitness
{
public:
    virtual ~ChangeWitness() = default;

    /// `target` (its real path, the status of what is there, the folders that have to be made) will get the content
    /// `after` in place of `before`; nothing where there is no file yet. The change may still fail. An error, in words for
    /// the model, refuses it. Called from file threads, which can open nothing but what the commands may.
    virtual std::optional<ToolError> beforeChange(const ScopeHandle &target,
                                                  const std::optional<QByteArray> &before,
                                                  QByteArrayView after) = 0;
};

} // namespace spettro
