"""OAuth 1.0a by the clients' own code: keystoneclient and keystoneauth, which sign with oauthlib."""
import json
import sys

from keystoneauth1 import session
from keystoneauth1.extras import oauth1
from keystoneauth1.identity import v3
from keystoneclient.v3 import client

question = json.load(sys.stdin)
url = question["url"] + "/v3"
password = v3.Password(
    url, username="admin", password=question["password"], project_name="admin", user_domain_id="default", project_domain_id="default"
)
admin = session.Session(password)
keystone = client.Client(session=admin, endpoint_override=url)
project = admin.get_project_id()
member = keystone.roles.list(name="member")[0]

consumer = keystone.oauth1.consumers.create(description="a program")
requested = keystone.oauth1.request_tokens.create(consumer.id, consumer.secret, project)
authorized = keystone.oauth1.request_tokens.authorize(requested.key, [member.id])
access = keystone.oauth1.access_tokens.create(
    consumer.id, consumer.secret, requested.key, requested.secret, authorized.oauth_verifier
)


def log_in(secret=access.secret, **scope):
    plugin = oauth1.V3OAuth1Method(
        consumer_key=consumer.id, consumer_secret=consumer.secret, access_key=access.key, access_secret=secret
    )
    return session.Session(v3.Auth(url, [plugin], **scope))


own = log_in()
info = own.auth.get_access(own)
other = log_in(project_id="another")
ignored = other.auth.get_access(other).project_id
try:
    log_in(secret="wrong").get_token()
    refused = None
except Exception as error:
    refused = type(error).__name__

path = f"{url}/users/{admin.get_user_id()}/OS-OAUTH1/access_tokens"
listed = admin.get(path).json()["access_tokens"]
keystone.oauth1.consumers.delete(consumer.id)
try:
    keystone.tokens.validate(own.get_token())
    ended = None
except Exception as error:
    ended = type(error).__name__
json.dump(
    {
        "project": info.project_id == project,
        "roles": sorted(info.role_names),
        "consumer": info.oauth_consumer_id == consumer.id,
        "access": info.oauth_access_token_id == access.key,
        "ignored": ignored == project,
        "refused": refused,
        "listed": [each["id"] == access.key for each in listed],
        "ended": ended,
    },
    sys.stdout,
)
