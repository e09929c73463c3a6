#pragma once

#include <QByteArrayView>

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace spettro {

/// A compiled wildcard pattern: a small automaton whose matching time is at most the number of its steps times
/// the length of the text, whatever the pattern is. Every dialect (GlobPattern, GitIgnore and the patterns of the
/// permission rules) builds it. Texts and patterns are sequences of units: code points for globs, bytes for the rest.
class GlobProgram
{
public:
    using Range = std::pair<char32_t, char32_t>; ///< Both ends belong to it.

    /// Appends a step that takes exactly this unit.
    void addUnit(char32_t unit);
    /// The same for a pattern of bytes.
    void addByte(char byte);
    /// Appends a step that takes one unit, but no `/`.
    void addAnyUnit();
    /// Appends a step that takes one unit, `/` too.
    void addAnyUnitOrSlash();
    /// Appends a step that takes one unit inside (or, negated, outside) of the ranges, but never `/`.
    void addClass(std::vector<Range> ranges, bool isNegated);
    /// Appends a step that takes any number of units without `/`.
    void addStar();
    /// Appends a step that takes any number of units.
    void addStarStar();
    /// Appends what a whole `**` component and the `/` behind it mean: nothing, or anything up to a `/`.
    void addAnyFolders();
    /// Appends what is inside of the path so far, and the path itself: nothing, or a `/` and anything.
    void addInside();
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
    /// The same where every byte is a unit from 0 to 255.
    bool matches(QByteArrayView text) const;

private:
    enum class Kind { Unit, AnyUnit, AnyUnitOrSlash, Class, Star, StarStar, Fork, Jump, Never };

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
    template<typename Text>
    bool matchesUnits(Text text) const;
    static bool takes(const Step &step, char32_t unit);

    std::vector<Step> m_steps;
};

} // namespace spettro
