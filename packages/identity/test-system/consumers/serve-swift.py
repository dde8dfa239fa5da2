"""Serves Debian's Swift: `serve-swift.py PORT FOLDER`, with the filters and the pipeline of its proxy on standard input.

One device, in one process; objects are kept in memory.
"""

import os
import sys

import eventlet

eventlet.monkey_patch()

from eventlet import wsgi  # noqa: E402
from swift.common import utils  # noqa: E402
from swift.common.ring import RingBuilder  # noqa: E402
from swift.common.storage_policy import reload_storage_policies  # noqa: E402
from swift.common.wsgi import loadapp  # noqa: E402

port, folder = int(sys.argv[1]), sys.argv[2]
filters = sys.stdin.read()


def write(name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    return path


write("swift.conf", "[swift-hash]\nswift_hash_path_suffix = a test\n[storage-policy:0]\nname = only\ndefault = yes\n")
utils.SWIFT_CONF_FILE = os.path.join(folder, "swift.conf")
utils.validate_hash_conf()
reload_storage_policies()
os.makedirs(os.path.join(folder, "devices", "one"))
devices = f"[DEFAULT]\nswift_dir = {folder}\ndevices = {folder}/devices\nmount_check = false\n"


def start(socket, path):
    logger = utils.get_logger({}, "swift")
    # Requests below the address of a storage server carry its device.
    application = loadapp(path)
    eventlet.spawn(wsgi.server, socket, application, logger, log_output=False)


for kind, egg in (("account", "account"), ("container", "container"), ("object", "mem_object")):
    socket = eventlet.listen(("127.0.0.1", 0))
    builder = RingBuilder(4, 1, 0)
    place = {"ip": "127.0.0.1", "port": socket.getsockname()[1], "device": "one"}
    builder.add_dev({"id": 0, "region": 1, "zone": 1, "weight": 1.0, **place})
    builder.rebalance()
    builder.get_ring().save(os.path.join(folder, f"{kind}.ring.gz"))
    server = f"[app:main]\nuse = egg:swift#{egg}\n"
    start(socket, write(f"{kind}-server.conf", devices + server))

OWN = "[app:proxy-server]\nuse = egg:swift#proxy\naccount_autocreate = true\n"
proxy = write("proxy-server.conf", devices + filters + OWN)
start(eventlet.listen(("127.0.0.1", port)), proxy)
while True:
    eventlet.sleep(3600)
