"""What keystoneauth gets of a service by v3samlpassword: {"url", "idp", "provider", "passwords"} -> for each, the token's user,
or the error."""
import json, sys

from keystoneauth1 import exceptions, session
from keystoneauth1.extras._saml2 import V3Saml2Password

asked = json.load(sys.stdin)


def attempt(password):
    auth = V3Saml2Password(
        auth_url=asked["url"] + "/v3",
        identity_provider=asked["provider"],
        protocol="saml2",
        identity_provider_url=asked["idp"],
        username="alice",
        password=password,
    )
    try:
        access = auth.get_access(session.Session())
        return {"user": access.username, "methods": access._data["token"]["methods"]}
    except exceptions.ClientException as error:
        return {"error": type(error).__name__}


print(json.dumps([attempt(password) for password in asked["passwords"]]))
