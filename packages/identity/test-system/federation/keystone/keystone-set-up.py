"""A new Keystone's keys, tables and first user, as `keystone-manage` makes them one after the other: argv has its configuration and a password."""
import sys

import keystone.conf
from keystone.cmd import bootstrap
from keystone.common import fernet_utils, sql
from keystone.common.sql import upgrades

configuration, password = sys.argv[1:]
keystone.conf.configure()
sql.initialize()
keystone.conf.CONF(args=["--config-file", configuration], project="keystone")
upgrades.offline_sync_database_to_version()
for group in ("fernet_tokens", "credential"):
    keys = fernet_utils.FernetUtils(getattr(keystone.conf.CONF, group).key_repository, 3, group)
    keys.create_key_directory()
    keys.initialize_key_repository()

first = bootstrap.Bootstrapper()
first.admin_username = first.project_name = first.admin_role_name = "admin"
first.admin_password = password
first.service_name, first.region_id = "keystone", "RegionOne"
first.public_url = first.internal_url = first.admin_url = keystone.conf.CONF.public_endpoint + "v3"
first.immutable_roles = True
first.bootstrap()
