"""An application behind Debian's keystonemiddleware, asked with several tokens; each answer is a line of JSON.

The question: `url`, the administrator's `password`, and a `suffix` for names.
"""

import json
import logging
import sys

from keystoneauth1 import session
from keystoneauth1.identity import v3
from keystonemiddleware import auth_token
from webob import Request, Response
from webob.dec import wsgify

logging.disable(logging.CRITICAL)
question = json.load(sys.stdin)
url = question["url"]
suffix = question["suffix"]
in_default = {"user_domain_id": "default", "project_domain_id": "default"}
SHOWN = ("Identity-Status", "User-Name", "User-Domain-Id", "Project-Name", "Project-Domain-Id", "Roles", "Is-Admin-Project")


def log_in(**facts):
    auth = v3.Password(auth_url=url + "/v3", **facts, **in_default)
    own_session = session.Session(auth=auth)
    return own_session, auth.get_token(own_session)


admin, _ = log_in(username="admin", password=question["password"], project_name="admin")


def create(kind, **facts):
    return admin.post(f"{url}/v3/{kind}s", json={kind: {"domain_id": "default", **facts}}).json()[kind]


roles = {role["name"]: role["id"] for role in admin.get(url + "/v3/roles").json()["roles"]}


def member(name, project, role):
    user = create("user", name=name + suffix, password="pw-" + name)
    admin.put(f"{url}/v3/projects/{project['id']}/users/{user['id']}/roles/{roles[role]}")
    return user


services = create("project", name="services" + suffix)
atelier = create("project", name="atelier" + suffix)
gate = member("gate", services, "service")
kate = member("kate", atelier, "member")


@wsgify
def application(request):
    headers = {name: request.headers.get("X-" + name) for name in SHOWN}
    headers["Roles"] = sorted(headers["Roles"].split(","))
    catalog = json.loads(request.headers.get("X-Service-Catalog", "[]"))
    service = request.headers.get("X-Service-Identity-Status")
    return Response(json_body={**headers, "catalog": [each["type"] for each in catalog], "service": service})


guarded = auth_token.AuthProtocol(
    application,
    {
        "auth_type": "password",
        "auth_url": url,
        "username": gate["name"],
        "password": "pw-gate",
        "project_name": services["name"],
        "user_domain_id": "default",
        "project_domain_id": "default",
        "www_authenticate_uri": url,
        "service_token_roles": "service",
        "service_token_roles_required": True,
        "token_cache_time": -1,
        "service_type": "identity",  # The only type in the catalog.
    },
)


def ask(check, path="/", **headers):
    answer = Request.blank(path, headers=headers).get_response(guarded)
    told = answer.headers.get("WWW-Authenticate")
    body = answer.json if answer.status_int == 200 else None
    print(json.dumps({"check": check, "status": answer.status_int, "www": told, "body": body}), flush=True)


own_session, token = log_in(username=kate["name"], password="pw-kate", project_id=atelier["id"])
_, service_token = log_in(username=gate["name"], password="pw-gate", project_id=services["id"])
ask("a user's token", **{"X-Auth-Token": token})
ask("a user's token with a service's", **{"X-Auth-Token": token, "X-Service-Token": service_token})
rules = [{"service": "identity", "method": "GET", "path": "/servers/*"}]
robot = own_session.post(
    f"{url}/v3/users/{kate['id']}/application_credentials",
    json={"application_credential": {"name": "robot", "access_rules": rules}},
).json()["application_credential"]
credential = v3.ApplicationCredential(
    auth_url=url + "/v3",
    application_credential_id=robot["id"],
    application_credential_secret=robot["secret"],
)
limited = credential.get_token(session.Session())
ask("a token with access rules, where one allows it", "/servers/1", **{"X-Auth-Token": limited})
ask("a token with access rules, where none allows it", "/servers/1/ips", **{"X-Auth-Token": limited})
ask("no token")
ask("no token of ours", **{"X-Auth-Token": "nonsense"})
own_session.delete(url + "/v3/auth/tokens", headers={"X-Subject-Token": token})
ask("a revoked token", **{"X-Auth-Token": token})
_, second = log_in(username=kate["name"], password="pw-kate", project_id=atelier["id"])
ask("a second token", **{"X-Auth-Token": second})
admin.patch(f"{url}/v3/users/{kate['id']}", json={"user": {"enabled": False}})
ask("a token of a user who was disabled", **{"X-Auth-Token": second})

for kind, thing in (("users", kate), ("users", gate), ("projects", atelier), ("projects", services)):
    admin.delete(f"{url}/v3/{kind}/{thing['id']}")
