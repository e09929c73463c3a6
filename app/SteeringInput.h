#pragma once

#include <QByteArray>
#include <QSocketNotifier>
#include <QTimer>

#include <functional>

namespace spettro {

/// Takes lines from standard input as they come, without waiting for them: what a person types while a goal run works.
/// On a terminal it reads only while Spettro is in the foreground, since a read in the background would stop it.
class SteeringInput
{
public:
    explicit SteeringInput(std::function<void(const QByteArray &line)> take);

private:
    void read();

    std::function<void(const QByteArray &line)> m_take;
    QSocketNotifier m_notifier;
    QTimer m_pause; ///< Until the next look whether Spettro is in the foreground.
    QByteArray m_rest;
};

} // namespace spettro
