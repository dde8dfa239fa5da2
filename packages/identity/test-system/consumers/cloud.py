"""What the scripts of this folder share: the question, sessions, and resources that the administrator creates.

The question, as JSON on standard input: `url`, the administrator's `password`, and a `suffix` for names.
"""

import json
import sys

from keystoneauth1 import session
from keystoneauth1.identity import v3

question = json.load(sys.stdin)
url = question["url"]
v3_url = url + "/v3"
IN_DEFAULT = {"user_domain_id": "default", "project_domain_id": "default"}


def log_in(at=url, **facts):
    """A session of a user, with the scope that the facts name."""
    return session.Session(auth=v3.Password(auth_url=at + "/v3", **facts, **IN_DEFAULT))


admin = log_in(username="admin", password=question["password"], project_name="admin")
roles = {role["name"]: role["id"] for role in admin.get(v3_url + "/roles").json()["roles"]}


def create(kind, **facts):
    return admin.post(f"{v3_url}/{kind}s", json={kind: facts}).json()[kind]


def create_limit(kind, **facts):
    return admin.post(f"{v3_url}/{kind}s", json={kind + "s": [facts]}).json()[kind + "s"][0]


def named(name):
    return {"name": name + question["suffix"], "domain_id": "default"}


def create_user(name, role, project):
    """A user with a role on a project, whose password is `pw-` and the name."""
    user = create("user", password="pw-" + name, **named(name))
    admin.put(f"{v3_url}/projects/{project['id']}/users/{user['id']}/roles/{roles[role]}")
    return user


def tell(check, run):
    """Prints the outcome of a check as a line of JSON: a value, or the error that an application gets."""
    try:
        value = run()
    except Exception as error:
        value = [type(error).__name__, str(error)]
    print(json.dumps({"check": check, "value": value}), flush=True)
