"""An application behind Debian's keystonemiddleware, asked with tokens that expired while a service works; lines of JSON.

`past_url` leads to the same service with an earlier clock, whose tokens have expired.
"""

import logging

from cloud import IN_DEFAULT, create, create_user, log_in, named, question, tell, url
from keystoneauth1 import session
from keystonemiddleware import auth_token
from webob import Request, Response
from webob.dec import wsgify

logging.disable(logging.CRITICAL)
services = create("project", **named("services"))
atelier = create("project", **named("atelier"))
gate = create_user("gate", "service", services)
kate = create_user("kate", "member", atelier)


@wsgify
def application(request):
    return Response(json_body=request.headers["X-User-Id"] == kate["id"])


guarded = auth_token.AuthProtocol(
    application,
    {
        "auth_type": "password",
        "auth_url": url,
        "username": gate["name"],
        "password": "pw-gate",
        "project_name": services["name"],
        **IN_DEFAULT,
        "www_authenticate_uri": url,
        "service_token_roles": "service",
        "service_token_roles_required": True,
        "token_cache_time": -1,
    },
)


def ask(token, service_token=None):
    headers = {"X-Auth-Token": token}
    if service_token is not None:
        headers["X-Service-Token"] = service_token
    answer = Request.blank("/", headers=headers).get_response(guarded)
    return answer.json if answer.status_int == 200 else answer.status_int


def token_of(user, password, project, at=url):
    return log_in(at, username=user["name"], password=password, project_id=project["id"]).get_token()


def of_service(at=url):
    return token_of(gate, "pw-gate", services, at)


def of_user(at=url):
    return token_of(kate, "pw-kate", atelier, at)


past = question["past_url"]
expired, revoked = of_user(past), of_user(past)
# In the past it was valid; what it revokes stays revoked.
headers = {"X-Auth-Token": of_user(past), "X-Subject-Token": revoked}
session.Session().delete(past + "/v3/auth/tokens", headers=headers)

tell("a token", lambda: ask(of_user()))
tell("an expired token", lambda: ask(expired))
tell("an expired token with a service's", lambda: ask(expired, of_service()))
tell("an expired token with a service's that expired too", lambda: ask(expired, of_service(past)))
tell("an expired token with a user's", lambda: ask(expired, of_user()))
tell("a revoked token that expired, with a service's", lambda: ask(revoked, of_service()))
