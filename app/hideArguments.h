#pragma once

namespace spettro {

/// Overwrites the arguments of `main()` behind the program's name, which any process of the machine can read in /proc:
/// what the operator has set is not for the commands to know.
void hideArguments(int argc, char **argv);

} // namespace spettro
