"""Enforces quotas through Debian's oslo.limit, as OpenStack's own services do, and tells what came of it as lines of JSON.

The question: `url`, the administrator's `password`, and a `suffix` for names.
"""

import json
import logging
import sys
import tempfile

from keystoneauth1 import session
from keystoneauth1.identity import v3
from oslo_config import cfg
from oslo_limit import exception, limit

logging.disable(logging.CRITICAL)
question = json.load(sys.stdin)
v3_url = question["url"] + "/v3"
suffix = question["suffix"]
admin = session.Session(
    auth=v3.Password(
        auth_url=v3_url,
        username="admin",
        password=question["password"],
        user_domain_id="default",
        system_scope="all",
    )
)


def create(kind, **facts):
    return admin.post(f"{v3_url}/{kind}s", json={kind: facts}).json()[kind]


def create_limit(kind, **facts):
    return admin.post(f"{v3_url}/{kind}s", json={kind + "s": [facts]}).json()[kind + "s"][0]


def tell(check, run):
    try:
        value = run()
    except Exception as error:  # what an application would see
        value = [type(error).__name__, str(error)]
    print(json.dumps({"check": check, "value": value}), flush=True)


atelier = create("project", name="atelier" + suffix, domain_id="default")
studio = create("project", name="studio" + suffix, domain_id="default")
service = create("service", name="printers" + suffix, type="print")
place = {"service_id": service["id"], "region_id": "RegionOne"}
endpoint = create("endpoint", interface="public", url="http://print.example.com", **place)
create_limit("registered_limit", resource_name="pages", default_limit=5, **place)
# Under the model of two levels no project has more.
create_limit("limit", domain_id="default", resource_name="pages", resource_limit=9, **place)

printer = create("user", name="printer" + suffix, password="pw-printer", domain_id="default")
reader = admin.get(v3_url + "/roles?name=reader").json()["roles"][0]
admin.put(f"{v3_url}/system/users/{printer['id']}/roles/{reader['id']}")
configuration = f"""
[oslo_limit]
auth_type = password
auth_url = {question["url"]}
username = {printer["name"]}
password = pw-printer
user_domain_id = default
system_scope = all
endpoint_id = {endpoint["id"]}
"""
with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
    file.write(configuration)
    file.flush()
    cfg.CONF([], default_config_files=[file.name])

USED = {"pages": 3, "boards": 0}


def enforce(project, **deltas):
    enforcer = limit.Enforcer(lambda project_id, names: {name: USED[name] for name in names}, cache=False)
    enforcer.enforce(project["id"], deltas)
    return "allowed"


def over(project, **deltas):
    try:
        return enforce(project, **deltas)
    except exception.ProjectOverLimit as error:
        return [[info.resource_name, info.limit, info.current_usage, info.delta] for info in error.over_limit_info_list]


tell("up to the default", lambda: enforce(atelier, pages=2))
tell("above the default", lambda: over(atelier, pages=3))
tell("what has no registered limit", lambda: over(atelier, boards=1))
own = create_limit("limit", project_id=atelier["id"], resource_name="pages", resource_limit=4, **place)
tell("above an own limit", lambda: over(atelier, pages=2))
admin.patch(f"{v3_url}/limits/{own['id']}", json={"limit": {"resource_limit": 8}})
tell("up to a raised limit", lambda: enforce(atelier, pages=5))
tell("above a raised limit", lambda: over(atelier, pages=6))
tell("another project", lambda: over(studio, pages=3))
admin.patch(f"{v3_url}/limits/{own['id']}", json={"limit": {"resource_limit": 0}})
tell("a limit of nothing", lambda: over(atelier, pages=0))
