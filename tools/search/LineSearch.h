#pragma once

#include <QByteArray>
#include <QByteArrayMatcher>
#include <QByteArrayView>
#include <QRegularExpression>
#include <QString>

#include <functional>
#include <optional>
#include <variant>

namespace spettro {

enum class LetterCase { Distinguish, Ignore };
enum class PatternSyntax { Regex, FixedString };

/// The first match in a line. Valid only while the callback runs.
struct LineMatch
{
    qsizetype lineNumber = 0; ///< From 1.
    qsizetype column = 0;     ///< From 1, in bytes.
    qsizetype length = 0;     ///< Of the match, in bytes; at most to the end of the line.
    QByteArrayView line;      ///< Without its line end (LF or CR LF); UTF-8 where the file is UTF-16.
};

/// What became of the search in one content.
struct SearchReport
{
    enum class End {
        Complete,
        Stopped,   ///< By the callback.
        Cancelled, ///< By the caller's question.
        TooCostly, ///< The pattern took too many steps or too long on this content; what was found is good.
    };

    End end = End::Complete;
    qsizetype matchingLines = 0;
    /// There is a NUL byte. The callback is not called then, and `matchingLines` is 1 if anything matches.
    bool isBinary = false;

    bool operator==(const SearchReport &) const = default;
};

/// Searches contents for the lines that a pattern matches, with the results of `rg --crlf --binary`.
class LineSearch
{
public:
    /// The longest pattern in bytes; longer ones are an error.
    static constexpr qsizetype MaximumPattern = qsizetype{16} * 1024;

    /// A search for the pattern, or why it is none. Patterns are UTF-8, fixed strings may be any bytes but NUL.
    static std::variant<LineSearch, QString> create(const QByteArray &pattern, PatternSyntax syntax,
                                                    LetterCase letterCase);

    /// Whether ripgrep would refuse the pattern or could read it otherwise (look-around, references, literal
    /// braces, a line end, …), so that this class has to search.
    bool needsOwnEngine() const { return m_needsOwnEngine; }

    /// False ends the search.
    using Callback = std::function<bool(const LineMatch &)>;

    /// Calls back for every matching line, in order; to count beyond a limit, go on and keep nothing. A byte order
    /// mark is no part of the content; UTF-16 with one is decoded. `isCancelled` may be empty; it is asked about
    /// every megabyte, except between the matches of a literal or of a pattern that needs the whole text.
    SearchReport search(QByteArrayView content, const Callback &callback,
                        const std::function<bool()> &isCancelled = {}) const;

private:
    LineSearch() = default;
    QString addRegex(const QByteArray &pattern, PatternSyntax syntax, LetterCase letterCase);

    class Run;

    QByteArray m_literal; ///< Not empty: bytes that are searched for as they are, instead of the regexes.
    QByteArrayMatcher m_matcher;
    QRegularExpression m_forAscii;
    QRegularExpression m_forUnicode;
    bool m_needsOwnEngine = false;
    bool m_needsWholeText = false;
};

} // namespace spettro
