#include "tools/shell/Job.h"

namespace spettro {

Job::~Job()
{
    if (!m_run->report()) {
        m_run->cancel();
        m_run->wait({});
    }
}

} // namespace spettro
