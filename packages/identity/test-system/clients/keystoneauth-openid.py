"""Logs in through Debian's keystoneauth with OpenID Connect, in every way that needs no browser.

The question: `url`, the provider's `issuer`, `client_id`, `client_secret`, `username`, `password`, and an access token.
"""

import json
import sys

from keystoneauth1 import exceptions, loading, session

question = json.load(sys.stdin)
shared = {
    "auth_url": question["url"] + "/v3",
    "identity_provider": "op",
    "protocol": "openid",
}
client = {
    "client_id": question["client_id"],
    "client_secret": question["client_secret"],
    "discovery_endpoint": question["issuer"] + "/.well-known/openid-configuration",
    "scope": "openid profile email",
}
user = {"username": question["username"], "password": question["password"]}


def log_in(plugin, **options):
    auth = loading.get_plugin_loader(plugin).load_from_options(**shared, **options)
    access = auth.get_access(session.Session(auth=auth))
    return {
        "user": access.username,
        "user_domain": access.user_domain_name,
        "project": access.project_name,
        "roles": sorted(access.role_names),
        "methods": access._data["token"]["methods"],
    }


def tell(check, work):
    try:
        value = work()
    except exceptions.HttpError as error:
        value = error.http_status
    print(json.dumps({"check": check, "value": value}))


in_project = {"project_name": "atelier", "project_domain_name": "Default"}
tell("v3oidcpassword", lambda: log_in("v3oidcpassword", **client, **user))
tell("v3oidcpassword, for a project", lambda: log_in("v3oidcpassword", **client, **user, **in_project))
tell("v3oidcclientcredentials", lambda: log_in("v3oidcclientcredentials", **client))
tell("v3oidcaccesstoken", lambda: log_in("v3oidcaccesstoken", access_token=question["access_token"]))
tell("v3oidcaccesstoken, for an unknown token", lambda: log_in("v3oidcaccesstoken", access_token="made-up"))
