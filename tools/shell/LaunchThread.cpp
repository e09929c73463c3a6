#include "tools/shell/LaunchThread.h"

namespace spettro {

LaunchThread::LaunchThread()
{
    m_worker.moveToThread(&m_thread);
    m_thread.setObjectName("launcher"); // seen in /proc
    m_thread.start();
}

LaunchThread::~LaunchThread()
{
    post([this] { m_thread.quit(); });
    m_thread.wait();
}

void LaunchThread::post(std::function<void()> function)
{
    QMetaObject::invokeMethod(&m_worker, std::move(function), Qt::QueuedConnection);
}

void LaunchThread::postAndWait(std::function<void()> function)
{
    QMetaObject::invokeMethod(&m_worker, std::move(function), Qt::BlockingQueuedConnection);
}

} // namespace spettro
