#pragma once

#include "tools/ToolResult.h"
#include "tools/shell/Job.h"

namespace spettro {

/// The result of a call whose command has ended: its output, and as facts `exit_code` (128 + N where signal N ended it, 124
/// for the time limit), `signal`, `timed_out`, `cancelled`, and where the output is not shown whole `truncated`,
/// `output_bytes`, `output_lines` and the `job_id` by which to page through it. `ok` only for exit code 0.
ToolResult describeEnd(const Job &job, const sandbox::RunReport &report);

} // namespace spettro
