"""What keystoneauth gets of a service by v3samlpassword: {"url", "idp", "password"} -> the token's user, or the error."""
import json, sys

from keystoneauth1 import exceptions, session
from keystoneauth1.extras._saml2 import V3Saml2Password

asked = json.load(sys.stdin)
auth = V3Saml2Password(
    auth_url=asked["url"] + "/v3",
    identity_provider="pysaml2",
    protocol="saml2",
    identity_provider_url=asked["idp"],
    username="alice",
    password=asked["password"],
)
try:
    access = auth.get_access(session.Session())
    print(json.dumps({"user": access.username, "methods": access._data["token"]["methods"]}))
except exceptions.ClientException as error:
    print(json.dumps({"error": type(error).__name__, "text": str(error)}))
