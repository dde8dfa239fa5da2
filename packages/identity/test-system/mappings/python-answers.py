"""python-answers.py KIND SEED COUNT: what Python makes of random patterns, templates or lists, as a JSON value per line."""
import ast
import json
import random
import re
import signal
import sys
import warnings

warnings.simplefilter("ignore")
kind, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = random.Random(seed)
pick = rng.choice

CHARACTERS = list("abcABC019_ -.@xyz{},:=!<>|&~#\n") + list("éÉßſsKKkİiıIσςΣ😀٣\u2028µμ")
ESCAPES = r"\d \D \w \W \s \S \b \B \A \Z \n \t \x41 \u00e9 \. \- \\ \0 \101 \1 \2 \q \_ \] \8 \U0001F600 \a \/".split()
RANGES = ["a-z", "A-Z", "0-9", "a-c", "À-ÿ", "z-a", "!-~", r"\x00-\x7f", "α-ω", r"\d-x", "--a", "]-a"]
# Not among these: (?a:...) at the start, which Python 3.11 checks by the classes of Unicode first.
OPENINGS = ["("] * 3 + ["(?:"] * 3 + "(?= (?! (?<= (?<! (?> (?P<n> (?P<m> (?i: (?-i: (?s: (?m: (?x: (?is-m:".split() + ["(?(1)", "(?(n)"]
QUANTIFIERS = "* + ? {2} {1,} {,2} {0,3} {2,1} {,} {} {x} {1 {0}".split()

# Python 3.11 forgets to go back where a possessive look fails.
POSSESSIVE = {True: ["+"], False: []}


def character_set():
    text = "[" + pick(["", "^"])
    for _ in range(rng.randint(0, 4)):
        text += pick([lambda: pick(RANGES), lambda: pick(ESCAPES), lambda: pick(CHARACTERS + ["-", "^", "]", "["])])()
    return text + pick(["]", "]", "]", ""])


def atom(depth):
    chance = rng.random()
    if chance < 0.35:
        character = pick(CHARACTERS)
        return pick([character, re.escape(character)])
    if chance < 0.5:
        return pick(ESCAPES)
    if chance < 0.6:
        return character_set()
    if chance < 0.73:
        return pick([".", "^", "$"])
    return group(depth - 1) if depth > 0 else pick("abc")


def group(depth):
    opening = pick(OPENINGS + ["(?P=n)", "(?#c)", "(?i)"])
    if opening.endswith(")"):
        return opening + ("a)" if opening.startswith("(?(") else "")
    if opening in ("(?<=", "(?<!") and rng.random() < 0.8:
        return opening + "".join(pick(["a", "b", ".", r"\d", "[ab]", "(?:a|b)", r"\b"]) for _ in range(rng.randint(0, 3))) + ")"
    return opening + branches(depth) + ")"


def sequence(depth):
    return "".join(
        piece + (pick(QUANTIFIERS) + pick(["", "", "", "?"] + POSSESSIVE[piece[:2] != "(?"]) if rng.random() < 0.35 else "")
        for piece in (atom(depth) for _ in range(rng.randint(0, 4)))
    )


def branches(depth):
    return "|".join(sequence(depth) for _ in range(pick([1, 1, 1, 2, 3])))


def text():
    return "".join(pick("aabbcABC01_ -.@x\n\néÉßſsKkİiıIσςΣ😀٣µμ") for _ in range(rng.randint(0, pick([3, 8, 20]))))


class TooLong(Exception):
    pass


def stop(*_):
    raise TooLong


signal.signal(signal.SIGALRM, stop)


def pattern_row():
    pattern = pick(["", "", "", "", "(?i)", "(?m)", "(?s)", "(?x)", "(?a)", "(?im)", "(?x) "]) + branches(rng.randint(0, 3))
    texts = [text() for _ in range(8)] + ["", "\n", "a"]
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, ValueError, RecursionError) as fault:
        return {"pattern": pattern, "fault": str(fault)}
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        found = [bool(compiled.search(one)) for one in texts]
    except TooLong:
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return {"pattern": pattern, "texts": texts, "found": found}


class Values:
    """Keystone's direct maps: a list of one is its member."""

    def __init__(self, lists):
        self.lists = lists

    def __getitem__(self, index):
        value = self.lists[index]
        return value[0] if len(value) == 1 else value


def template_row():
    pieces = ["{0}", "{1}", "{2}", "{}", "{{", "}}", "{", "}", "a", " ", "é", "{0[0]}", "{1[1]}", "{0!r}", "{1!a}", "{1!s}", "{0:>7}",
              "{0:*^9.2}", "{0:05}", "{0:.1s}", "{1!r:<20}", "{0:d}", "{0:+}", "{0!x}", "{foo}", "{-1}", "{ 0 }", "{00}", "{0:=5}", "{0[x]}"]
    template = "".join(pick(pieces) for _ in range(rng.randint(1, 4)))
    parts = ["a", "bob", "it's", '"q"', "'\"", "é", "\n", "\t", "\\", "\0", "\x7f", "\u200b", "\xa0", "😀", "", "name", "\ue000", "\u2028"]
    lists = [[pick(parts) for _ in range(pick([0, 1, 1, 1, 2, 3]))] for _ in range(3)]
    row = {"template": template, "values": [one[0] if len(one) == 1 else one for one in lists]}
    try:
        return {**row, "filled": template.format(*Values(lists))}
    except Exception as fault:
        return {**row, "fault": type(fault).__name__}


def list_row():
    pieces = ["[", "]", "[", "]", ",", ", ", "'a'", '"b"', "'it\\'s'", "'''c'''", "r'\\d'", "u'x'", "'\\x41\\u00e9\\n'", "1", "-2", "1.5", "1_0", "0x1f", "01",
              "True", "None", "foo", "(", ")", "{", "}", ":", " ", "\n", "#x\n", "'", '"', "\\", "+"]
    around = [" ", "\n", "\t", "\r", "\f", "#c", "\n ", "\n\n"]
    source = "[" + "".join(pick(pieces) for _ in range(rng.randint(0, 6))) + pick(["]", "]", "]", "", ")", " ]\n"])
    if rng.random() < 0.3:
        source = repr([text() for _ in range(rng.randint(0, 4))])
    if rng.random() < 0.3:
        source = "".join(pick(around) for _ in range(rng.randint(0, 3))) + source + "".join(pick(around) for _ in range(rng.randint(0, 3)))
    try:
        value = ast.literal_eval(source)
        return {"source": source, "list": value if isinstance(value, list) else None, "json": json.dumps(value) != ""}
    except (ValueError, SyntaxError):
        return {"source": source, "list": None}
    except TypeError:
        return None  # what JSON or a set can't hold


row_of = {"patterns": pattern_row, "templates": template_row, "lists": list_row}[kind]
for _ in range(count):
    row = row_of()
    if row is not None:
        print(json.dumps(row))
