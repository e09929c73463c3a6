# Reads what `ctest --output-junit` wrote. Prints one line for everything that failed or was skipped, and one line
# `counts PASSED FAILED SKIPPED` for every test executable: its functions and rows where QtTest printed totals, else one.
# Set `preset` to the name that the lines begin with.

function attribute(name,    text) {
    if (!match($0, " " name "=\"[^\"]*\""))
        return ""
    text = substr($0, RSTART, RLENGTH)
    sub(/^[^"]*"/, "", text)
    sub(/"$/, "", text)
    return text
}

function plain(text) {
    gsub(/&lt;/, "<", text)
    gsub(/&gt;/, ">", text)
    gsub(/&quot;/, "\"", text)
    gsub(/&apos;/, "'", text)
    gsub(/&amp;/, "\\&", text)
    return text
}

function note(verdict, text) {
    notes++
    print verdict " " preset " " test ": " plain(text)
}

/<testcase / {
    test = attribute("name")
    status = attribute("status")
    passed = failed = skipped = notes = 0
    last = ""
    next
}

/<skipped / {
    isSkip = index($0, "SKIP_RETURN_CODE") > 0
    if (!isSkip)
        last = attribute("message")
    next
}

/<failure / { next }

/<\/testcase>/ {
    if (status == "notrun" && isSkip) {
        note("skipped:", last)
        skipped++
    } else if (status == "run") {
        if (passed + failed + skipped == 0)
            passed = 1
    } else {
        if (!notes && last)
            note("failed: ", "crash, time limit or no start; its last line: " last)
        else if (!notes)
            note("failed: ", "crash, time limit or no start, without output")
        if (failed == 0)
            failed = 1
    }
    print "counts " passed " " failed " " skipped
    isSkip = 0
    next
}

{
    sub(/^.*<system-out>/, "")
    sub(/<\/system-out>.*$/, "")
}

/^SKIP +: / { note("skipped:", substr($0, index($0, ":") + 2)) }
/^FAIL! +: / { note("failed: ", substr($0, index($0, ":") + 2)) }

/^Totals: [0-9]+ passed, [0-9]+ failed, [0-9]+ skipped/ {
    passed += $2
    failed += $4
    skipped += $6
}

/[^ \t]/ { last = $0 }
