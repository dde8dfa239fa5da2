"""Logs in through Debian's keystoneauth in every way it has, and tells what came of each as a line of JSON.

The question: `url`, the administrator's `password`, and a `suffix` for names.
"""

import json
import sys

from keystoneauth1 import discover, exceptions, session
from keystoneauth1.identity import generic, v3

question = json.load(sys.stdin)
url = question["url"]
v3_url = url + "/v3"
in_default = {"user_domain_id": "default"}
admin_facts = {"username": "admin", "password": question["password"], **in_default}


def log_in(plugin=v3.Password, auth_url=v3_url, **facts):
    auth = plugin(auth_url=auth_url, **facts)
    return session.Session(auth=auth), auth


admin, _ = log_in(**admin_facts, project_name="admin", project_domain_id="default")


def create(kind, **facts):
    answer = admin.post(f"{v3_url}/{kind}s", json={kind: facts})
    return answer.json()[kind]


def access_facts(plugin_and_session):
    own_session, auth = plugin_and_session
    access = auth.get_access(own_session)
    return {
        "user": access.username,
        "user_domain": access.user_domain_name,
        "project": access.project_name,
        "project_domain": access.project_domain_id,
        "domain": access.domain_name,
        "system": access.system,
        "roles": sorted(access.role_names),
        "catalog": access.has_service_catalog(),
        "soon": access.will_expire_soon(),
        "audit": access.audit_id is not None,
    }


name = "kate" + question["suffix"]
project = create("project", name="atelier" + question["suffix"], domain_id="default")
user = create("user", name=name, password="pw-kate", domain_id="default")
roles = {role["name"]: role["id"] for role in admin.get(v3_url + "/roles").json()["roles"]}
for place in (f"projects/{project['id']}", "domains/default", "system"):
    admin.put(f"{v3_url}/{place}/users/{user['id']}/roles/{roles['member']}")

by_name = {"username": name, "password": "pw-kate", **in_default}
by_id = {"user_id": user["id"], "password": "pw-kate"}
in_project = {"project_id": project["id"]}


def with_token():
    own_session, auth = log_in(**by_id, unscoped=True)
    token = auth.get_token(own_session)
    return access_facts(log_in(v3.Token, token=token, project_id=project["id"]))


def make_credential(**facts):
    own_session, auth = log_in(**by_id, **in_project)
    place = f"{v3_url}/users/{user['id']}/application_credentials"
    answer = own_session.post(place, json={"application_credential": facts})
    return answer.json()["application_credential"]


def with_credential(**facts):
    own_session, auth = log_in(v3.ApplicationCredential, **facts)
    access = auth.get_access(own_session)
    shown = access._data["token"]["application_credential"]
    return {**access_facts((own_session, auth)), "restricted": shown["restricted"]}


def credential_by_id():
    made = make_credential(name="robot")
    return with_credential(
        application_credential_id=made["id"], application_credential_secret=made["secret"]
    )


def credential_by_name():
    made = make_credential(name="narrow", roles=[{"name": "reader"}], unrestricted=True)
    return with_credential(
        application_credential_name="narrow", application_credential_secret=made["secret"], **{
            key: by_name[key] for key in ("username", "user_domain_id")
        }
    )


def with_trust():
    """As orchestration does: the user passes roles on to the service, which logs in by the trust."""
    own_session, auth = log_in(**by_id, **in_project)
    service = {"name": f"heat {question['suffix']}", "password": "service-pw"}
    trustee = create("user", domain_id="default", **service)
    body = {
        "trustor_user_id": user["id"],
        "trustee_user_id": trustee["id"],
        "impersonation": True,
        "project_id": project["id"],
        "roles": [{"name": "reader"}],
    }
    trust = own_session.post(f"{v3_url}/OS-TRUST/trusts", json={"trust": body}).json()["trust"]
    login = log_in(v3.Password, user_id=trustee["id"], password="service-pw", trust_id=trust["id"])
    access = login[1].get_access(login[0])
    parties = access.trustor_user_id == user["id"] and access.trustee_user_id == trustee["id"]
    facts = {**access_facts(login), "trust": access.trust_id == trust["id"], "parties": parties}
    token = {"X-Auth-Token": login[1].get_token(login[0])}

    def status(method, path, **request):
        answer = session.Session().request(v3_url + path, method, headers=token, raise_exc=False, **request)
        return answer.status_code

    # It acts for the user on the project, and no further.
    read = status("GET", f"/projects/{project['id']}")
    refused = status("PATCH", f"/projects/{project['id']}", json={"project": {"description": "by the service"}})
    # It deletes the trust with the token of the trust, when the work is done.
    deleted = status("DELETE", f"/OS-TRUST/trusts/{trust['id']}")
    after = status("GET", f"/projects/{project['id']}")
    return {**facts, "read": read, "refused": refused, "deleted": deleted, "after": after}


def wrong_password():
    own_session, auth = log_in(user_id=user["id"], password="no")
    try:
        return auth.get_token(own_session)
    except exceptions.Unauthorized as error:
        return [error.http_status, error.message]


def discovery():
    own_session, auth = log_in(generic.Password, url, **by_name, **in_project)
    found = discover.Discover(own_session, url)
    return {
        "versions": [[*data["version"], data["url"]] for data in found.version_data()],
        "plugin": auth.get_access(own_session).version,
        "endpoint": own_session.get_endpoint(service_type="identity", interface="public"),
        "minor": list(own_session.get_api_major_version(service_type="identity", interface="public")),
    }


def reauthentication():
    own_session, auth = log_in(**by_id, **in_project)
    first = auth.get_token(own_session)
    admin.delete(f"{v3_url}/auth/tokens", headers={"X-Subject-Token": first})
    answer = own_session.get(f"{v3_url}/users/{user['id']}")
    return {"status": answer.status_code, "other": auth.get_token(own_session) != first}


checks = {
    "by name, without a scope": lambda: access_facts(log_in(**by_name, unscoped=True)),
    "by id, for a project": lambda: access_facts(log_in(**by_id, **in_project)),
    "for a project by name": lambda: access_facts(
        log_in(**by_name, project_name=project["name"], project_domain_name="Default")
    ),
    "for a domain": lambda: access_facts(log_in(**by_name, domain_name="Default")),
    "for the system": lambda: access_facts(log_in(**by_name, system_scope="all")),
    "with a token, for a project": with_token,
    "with an application credential": credential_by_id,
    "with an application credential by its name": credential_by_name,
    "with a trust": with_trust,
    "with a wrong password": wrong_password,
    "discovery": discovery,
    "after its token was revoked": reauthentication,
}
for check, run in checks.items():
    try:
        value = run()
    except Exception as error:  # each check tells of its own failure
        value = repr(error)
    print(json.dumps({"check": check, "value": value}), flush=True)

admin.delete(f"{v3_url}/users/{user['id']}")
admin.delete(f"{v3_url}/projects/{project['id']}")
