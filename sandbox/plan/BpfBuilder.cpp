#include "sandbox/plan/BpfBuilder.h"

namespace spettro::sandbox {

namespace {

constexpr std::size_t MaxShortJump = 255;

/// A conditional jump while its place is sought. The layout is: the jump itself, then a far jump for `true`
/// if it is far, then one for `false` if that is far.
struct Placement
{
    std::size_t address = 0;
    bool isTrueFar = false;
    bool isFalseFar = false;

    std::size_t size() const { return 1U + (isTrueFar ? 1U : 0U) + (isFalseFar ? 1U : 0U); }
};

} // namespace

BpfBuilder::Label BpfBuilder::newLabel()
{
    m_labels.emplace_back();
    return Label{m_labels.size() - 1};
}

void BpfBuilder::place(Label label)
{
    std::optional<std::size_t> &step = m_labels[static_cast<std::size_t>(label)];
    m_placedTwice = m_placedTwice || step.has_value();
    step = m_steps.size();
}

void BpfBuilder::load(std::uint32_t offset)
{
    m_steps.push_back({.code = bpf::LoadWord, .operand = offset});
}

void BpfBuilder::mask(std::uint32_t bits)
{
    m_steps.push_back({.code = bpf::And, .operand = bits});
}

void BpfBuilder::jumpIf(Test test, std::uint32_t operand, Label ifTrue, Label ifFalse)
{
    m_steps.push_back({.code = static_cast<std::uint16_t>(test),
                       .operand = operand,
                       .isConditional = true,
                       .ifTrue = ifTrue,
                       .ifFalse = ifFalse});
}

void BpfBuilder::jumpIf(Test test, std::uint32_t operand, Label ifTrue)
{
    const Label next = newLabel();
    jumpIf(test, operand, ifTrue, next);
    place(next);
}

void BpfBuilder::finish(std::uint32_t verdict)
{
    m_steps.push_back({.code = bpf::Return, .operand = verdict});
}

std::optional<std::vector<BpfInstruction>> BpfBuilder::build() const
{
    if (m_placedTwice || m_steps.empty() || m_steps.back().code != bpf::Return) {
        return std::nullopt;
    }
    const auto leadsForwards = [this](Label label, std::size_t from) {
        const std::optional<std::size_t> &step = m_labels[static_cast<std::size_t>(label)];
        return step && *step > from && *step < m_steps.size();
    };
    for (std::size_t i = 0; i < m_steps.size(); ++i) {
        const Step &step = m_steps[i];
        if (step.isConditional && !(leadsForwards(step.ifTrue, i) && leadsForwards(step.ifFalse, i))) {
            return std::nullopt;
        }
    }

    // Every jump starts near; making one far moves what lies behind it, so others may follow. Far ones stay
    // far, hence this ends.
    std::vector<Placement> places(m_steps.size());
    const auto addressOf = [this, &places](Label label) {
        return places[*m_labels[static_cast<std::size_t>(label)]].address;
    };
    bool isSettled = false;
    while (!isSettled) {
        isSettled = true;
        std::size_t address = 0;
        for (Placement &place : places) {
            place.address = address;
            address += place.size();
        }
        for (std::size_t i = 0; i < m_steps.size(); ++i) {
            if (!m_steps[i].isConditional) {
                continue;
            }
            Placement &place = places[i];
            const std::size_t reach = place.address + 1 + MaxShortJump;
            if (!place.isTrueFar && addressOf(m_steps[i].ifTrue) > reach) {
                place.isTrueFar = true;
                isSettled = false;
            }
            if (!place.isFalseFar && addressOf(m_steps[i].ifFalse) > reach) {
                place.isFalseFar = true;
                isSettled = false;
            }
        }
    }

    std::vector<BpfInstruction> program;
    for (std::size_t i = 0; i < m_steps.size(); ++i) {
        const Step &step = m_steps[i];
        if (!step.isConditional) {
            program.push_back({.code = step.code, .operand = step.operand});
            continue;
        }
        const Placement &place = places[i];
        const auto nearOffset = [&place, &addressOf](Label target) {
            return static_cast<std::uint8_t>(addressOf(target) - place.address - 1);
        };
        const auto farJump = [&program, &addressOf](Label target) {
            const std::size_t offset = addressOf(target) - program.size() - 1;
            return BpfInstruction{.code = bpf::Jump, .operand = static_cast<std::uint32_t>(offset)};
        };
        const std::uint8_t farFalseOffset = place.isTrueFar ? 1 : 0;
        program.push_back({.code = step.code,
                           .jumpTrue = place.isTrueFar ? std::uint8_t{0} : nearOffset(step.ifTrue),
                           .jumpFalse = place.isFalseFar ? farFalseOffset : nearOffset(step.ifFalse),
                           .operand = step.operand});
        if (place.isTrueFar) {
            program.push_back(farJump(step.ifTrue));
        }
        if (place.isFalseFar) {
            program.push_back(farJump(step.ifFalse));
        }
    }
    if (program.size() > bpf::MaxInstructions) {
        return std::nullopt;
    }
    return program;
}

} // namespace spettro::sandbox
