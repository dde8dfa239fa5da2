"""Requests that botocore signs, sent to Debian's Swift, whose s3token has the service verify them; lines of JSON.

The account server is replaced by an application that knows no containers.
"""

import logging

from botocore.auth import HmacV1Auth, S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from cloud import IN_DEFAULT, create, create_user, log_in, named, tell, url, v3_url
from swift.common.middleware import keystoneauth
from swift.common.middleware.s3api import s3api, s3token
from swift.common.swob import Request, Response

logging.disable(logging.CRITICAL)
services = create("project", **named("services"))
atelier = create("project", **named("atelier"))
swift = create_user("swift", "service", services)
kate = create_user("kate", "member", atelier)
reached = []


def account_server(env, start_response):
    request = Request(env)
    authorize = env.get("swift.authorize")
    denial = authorize(request) if authorize is not None else None
    if denial is not None:
        return denial(env, start_response)
    reached.append(request.path)
    return Response(request=request, body=b"[]", content_type="application/json")(env, start_response)


def pipeline(**login):
    """s3api, s3token and keystoneauth, as in Swift's guide."""
    application = keystoneauth.filter_factory({}, operator_roles="member")(account_server)
    application = s3token.filter_factory({}, auth_uri=v3_url, **login)(application)
    return s3api.filter_factory({}, location="RegionOne", s3_acl="no", check_bucket_owner="no")(application)


login = {
    "auth_type": "password",
    "auth_url": url,
    "username": swift["name"],
    "password": "pw-swift",
    "project_name": services["name"],
    **IN_DEFAULT,
}
application = pipeline(**login)


def signed(key, sign=lambda credentials: S3SigV4Auth(credentials, "s3", "RegionOne")):
    made = AWSRequest("GET", "http://s3.example.com/", headers={"Host": "s3.example.com"})
    sign(Credentials(key["access"], key["secret"])).add_auth(made)
    return dict(made.headers.items())


def ask(headers, through=None):
    reached.clear()
    request = Request.blank("/", headers=headers)
    answer = request.get_response(through or application)
    return [answer.status_int, [path.replace(atelier["id"], "atelier") for path in reached]]


own = log_in(username=kate["name"], password="pw-kate", project_id=atelier["id"])
keys = f"{v3_url}/users/{kate['id']}/credentials/OS-EC2"
key = own.post(keys, json={"tenant_id": atelier["id"]}).json()["credential"]
tell("a signature of version 4", lambda: ask(signed(key)))
tell("a signature of version 2", lambda: ask(signed(key, HmacV1Auth)))
tell("a signature by another secret", lambda: ask(signed({**key, "secret": "0" * 32})))
tell("an unknown key", lambda: ask(signed({**key, "access": "0" * 32})))
old = {**signed(key), "X-Amz-Date": "20200101T000000Z"}
tell("a date that was not signed", lambda: ask(old))
tell("a service without a login", lambda: ask(signed(key), pipeline()))
own.delete(f"{keys}/{key['access']}")
tell("a deleted key", lambda: ask(signed(key)))
