#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace spettro {

/// A compiled wildcard pattern: a small automaton whose matching time is at most the number of its steps times
/// the length of the text, whatever the pattern is. The two dialects (GlobPattern, GitIgnore) build it.
/// Texts and patterns are sequences of units: bytes for git, code points for globs.
class GlobProgram
{
public:
    using Range = std::pair<char32_t, char32_t>; ///< Both ends belong to it.

    /// Appends a step that takes exactly this unit.
    void addUnit(char32_t unit);
    /// Appends a step that takes one unit, but no `/`.
    void addAnyUnit();
    /// Appends a step that takes one unit inside (or, negated, outside) of the ranges, but never `/`.
    void addClass(std::vector<Range> ranges, bool isNegated);
    /// Appends a step that takes any number of units without `/`.
    void addStar();
    /// Appends a step that takes any number of units.
    void addStarStar();
    /// Appends what a whole `**` component and the `/` behind it mean: nothing, or anything up to a `/`.
    void addAnyFolders();
    /// Appends a step that never matches, for patterns that are accepted and match nothing.
    void addNever();

    /// Appends a fork: the next step, and a second way that `join` sets. Gives the fork's index.
    std::size_t addFork();
    /// Appends a jump to where `join` says. Gives its index.
    std::size_t addJump();
    /// Lets the fork or jump go on with the step that is added next.
    void join(std::size_t index);

    /// Whether the whole text fits.
    bool matches(std::u32string_view text) const;

private:
    enum class Kind { Unit, AnyUnit, Class, Star, StarStar, Fork, Jump, Never };

    struct Step
    {
        Kind kind = Kind::Never;
        char32_t unit = 0;
        bool isNegated = false;
        std::size_t target = 0;
        std::vector<Range> ranges = {};
    };

    class StateSet;

    std::size_t add(Step step);
    void enter(StateSet &states, std::size_t index) const;
    static bool takes(const Step &step, char32_t unit);

    std::vector<Step> m_steps;
};

} // namespace spettro
