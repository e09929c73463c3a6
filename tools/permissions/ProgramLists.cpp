#include "tools/permissions/ProgramLists.h"

#include <QSet>

#include <algorithm>

namespace spettro {

namespace {

using Word = SimpleCommand::Word;
using Names = QSet<QByteArray>;

Names names(const char *text)
{
    const QList<QByteArray> list = QByteArray(text).simplified().split(' ');
    return Names(list.begin(), list.end());
}

const Names &codeRunners()
{
    static const Names list = names(
        // Shells and builtins that run text, load files or change how later commands are found.
        "bash sh dash zsh ksh mksh ash fish csh tcsh nu pwsh powershell cmd . source eval exec trap alias "
        "unalias hash enable set unset shopt bind complete export declare typeset local readonly read "
        "mapfile "
        "readarray getopts let (( fc history coproc autoload "
        // Interpreters.
        "python pypy perl ruby irb node nodejs deno bun lua luajit php tclsh wish expect osascript rscript "
        "julia "
        "ghci runghc runhaskell erl escript elixir iex groovy java jshell scala kotlin guile racket sbcl "
        "clisp "
        "swipl ocaml awk gawk mawk nawk sed m4 dc bc gdb lldb jq sqlite psql mysql r octave tsx ts-node "
        "wasmtime "
        // Package runners and build tools.
        "npx bunx pnpx uvx pipx npm pnpm yarn corepack make gmake bmake ninja cmake ctest cpack meson bazel "
        "buck gradle gradlew mvn mvnw ant rake just task tox nox poetry uv pip hatch pdm conda mamba dotnet "
        "swift "
        "stack cabal mix rebar composer bundle gem brew apt apt-get dnf yum pacman apk snap nix nix-shell "
        "nix-env "
        "rustup pre-commit pytest jest vitest mocha gcc g++ cc c++ clang clang++ ld "
        // Other machines and containers.
        "ssh scp sftp rsync mosh telnet nc ncat netcat socat curl wget docker podman nerdctl kubectl helm "
        "vagrant "
        "ansible terraform "
        // Editors, pagers, archives, and others with a way out.
        "vi vim nvim view ex ed emacs emacsclient nano pico less more most man info tar bsdtar zip unzip 7z "
        "cpio "
        "crontab at batch systemctl launchctl gpg git-shell tig lazygit gh xdg-open open screen tmux dd");
    return list;
}

const Names &wordRunners()
{
    static const Names list = names("watch parallel flock chroot unshare nsenter runuser su pkexec run0 "
                                    "systemd-run screen tmux ssh mosh at "
                                    "chrt taskset setarch linux32 linux64 prlimit numactl proot fakeroot "
                                    "xvfb-run dbus-run-session entr strace "
                                    "ltrace gdb valgrind perf script unbuffer expect rlwrap torsocks "
                                    "proxychains firejail bwrap cgexec docker "
                                    "podman kubectl npx bunx pnpx uvx pipx uv poetry pdm hatch pipenv npm "
                                    "pnpm yarn bun nix nix-shell direnv "
                                    "doppler dotenv hyperfine sem trap coproc rush fd fdfind start cmd csh "
                                    "tcsh fish pwsh powershell nu mksh "
                                    "watchexec nodemon cargo-watch faketime catchsegv softlimit setpriv "
                                    "capsh choom uclampset caffeinate");
    return list;
}

const Names &gitCommands()
{
    static const Names list = names(
        "add am annotate apply archive blame branch bundle cat-file check-ignore checkout cherry cherry-pick "
        "clean commit count-objects describe diff diff-index diff-tree fetch for-each-ref format-patch "
        "fsck gc grep log ls-files ls-remote ls-tree merge merge-base mv name-rev notes pull push "
        "range-diff reflog remote reset restore rev-list rev-parse revert rm shortlog show show-branch "
        "show-ref sparse-checkout stash status switch symbolic-ref tag version whatchanged worktree");
    return list;
}

bool gitRunsCode(const QList<Word> &words)
{
    if (words.size() < 2 || !words[1].isLiteral || !gitCommands().contains(words[1].text))
        return words.size()
               > 1; // An alias may stand for any command line; options in front are looked at before.
    return mayHaveOption(words.sliced(1), "O",
                         {"exec", "ext-diff", "textconv", "output", "output-directory", "open-files-in-pager",
                          "upload-pack", "receive-pack", "config", "template", "show-signature", "filters",
                          "remote", "strategy"});
}

/// Whether a program that runs no code by itself does so by one of these words.
bool optionRunsCode(const QByteArray &program, const QList<Word> &words)
{
    if (program == "git")
        return gitRunsCode(words);
    if (program == "find") {
        static const Names risky =
            names("-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls -files0-from");
        return std::any_of(words.begin() + 1, words.end(),
                           [](const Word &word) { return !word.isLiteral || risky.contains(word.text); });
    }
    if (program == "sort")
        return mayHaveOption(words, "oT", {"output", "compress-program", "temporary-directory"});
    if (program == "rg")
        return mayHaveOption(words, "z", {"pre", "hostname-bin", "search-zip"});
    if (program == "cargo") {
        static const Names known = names("build b check c clippy doc fmt metadata test t tree");
        return words.size() < 2 || !known.contains(words[1].text)
               || mayHaveOption(words.sliced(1), "CZ", {"config", "manifest-path"});
    }
    if (program == "go") {
        static const Names known = names("build doc fmt list test version vet");
        if (words.size() < 2 || !known.contains(words[1].text))
            return true;
        return std::any_of(words.begin() + 1, words.end(), [](const Word &word) {
            const QByteArray option = word.text.startsWith("--") ? word.text.sliced(1) : word.text;
            return !word.isLiteral || option.startsWith("-exec") || option.startsWith("-toolexec")
                   || option.startsWith("-vettool") || option.startsWith("-overlay")
                   || option.startsWith("-C") || option.startsWith("-modfile")
                   || option.startsWith("-ldflags") || option.startsWith("-gcflags")
                   || option.startsWith("-o");
        });
    }
    return program == "printf" && mayHaveOption(words, "v", {});
}

QByteArray withoutVersion(const QByteArray &program)
{
    qsizetype length = program.size();
    while (length > 1 && QByteArrayView("0123456789.-").contains(program[length - 1]))
        --length;
    return program.first(length);
}

} // namespace

QByteArray programName(const QByteArray &word)
{
    const QByteArray name = word.sliced(word.lastIndexOf('/') + 1).toLower();
    return name.endsWith(".exe") ? name.chopped(4) : name;
}

bool runsCode(const QByteArray &program, const QList<Word> &words)
{
    return codeRunners().contains(program) || codeRunners().contains(withoutVersion(program))
           || runsWords(program) || optionRunsCode(program, words);
}

bool runsWords(const QByteArray &program)
{
    return wordRunners().contains(program);
}

bool isShell(const QByteArray &program)
{
    static const Names shells = names("bash sh dash zsh ksh ash");
    return shells.contains(program);
}

bool mayHaveOption(const QList<Word> &words, QByteArrayView shortOptions,
                   const QList<QByteArray> &longOptions)
{
    for (const Word &word : words.sliced(1)) {
        if (!word.isLiteral)
            return true;
        if (!word.text.startsWith('-') || word.text == "-" || word.text == "--")
            continue;
        if (word.text.startsWith("--")) {
            const QByteArray name = word.text.sliced(
                2, word.text.indexOf('=') < 0 ? word.text.size() - 2 : word.text.indexOf('=') - 2);
            for (const QByteArray &option : longOptions) {
                if (option.startsWith(name))
                    return true;
            }
            continue;
        }
        for (const char letter : word.text.sliced(1)) {
            if (shortOptions.contains(letter))
                return true;
        }
    }
    return false;
}

bool isSystemProgram(const QByteArray &program, const QByteArray &word)
{
    static const Names folders = names("/bin/ /usr/bin/ /sbin/ /usr/sbin/ /usr/local/bin/");
    const QByteArray folder = word.first(word.lastIndexOf('/') + 1);
    return word.sliced(folder.size()) == program && (folder.isEmpty() || folders.contains(folder));
}

bool isHarmlessVariable(const QByteArray &name)
{
    static const Names list =
        names("LANG LANGUAGE TZ NO_COLOR CLICOLOR CLICOLOR_FORCE FORCE_COLOR COLUMNS LINES CI");
    return name.startsWith("LC_") || list.contains(name);
}

bool isHarmlessRedirection(const SimpleCommand::Redirection &redirection)
{
    const QByteArray &target = redirection.target.text;
    if (redirection.fd.startsWith('{'))
        return false;
    if (redirection.op.startsWith("<<"))
        return true;
    if (!redirection.target.isLiteral)
        return false;
    if (redirection.op == "<")
        return !target.startsWith("/dev/tcp/") && !target.startsWith("/dev/udp/");
    if (redirection.op == ">&" || redirection.op == "<&") {
        return !target.isEmpty() && std::all_of(target.begin(), target.end(), [](char byte) {
            return (byte >= '0' && byte <= '9') || byte == '-';
        });
    }
    return redirection.op != "<>" && target == "/dev/null";
}

} // namespace spettro
