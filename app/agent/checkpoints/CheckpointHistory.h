#pragma once

#include "app/agent/checkpoints/CheckpointEntry.h"

namespace spettro {

/// The version of the checkpoints' format.
inline constexpr int CheckpointVersion = 1;

/// An undo that was begun.
struct BegunUndo
{
    int turn = 0;     ///< Its own number, under which it saved what it overwrote.
    int fromTurn = 0; ///< It takes back this turn and all after it.
    bool isDone = false;
};

/// What the records of the checkpoints say, in memory. The records are made and read here alone.
class CheckpointHistory
{
public:
    static Json versionRecord();
    static Json changeRecord(const CheckpointEntry &entry);
    static Json againRecord(int turn, const QByteArray &path, const FileState &after);
    static Json undoRecord(int turn, int fromTurn);
    static Json undoneRecord(int turn);

    /// Adds what a record says; those of other types, and those with something missing, are passed over.
    void take(const Json &record);

    /// In the order of the changes.
    const QList<CheckpointEntry> &entries() const { return m_entries; }

    /// The last turn with a change; 0 where there is none.
    int lastTurn() const { return m_lastTurn; }

    /// A number that no turn and no undo has.
    int nextTurn() const;

    /// The undo that is the last turn; nothing where that is none.
    std::optional<BegunUndo> lastUndo() const;

    /// The newest entry of a file in a turn, null where there is none. Valid until the next record.
    const CheckpointEntry *find(int turn, const QByteArray &path) const;

    /// Of the newest record that names one.
    int version() const { return m_version; }

private:
    void takeChange(const Json &record);
    void takeAgain(const Json &record);
    void takeUndo(const Json &record);

    QList<CheckpointEntry> m_entries;
    std::optional<BegunUndo> m_undo;
    int m_lastTurn = 0;
    int m_version = CheckpointVersion;
};

} // namespace spettro
