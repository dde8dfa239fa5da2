"""Asks a service with a user's token, as another service does; `configuration` names the file with its `[service_user]`.

Prints the status alone, and with the token of the service in addition.
"""

import json
import sys

from keystoneauth1 import loading, service_token, session, token_endpoint
from oslo_config import cfg

question = json.load(sys.stdin)
GROUP = "service_user"
conf = cfg.ConfigOpts()
loading.register_auth_conf_options(conf, GROUP)
conf.register_opt(cfg.BoolOpt("send_service_user_token", default=False), GROUP)
conf([], default_config_files=[question["configuration"]])


def status(auth):
    return session.Session(auth=auth).get(question["url"], raise_exc=False).status_code


users = token_endpoint.Token(question["url"], question["token"])
own = loading.load_auth_from_conf_options(conf, GROUP)
both = service_token.ServiceTokenAuthWrapper(user_auth=users, service_auth=own)
with_own = status(both) if conf.service_user.send_service_user_token else None
print(json.dumps({"alone": status(users), "with its own": with_own}))
