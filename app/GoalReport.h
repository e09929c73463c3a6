#pragma once

#include "app/agent/GoalRun.h"

#include <cstdio>
#include <memory>

namespace spettro {

/// What a goal run begins with.
struct GoalStart
{
    QByteArray goal;
    QByteArray workspace;
    QByteArray model;
    QByteArray policyTag; ///< Empty where nothing is confined.
    QByteArray sessionId;
};

/// Tells the operator how a goal run goes.
class GoalReport
{
public:
    virtual ~GoalReport() = default;

    virtual void started(const GoalStart &start) = 0;
    virtual void iterationStarted(int number) = 0;
    virtual void requestStarted() = 0;
    virtual void messageAdded(const Message &message) = 0;
    virtual void retrying(const QByteArray &why, std::chrono::milliseconds after) = 0;
    virtual void compactionStarted(qint64 tokens, qint64 window) = 0;
    virtual void usageArrived(const Usage &usage) = 0;
    virtual void callStarted(const CallPart &call) = 0;
    virtual void callFinished(const CallPart &call, const ToolResult &result) = 0;
    virtual void ended(const GoalEnd &end) = 0;
};

enum class Detail { All, EndOnly };

/// For people, on standard output: what the model says, a line for each call, a sign of life while something takes long, how
/// it ended.
std::unique_ptr<GoalReport> textGoalReport(Detail detail);

/// For programs, on standard output: one JSON line for each event.
std::unique_ptr<GoalReport> jsonGoalReport();

} // namespace spettro
