#include "tools/text/GlobProgram.h"

#include <algorithm>

namespace spettro {

namespace {

char32_t unitOf(char32_t unit)
{
    return unit;
}

char32_t unitOf(char byte)
{
    return static_cast<unsigned char>(byte);
}

} // namespace

/// The steps that the automaton is in, each once.
class GlobProgram::StateSet
{
public:
    explicit StateSet(std::size_t size) : m_isMember(size) {}

    bool insert(std::size_t index)
    {
        if (m_isMember[index] != 0) {
            return false;
        }
        m_isMember[index] = 1;
        m_members.push_back(index);
        return true;
    }

    void clear()
    {
        for (const std::size_t index : m_members) {
            m_isMember[index] = 0;
        }
        m_members.clear();
    }

    bool contains(std::size_t index) const { return m_isMember[index] != 0; }
    const std::vector<std::size_t> &members() const { return m_members; }
    /// Room for `enter`, kept because it is needed for every unit of a text.
    std::vector<std::size_t> &pending() { return m_pending; }

private:
    std::vector<char> m_isMember;
    std::vector<std::size_t> m_members;
    std::vector<std::size_t> m_pending;
};

std::size_t GlobProgram::add(Step step)
{
    m_steps.push_back(std::move(step));
    return m_steps.size() - 1;
}

void GlobProgram::addUnit(char32_t unit)
{
    add({.kind = Kind::Unit, .unit = unit});
}

void GlobProgram::addByte(char byte)
{
    addUnit(unitOf(byte));
}

void GlobProgram::addAnyUnit()
{
    add({.kind = Kind::AnyUnit});
}

void GlobProgram::addAnyUnitOrSlash()
{
    add({.kind = Kind::AnyUnitOrSlash});
}

void GlobProgram::addClass(std::vector<Range> ranges, bool isNegated)
{
    add({.kind = Kind::Class, .isNegated = isNegated, .ranges = std::move(ranges)});
}

void GlobProgram::addStar()
{
    add({.kind = Kind::Star});
}

void GlobProgram::addStarStar()
{
    add({.kind = Kind::StarStar});
}

void GlobProgram::addAnyFolders()
{
    const std::size_t fork = addFork();
    addStarStar();
    addUnit(U'/');
    join(fork);
}

void GlobProgram::addInside()
{
    const std::size_t fork = addFork();
    addUnit(U'/');
    addStarStar();
    join(fork);
}

void GlobProgram::addNever()
{
    add({.kind = Kind::Never});
}

std::size_t GlobProgram::addFork()
{
    return add({.kind = Kind::Fork});
}

std::size_t GlobProgram::addJump()
{
    return add({.kind = Kind::Jump});
}

void GlobProgram::join(std::size_t index)
{
    m_steps[index].target = m_steps.size();
}

void GlobProgram::enter(StateSet &states, std::size_t index) const
{
    // A list of what is still to be entered instead of recursion: the depth would be the pattern's length.
    std::vector<std::size_t> &open = states.pending();
    open.assign(1, index);
    while (!open.empty()) {
        const std::size_t current = open.back();
        open.pop_back();
        if (!states.insert(current) || current == m_steps.size()) {
            continue;
        }
        const Step &step = m_steps[current];
        switch (step.kind) {
        case Kind::Star:
        case Kind::StarStar:
            open.push_back(current + 1);
            break;
        case Kind::Fork:
            open.push_back(current + 1);
            open.push_back(step.target);
            break;
        case Kind::Jump:
            open.push_back(step.target);
            break;
        case Kind::Unit:
        case Kind::AnyUnit:
        case Kind::AnyUnitOrSlash:
        case Kind::Class:
        case Kind::Never:
            break;
        }
    }
}

bool GlobProgram::takes(const Step &step, char32_t unit)
{
    switch (step.kind) {
    case Kind::Unit:
        return unit == step.unit;
    case Kind::AnyUnit:
    case Kind::Star:
        return unit != U'/';
    case Kind::StarStar:
    case Kind::AnyUnitOrSlash:
        return true;
    case Kind::Class:
        return unit != U'/' && std::any_of(step.ranges.begin(), step.ranges.end(), [&](const Range &range) {
                                   return unit >= range.first && unit <= range.second;
                               }) != step.isNegated;
    case Kind::Fork:
    case Kind::Jump:
    case Kind::Never:
        return false;
    }
    return false;
}

template<typename Text>
bool GlobProgram::matchesUnits(Text text) const
{
    StateSet states(m_steps.size() + 1);
    StateSet next(m_steps.size() + 1);
    enter(states, 0);
    for (const auto element : text) {
        const char32_t unit = unitOf(element);
        for (const std::size_t index : states.members()) {
            if (index == m_steps.size() || !takes(m_steps[index], unit)) {
                continue;
            }
            const bool isLoop = m_steps[index].kind == Kind::Star || m_steps[index].kind == Kind::StarStar;
            enter(next, isLoop ? index : index + 1);
        }
        if (next.members().empty()) {
            return false;
        }
        std::swap(states, next);
        next.clear();
    }
    return states.contains(m_steps.size());
}

bool GlobProgram::matches(std::u32string_view text) const
{
    return matchesUnits(text);
}

bool GlobProgram::matches(QByteArrayView text) const
{
    return matchesUnits(text);
}

} // namespace spettro
