"""Debian's Keystone: `sync` makes its tables, `keys` its key folders, `bootstrap PASSWORD URL` its first user, `serve PORT` answers requests."""
import os, sys
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import keystone.conf
from keystone.cmd import bootstrap
from keystone.common import fernet_utils, sql
from keystone.common.sql import upgrades

configuration, *actions = sys.argv[1:]
# Keystone reads it too.
del sys.argv[1:]


def configure():
    keystone.conf.configure()
    sql.initialize()
    keystone.conf.CONF(args=["--config-file", configuration], project="keystone")


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Handler(WSGIRequestHandler):
    def log_message(self, *ignored):
        pass


if actions[0] == "serve":
    os.environ["OS_KEYSTONE_CONFIG_FILES"] = configuration
    from keystone.server.wsgi import initialize_public_application

    application = initialize_public_application()
    make_server("127.0.0.1", int(actions[1]), application, Server, Handler).serve_forever()

configure()
if "sync" in actions:
    upgrades.offline_sync_database_to_version()
if "keys" in actions:
    for group in ("fernet_tokens", "credential"):
        keys = fernet_utils.FernetUtils(getattr(keystone.conf.CONF, group).key_repository, 3, group)
        if not os.path.isdir(keys.key_repository):
            keys.create_key_directory()
            keys.initialize_key_repository()
if "bootstrap" in actions:
    first = bootstrap.Bootstrapper()
    first.admin_username = first.project_name = first.admin_role_name = "admin"
    first.admin_password, url = actions[-2:]
    first.service_name, first.region_id = "keystone", "RegionOne"
    first.public_url = first.internal_url = first.admin_url = url
    first.immutable_roles = True
    first.bootstrap()
