// What stands between a wrapper and the command that it starts.

#include "tools/permissions/WrapperOptions.h"

namespace spettro {

namespace {

using Word = SimpleCommand::Word;
using Kind = CommandFacts::Kind;

/// Reads one option word at `found.next`; false when it is not known for certain.
bool readOption(const WrapperOptions &known, const QList<Word> &words, FoundOptions &found)
{
    const QByteArray text = words[found.next].text;
    ++found.next;
    QByteArray name;
    QByteArray value;
    bool hasValue = false;
    if (text.startsWith("--")) {
        const qsizetype sign = text.indexOf('=');
        name = text.sliced(2, (sign < 0 ? text.size() : sign) - 2);
        if (known.longFlags.contains(name))
            return sign < 0;
        if (!known.longValued.contains(name))
            return false;
        hasValue = sign >= 0;
        value = hasValue ? text.sliced(sign + 1) : QByteArray();
    } else {
        qsizetype i = 1;
        while (i < text.size() && QByteArrayView(known.flags).contains(text[i]))
            ++i;
        if (i == text.size())
            return true;
        if (!QByteArrayView(known.valued).contains(text[i]))
            return false;
        name = text.sliced(i, 1);
        hasValue = i + 1 < text.size();
        value = text.sliced(i + 1);
    }
    if (!hasValue) {
        if (found.next >= words.size() || !words[found.next].isLiteral)
            return false;
        value = words[found.next].text;
        ++found.next;
    }
    found.values.append({name, Word{value}});
    return true;
}

} // namespace

const QList<WrapperOptions> &wrappers()
{
    static const QList<WrapperOptions> table{
        {"env",
         Kind::Wrapper,
         "i0v",
         "uC",
         {"ignore-environment", "null", "debug"},
         {"unset", "chdir"},
         0,
         true},
        {"command", Kind::Wrapper, "p", "", {}, {}},
        {"builtin", Kind::Wrapper, "", "", {}, {}},
        {"exec", Kind::Wrapper, "cl", "a", {}, {}},
        {"noglob", Kind::Wrapper, "", "", {}, {}},
        {"nocorrect", Kind::Wrapper, "", "", {}, {}},
        {"nice", Kind::Wrapper, "0123456789", "n", {}, {"adjustment"}},
        {"ionice", Kind::Wrapper, "t", "cn", {"ignore"}, {"class", "classdata"}},
        {"nohup", Kind::Wrapper, "", "", {}, {}},
        {"timeout",
         Kind::Wrapper,
         "v",
         "ks",
         {"foreground", "preserve-status", "verbose"},
         {"kill-after", "signal"},
         1},
        {"time", Kind::Wrapper, "pvq", "f", {"portability", "verbose", "quiet"}, {"format"}},
        {"stdbuf", Kind::Wrapper, "", "ioe", {}, {"input", "output", "error"}},
        {"setsid", Kind::Wrapper, "cfw", "", {"ctty", "fork", "wait"}, {}},
        {"busybox", Kind::Wrapper, "", "", {}, {}},
        {"toybox", Kind::Wrapper, "", "", {}, {}},
        {"xargs",
         Kind::Wrapper,
         "0rtxo",
         "adEILnPs",
         {"null", "no-run-if-empty", "verbose", "exit", "open-tty"},
         {"arg-file", "delimiter", "max-args", "max-procs", "max-chars"}},
        {"sudo",
         Kind::Starting,
         "AbEHnPSkB",
         "ugCpRTDhrt",
         {"askpass", "background", "preserve-env", "set-home", "non-interactive", "stdin"},
         {"user", "group", "host", "chdir", "prompt"},
         0,
         true},
        {"doas", Kind::Starting, "n", "u", {}, {}},
    };
    return table;
}

std::optional<FoundOptions> readOptions(const WrapperOptions &known, const QList<Word> &words)
{
    FoundOptions found;
    while (found.next < words.size()) {
        const Word &word = words[found.next];
        if (!word.isLiteral)
            return std::nullopt;
        if (word.text == "--") {
            ++found.next;
            break;
        }
        if (!word.text.startsWith('-') || word.text.size() < 2)
            break;
        if (!readOption(known, words, found))
            return std::nullopt;
    }
    return found;
}

} // namespace spettro
