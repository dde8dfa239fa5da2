"""Single logout at an identity provider of pysaml2's, which verifies by xmlsec1.

Reads the key, certificate and entity ID of the provider, the metadata of the service, and what to do: `request` makes a
LogoutRequest, `finish` verifies the service's LogoutResponse, `answer` verifies the service's LogoutRequest and makes the
LogoutResponse. `binding` is `redirect` or `post`. Messages are answered as the query of a redirect, or as the fields of a form."""
import json, os, re, sys, tempfile
from urllib.parse import parse_qsl, urlsplit

from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT
from saml2.config import IdPConfig
from saml2.saml import NameID
from saml2.server import Server
from saml2.sigver import verify_redirect_signature
from saml2.xmldsig import DIGEST_SHA256, SIG_RSA_SHA256

asked = json.load(sys.stdin)
folder = tempfile.mkdtemp()
BINDING = {"redirect": BINDING_HTTP_REDIRECT, "post": BINDING_HTTP_POST}[asked["binding"]]
ALGORITHMS = {"sign_alg": SIG_RSA_SHA256, "digest_alg": DIGEST_SHA256}


def file(name, content):
    path = os.path.join(folder, name)
    with open(path, "w") as out:
        out.write(content)
    return path


idp = Server(config=IdPConfig().load({
    "entityid": asked["entityId"],
    "xmlsec_binary": "/usr/bin/xmlsec1",
    "metadata": {"local": [file("sp.xml", asked["metadata"])]},
    "key_file": file("key.pem", asked["key"]),
    "cert_file": file("cert.pem", asked["certificate"]),
    "service": {"idp": {"endpoints": {"single_logout_service": [
        ("https://idp.example.org/slo?realm=x", BINDING_HTTP_REDIRECT),
        ("https://idp.example.org/slo?realm=x", BINDING_HTTP_POST),
    ]}}},
}))
[sp] = idp.metadata.keys()
certificates = idp.metadata.certs(sp, "spsso", "signing")


def sent(message, destination, response):
    """By the binding: the signature of a redirect is in its query."""
    is_redirect = BINDING == BINDING_HTTP_REDIRECT
    info = idp.apply_binding(
        BINDING, str(message), destination, asked.get("relayState", "back"), response=response,
        sign=is_redirect, **({"sigalg": SIG_RSA_SHA256} if is_redirect else {}))
    if is_redirect:
        return {"query": urlsplit(dict(info["headers"])["Location"]).query}
    return {"fields": dict(re.findall(r'name="(\w+)" value="([^"]*)"', "".join(info["data"])))}


def verified(name):
    """The service's message, encoded."""
    if BINDING == BINDING_HTTP_POST:
        return asked["fields"][name]
    query = dict(parse_qsl(asked["query"]))
    assert any(verify_redirect_signature(query, idp.sec.sec_backend, each) for each in certificates), "not signed"
    return query[name]


def slo():
    [service, *_] = idp.metadata.single_logout_service(sp, BINDING, "spsso")
    return service["location"]


def request():
    # Of a redirect, the query is signed instead.
    message = idp.create_logout_request(
        slo(), sp, name_id=NameID(text=asked["nameId"]), session_indexes=[asked["index"]], expire=asked.get("expire"),
        sign=BINDING == BINDING_HTTP_POST, **ALGORITHMS)
    return sent(message[1] if isinstance(message, tuple) else message, slo(), False)


def finish():
    response = idp.parse_logout_request_response(verified("SAMLResponse"), BINDING)
    return {"issuer": response.issuer(), "status": response.response.status.status_code.value,
            "inResponseTo": response.in_response_to}


def answer():
    message = idp.parse_logout_request(verified("SAMLRequest"), BINDING).message
    response = idp.create_logout_response(message, [BINDING], sign=BINDING == BINDING_HTTP_POST, **ALGORITHMS)
    [index] = [each.text for each in message.session_index]
    return {"nameId": message.name_id.text, "index": index, **sent(response, slo(), True)}


json.dump({"request": request, "finish": finish, "answer": answer}[asked["do"]](), sys.stdout)
