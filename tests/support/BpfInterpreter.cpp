#include "tests/support/BpfInterpreter.h"

#include <cstddef>

namespace spettro::sandbox {

namespace {

// Written from include/uapi/linux/{bpf_common,filter,seccomp}.h, not from the planner's constants.
enum Opcode : std::uint16_t {
    LoadWordAbsolute = 0x20,
    AndConstant = 0x54,
    JumpAlways = 0x05,
    JumpEqual = 0x15,
    JumpGreater = 0x25,
    JumpGreaterOrEqual = 0x35,
    JumpSet = 0x45,
    ReturnConstant = 0x06,
};

constexpr std::uint32_t NumberOffset = 0;
constexpr std::uint32_t ArchitectureOffset = 4;
constexpr std::uint32_t InstructionPointerOffset = 8;
constexpr std::uint32_t ArgumentsOffset = 16;
constexpr std::uint32_t EndOffset = 64;
constexpr std::uint32_t AllowVerdict = 0x7fff0000;

bool isConditional(std::uint16_t code)
{
    return code == JumpEqual || code == JumpGreater || code == JumpGreaterOrEqual || code == JumpSet;
}

std::uint32_t wordAt(const SeccompData &data, std::uint32_t offset)
{
    const auto halfOf = [offset](std::uint64_t value) {
        return static_cast<std::uint32_t>(offset % 8 == 0 ? value : value >> 32);
    };
    if (offset == NumberOffset) {
        return data.number;
    }
    if (offset == ArchitectureOffset) {
        return data.architecture;
    }
    if (offset < ArgumentsOffset) {
        return halfOf(data.instructionPointer);
    }
    return halfOf(data.arguments[(offset - ArgumentsOffset) / 8]);
}

struct Outcome
{
    std::uint32_t verdict = 0;
    bool hasReadArguments = false;
};

/// Runs a program that `faultOf` may not have seen, hence the checks.
std::optional<Outcome> run(const std::vector<BpfInstruction> &program, const SeccompData &data)
{
    Outcome outcome;
    std::uint32_t accumulator = 0;
    std::size_t at = 0;
    while (at < program.size()) {
        const BpfInstruction &instruction = program[at];
        const std::uint32_t operand = instruction.operand;
        bool isTrue = false;
        switch (instruction.code) {
        case LoadWordAbsolute:
            if (operand % 4 != 0 || operand >= EndOffset) {
                return std::nullopt;
            }
            outcome.hasReadArguments = outcome.hasReadArguments || operand >= InstructionPointerOffset;
            accumulator = wordAt(data, operand);
            ++at;
            continue;
        case AndConstant:
            accumulator &= operand;
            ++at;
            continue;
        case JumpAlways:
            at += std::size_t{1} + operand;
            continue;
        case ReturnConstant:
            outcome.verdict = operand;
            return outcome;
        case JumpEqual:
            isTrue = accumulator == operand;
            break;
        case JumpGreater:
            isTrue = accumulator > operand;
            break;
        case JumpGreaterOrEqual:
            isTrue = accumulator >= operand;
            break;
        case JumpSet:
            isTrue = (accumulator & operand) != 0;
            break;
        default:
            return std::nullopt;
        }
        at += std::size_t{1} + (isTrue ? instruction.jumpTrue : instruction.jumpFalse);
    }
    return std::nullopt;
}

} // namespace

std::string faultOf(const std::vector<BpfInstruction> &program)
{
    if (program.empty() || program.size() > 4096) {
        return "has " + std::to_string(program.size()) + " instructions";
    }
    if (program.back().code != ReturnConstant) {
        return "does not end in a return";
    }
    std::vector<bool> isReached(program.size(), false);
    isReached.front() = true;
    for (std::size_t at = 0; at < program.size(); ++at) {
        const BpfInstruction &instruction = program[at];
        const std::string place = "instruction " + std::to_string(at) + ' ';
        if (!isReached[at]) {
            return place + "is out of reach";
        }
        if (isConditional(instruction.code)) {
            const std::size_t ifTrue = at + 1 + instruction.jumpTrue;
            const std::size_t ifFalse = at + 1 + instruction.jumpFalse;
            if (ifTrue >= program.size() || ifFalse >= program.size()) {
                return place + "jumps out of the program";
            }
            isReached[ifTrue] = true;
            isReached[ifFalse] = true;
            continue;
        }
        if (instruction.jumpTrue != 0 || instruction.jumpFalse != 0) {
            return place + "has jump offsets but is no conditional jump";
        }
        std::size_t next = at + 1;
        switch (instruction.code) {
        case LoadWordAbsolute:
            if (instruction.operand % 4 != 0 || instruction.operand >= EndOffset) {
                return place + "loads from outside the data";
            }
            break;
        case AndConstant:
            break;
        case JumpAlways:
            next += instruction.operand;
            break;
        case ReturnConstant:
            continue;
        default:
            return place + "has an opcode that seccomp does not take";
        }
        if (next >= program.size()) {
            return place + "leads out of the program";
        }
        isReached[next] = true;
    }
    return {};
}

std::optional<std::uint32_t> verdictOn(const std::vector<BpfInstruction> &program, const SeccompData &data)
{
    const std::optional<Outcome> outcome = run(program, data);
    return outcome ? std::optional(outcome->verdict) : std::nullopt;
}

bool isAlwaysAllowed(const std::vector<BpfInstruction> &program, std::uint32_t architecture,
                     std::uint32_t number)
{
    const std::optional<Outcome> outcome = run(program, {.number = number, .architecture = architecture});
    return outcome && !outcome->hasReadArguments && outcome->verdict == AllowVerdict;
}

} // namespace spettro::sandbox
