"""Writes a small data set as Python's str and json.dumps spell it. Arguments: port, prefix."""

import json
import sys
from datetime import datetime

import redis

store = redis.Redis(port=int(sys.argv[1]))
prefix = sys.argv[2]


def spelled(value):
    return value.strftime("%Y-%m-%d%H:%M:%S") if isinstance(value, datetime) else str(value)


def put(section, number, fields, call=None):
    text = json.dumps({name: spelled(value) for name, value in fields.items()})
    store.set("%s_%s_%d" % (prefix, section, number), text)
    if call is not None:
        store.sadd("%s_%s_index_%s" % (prefix, section, call), number)


def place(country, adif, latitude, longitude, **period):
    return dict(
        country=country, adif=adif, cqz=14, continent="EU", longitude=longitude, latitude=latitude, **period
    )


end_of_1992 = datetime(1992, 12, 31, 23, 59, 59)
put("prefix", 3, place("CZECHOSLOVAKIA", 218, 50.0, 14.5, end=end_of_1992), "OK")
put("prefix", 9, place("CZECH REPUBLIC", 503, 50.0, 14.5, start=datetime(1993, 1, 1)), "OK")
put("prefix", 12, place("C\u00f4te d'Ivoire", 428, 0.00001, -0.0), "TU")
put("call_ex", 7, place("MALTA", 257, 35.88, 14.42, start=datetime(2020, 1, 1), end=datetime(2020, 2, 1)), "OK1X/P")
put("inv_op", 1, {}, "OK9BAD")
put("zone_ex", 5, {"cqz": 40}, "OK1ABC")
put(
    "entity",
    503,
    dict(country="CZECH REPUBLIC", prefix="OK", deleted=False, cqz=15, continent="EU", longitude=14.5, latitude=50.0),
)
put(
    "entity",
    218,
    dict(
        country="CZECHOSLOVAKIA",
        prefix="OK",
        deleted=True,
        cqz=15,
        continent="EU",
        longitude=14.5,
        latitude=50.0,
        end=end_of_1992,
        whitelist=True,
        whitelist_start=datetime(1980, 1, 1),
    ),
)
