"""Reads a data set as a Python program does that knows the layout: every value by its type, every index to its records.

Prints what it found as JSON. Arguments: port, prefix.
"""

import json
import sys
from datetime import datetime

import redis

store = redis.Redis(port=int(sys.argv[1]))
prefix = sys.argv[2]

SECTIONS = ("call_ex", "prefix", "inv_op", "zone_ex")
NUMBERS = {"adif": int, "cqz": int, "ituz": int, "latitude": float, "longitude": float}
DATES = ("start", "end", "whitelist_start", "whitelist_end")
BOOLS = ("deleted", "whitelist")


def value(name, text):
    assert isinstance(text, str), name
    if name in NUMBERS:
        number = NUMBERS[name](text)
        assert str(number) == text, "Python spells %s %r" % (text, number)
        return number
    if name in DATES:
        date = datetime.strptime(text, "%Y-%m-%d%H:%M:%S")
        assert date.strftime("%Y-%m-%d%H:%M:%S") == text, text
        return date.isoformat()
    if name in BOOLS:
        return {"True": True, "False": False}[text]
    return text


def record(key):
    stored = store.get(key)
    fields = json.loads(stored.decode("utf8"))
    assert json.dumps(fields).encode("ascii") == stored, stored
    return {name: value(name, text) for name, text in fields.items()}


found = {"entities": {}}
for section in SECTIONS:
    start = "%s_%s_" % (prefix, section)
    found[section] = {}
    for key in store.scan_iter(start + "index_*"):
        name = key.decode()[len(start + "index_") :]
        ids = sorted(int(member) for member in store.smembers(key))
        found[section][name] = [dict(record("%s%d" % (start, number)), id=number) for number in ids]
for key in store.scan_iter(prefix + "_entity_*"):
    found["entities"][int(key.decode().rsplit("_", 1)[1])] = record(key)
print(json.dumps(found))
