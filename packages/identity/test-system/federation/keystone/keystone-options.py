"""The options of Debian's Keystone and of the libraries that it reads from the same file, as `[group] name`."""
import json, sys
from importlib.metadata import entry_points

NAMESPACES = {"keystone", "oslo.log", "oslo.messaging", "oslo.middleware", "oslo.middleware.cors", "oslo.policy"}

json.load(sys.stdin)
listings = [entry.load()() for entry in entry_points(group="oslo.config.opts") if entry.name in NAMESPACES]
print(
    json.dumps(
        [f"[{group or 'DEFAULT'}] {option.name}" for listing in listings for group, options in listing for option in options]
    )
)
