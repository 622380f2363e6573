"""Texts that match simple regular expressions."""

import re
import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import sre_constants as names
    import sre_parse

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def matching(pattern, chance, low=0, high=None):
    """A text that the pattern finds something in, of a length within the bounds."""
    try:
        tree = sre_parse.parse(pattern)
        compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise Unmatched(f"the pattern {pattern} cannot be read: {error}") from None
    for attempt in range(60):
        text = "".join(_part(item, chance, attempt) for item in tree)
        if len(text) < low and not pattern.endswith("$"):
            text += "x" * (low - len(text))
        if len(text) >= low and (high is None or len(text) <= high) and compiled.search(text):
            return text
    raise Unmatched(f"no text was found for the pattern {pattern}")


def _part(item, chance, attempt):
    op, argument = item
    if op is names.LITERAL:
        return chr(argument)
    if op is names.NOT_LITERAL:
        return "x" if argument != ord("x") else "y"
    if op is names.ANY:
        return chance.choice(LETTERS)
    if op is names.IN:
        return _one_of(argument, chance)
    if op is names.BRANCH:
        return "".join(_part(part, chance, attempt) for part in chance.choice(argument[1]))
    if op is names.SUBPATTERN:
        return "".join(_part(part, chance, attempt) for part in argument[-1])
    if op in (names.MAX_REPEAT, names.MIN_REPEAT):
        least, most, inner = argument
        most = min(most, least + (attempt + 1) * 3)
        count = chance.randint(least, max(least, most))
        return "".join(_part(part, chance, attempt) for _ in range(count) for part in inner)
    if op is names.CATEGORY:
        return _category(argument, chance)
    return ""


def _one_of(members, chance):
    if members and members[0][0] is names.NEGATE:
        for _ in range(200):
            letter = chance.choice(LETTERS + " -_.,:/")
            if not any(_holds(member, letter) for member in members[1:]):
                return letter
        return ""
    op, argument = chance.choice(members)
    if op is names.LITERAL:
        return chr(argument)
    if op is names.RANGE:
        return chr(chance.randint(argument[0], min(argument[1], max(argument[0], 0x24F))))
    return _category(argument, chance)


def _holds(member, letter):
    op, argument = member
    if op is names.LITERAL:
        return ord(letter) == argument
    if op is names.RANGE:
        return argument[0] <= ord(letter) <= argument[1]
    return bool(re.match({names.CATEGORY_DIGIT: r"\d", names.CATEGORY_SPACE: r"\s", names.CATEGORY_WORD: r"\w",
                          names.CATEGORY_NOT_DIGIT: r"\D", names.CATEGORY_NOT_SPACE: r"\S",
                          names.CATEGORY_NOT_WORD: r"\W"}.get(argument, "."), letter))


def _category(kind, chance):
    if kind is names.CATEGORY_DIGIT:
        return chance.choice("0123456789")
    if kind is names.CATEGORY_SPACE:
        return " "
    if kind is names.CATEGORY_NOT_WORD:
        return "-"
    return chance.choice(LETTERS)


class Unmatched(Exception):
    """No text is known that a pattern matches."""
