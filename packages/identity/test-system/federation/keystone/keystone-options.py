"""The options of Debian's Keystone, as `[group] name`."""
import json, sys

from keystone.conf import opts

json.load(sys.stdin)
print(json.dumps([f"[{group}] {option.name}" for group, options in opts.list_opts() for option in options]))
