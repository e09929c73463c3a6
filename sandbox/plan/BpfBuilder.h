#pragma once

#include "sandbox/plan/SyscallAbi.h"
#include "sandbox/plan/SyscallFilter.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace spettro::sandbox {

/// Assembles a classic BPF program with labels, in the subset that seccomp takes.
///
/// A conditional jump of classic BPF reaches at most 255 instructions ahead; where a label is farther away,
/// `build` puts an unconditional jump (whose offset has 32 bits) behind the conditional one. Jumps only lead
/// forwards.
class BpfBuilder
{
public:
    enum class Label : std::size_t {};

    enum class Test : std::uint16_t {
        Equal = bpf::JumpIfEqual,
        AtLeast = bpf::JumpIfAtLeast, ///< Unsigned.
        AnyBit = bpf::JumpIfAnyBit,
    };

    Label newLabel();

    /// Makes the label stand for the next instruction. A label is placed once.
    void place(Label label);

    /// Loads the 32-bit word at a byte offset of `struct seccomp_data` into the accumulator.
    void load(std::uint32_t offset);

    /// Keeps only these bits of the accumulator.
    void mask(std::uint32_t bits);

    /// Compares the accumulator with a value.
    void jumpIf(Test test, std::uint32_t operand, Label ifTrue, Label ifFalse);

    /// As above; goes on with the next instruction where the test fails.
    void jumpIf(Test test, std::uint32_t operand, Label ifTrue);

    /// Ends the program with a verdict.
    void finish(std::uint32_t verdict);

    /// The program, or nothing where it is not one: a label in use was never placed, or twice, or lies behind
    /// the jump; the program does not end in a verdict, or has more instructions than the kernel takes.
    std::optional<std::vector<BpfInstruction>> build() const;

private:
    struct Step
    {
        std::uint16_t code = 0;
        std::uint32_t operand = 0;
        bool isConditional = false;
        Label ifTrue{};
        Label ifFalse{};
    };

    /// For each label the index of its step.
    std::vector<std::optional<std::size_t>> m_labels;
    std::vector<Step> m_steps;
    bool m_placedTwice = false;
};

} // namespace spettro::sandbox
