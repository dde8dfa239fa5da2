"""An identity provider of pysaml2's: /sso for browsers, by redirect or form, and /ecp for clients (alice, secret). Browsers are
shown a page that asks for the password, and its form brings them back.

Reads a line of JSON with its port, key and certificate, and answers with its metadata; then a line with the metadata of the
service, and says that it is ready. `encrypt` has it encrypt assertions for the service, `signsMetadata` sign its metadata, valid for a day."""
import base64, json, os, re, sys, tempfile, time, traceback
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT, BINDING_SOAP
from saml2.config import IdPConfig
from saml2.metadata import entity_descriptor, sign_entity_descriptor
from saml2.saml import NAMEID_FORMAT_PERSISTENT, NAME_FORMAT_URI
from saml2.server import Server
from saml2.sigver import security_context, verify_redirect_signature
from saml2.xml.schema import schema_saml_protocol
from saml2.xmldsig import DIGEST_SHA256, SIG_RSA_SHA256

asked = json.loads(sys.stdin.readline())
base = "http://%s:%d" % (asked["host"], asked["port"])
folder = tempfile.mkdtemp()


def file(name, content):
    path = os.path.join(folder, name)
    with open(path, "w") as out:
        out.write(content)
    return path


KEYS = {"key_file": file("key.pem", asked["key"]), "cert_file": file("cert.pem", asked["certificate"])}


def configured(metadata):
    return IdPConfig().load({
        "entityid": base + "/metadata",
        "xmlsec_binary": "/usr/bin/xmlsec1",
        "metadata": metadata,
        "allow_unknown_attributes": True,
        **KEYS,
        "encryption_keypairs": [KEYS],
        "service": {"idp": {
            "name": "pysaml2",
            # By redirect it is the address that is signed, and in SOAP pysaml2 changes what was signed before it looks.
            "want_authn_requests_signed": bool(asked.get("post")),
            "endpoints": {"single_sign_on_service": [
                (base + "/sso", BINDING_HTTP_POST if asked.get("post") else BINDING_HTTP_REDIRECT),
                (base + "/ecp", BINDING_SOAP),
            ]},
            "policy": {"default": {"lifetime": {"minutes": 5}, "name_form": NAME_FORMAT_URI}},
            "name_id_format": [NAMEID_FORMAT_PERSISTENT],
        }},
    })


def metadata():
    config = configured({})
    if not asked.get("signsMetadata"):
        return str(entity_descriptor(config))
    config.valid_for = 24
    signing = dict(sign_alg=SIG_RSA_SHA256, digest_alg=DIGEST_SHA256)
    return sign_entity_descriptor(entity_descriptor(config), "_metadata", security_context(config), **signing)[1]


print(json.dumps(metadata()), flush=True)
service = json.loads(sys.stdin.readline())
idp = Server(config=configured({"local": [file("sp.xml", service["metadata"])]}))
IDENTITY = {"uid": ["alice"], "mail": ["alice@example.org"], "eduPersonAffiliation": ["staff", "member"]}
PASSWORDS = {"alice": "secret"}
# Pending requests of browsers, and what came with them to be returned, by their ids, until the user has logged in.
BEGUN = {}
AUTHN = {"class_ref": "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport", "authn_auth": base}


ENVELOPE = """<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Header>\
<ecp:Response xmlns:ecp="urn:oasis:names:tc:SAML:2.0:profiles:SSO:ecp" S:mustUnderstand="1" \
S:actor="http://schemas.xmlsoap.org/soap/actor/next" AssertionConsumerServiceURL="%s"/></S:Header><S:Body>%s</S:Body></S:Envelope>"""


PAGE = """<!doctype html><title>%s</title><h1>%s</h1><form method="post" action="%s">%s</form>"""
LOGIN = """<label>User <input name="username" autofocus></label><label>Password <input name="password" type="password"></label>\
<input type="hidden" name="request" value="%s"><button>Log in</button>"""
ANSWER = """<input type="hidden" name="SAMLResponse" value="%s"><input type="hidden" name="RelayState" value="%s"><button>Continue</button></form><script>document.forms[0].submit()</script>"""


def authn_for(message):
    """As requested; by a password otherwise. A user who has not to log in again did so an hour ago."""
    asked_for = message.requested_authn_context
    class_ref = asked_for.authn_context_class_ref[0].text if asked_for else AUTHN["class_ref"]
    age = 0 if message.force_authn == "true" else 3600
    return {**AUTHN, "class_ref": class_ref, "authn_instant": int(time.time()) - age}


def answer_to(message):
    return dict(
        identity=IDENTITY,
        in_response_to=message.id,
        destination=message.assertion_consumer_service_url,
        sp_entity_id=message.issuer.text,
        userid="alice",
        authn=authn_for(message),
        sign_assertion=True,
        sign_response=bool(asked.get("signsResponse")),
        sign_alg=SIG_RSA_SHA256,
        digest_alg=DIGEST_SHA256,
    )


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def reply(self, status, body, kind="text/html; charset=utf-8", **headers):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body.encode())

    def body(self):
        return self.rfile.read(int(self.headers["Content-Length"])).decode()

    def sign_on(self, fields, binding):
        request = idp.parse_authn_request(fields["SAMLRequest"], binding)
        schema_saml_protocol.validate(request.xmlstr)
        message = request.message
        BEGUN[message.id] = message, fields.get("RelayState", "")
        self.reply(200, PAGE % ("Log in", "Log in at pysaml2", "/login", LOGIN % message.id))

    def log_in(self, form):
        if PASSWORDS.get(form["username"]) != form["password"]:
            return self.reply(401, "wrong password")
        message, relay_state = BEGUN[form["request"]]
        answer = idp.create_authn_response(encrypt_assertion=bool(asked.get("encrypt")), **answer_to(message))
        encoded = base64.b64encode(str(answer).encode()).decode()
        action = message.assertion_consumer_service_url
        self.reply(200, PAGE % ("Logged in", "You are logged in", action, ANSWER % (encoded, escape(relay_state))))

    def do_GET(self):
        self.attempt(self.get)

    def do_POST(self):
        self.attempt(self.post)

    def attempt(self, work):
        try:
            work()
        except Exception:
            self.reply(500, traceback.format_exc(), "text/plain; charset=utf-8")

    def get(self):
        query = dict(parse_qsl(urlsplit(self.path).query))
        issuer = service["entityId"]
        certificates = idp.metadata.certs(issuer, "spsso", "signing")
        if not any(verify_redirect_signature(query, idp.sec.sec_backend, cert) for cert in certificates):
            return self.reply(403, "not signed")
        self.sign_on(query, BINDING_HTTP_REDIRECT)

    def post(self):
        if self.path == "/login":
            return self.log_in(dict(parse_qsl(self.body())))
        if self.path == "/sso":
            return self.sign_on(dict(parse_qsl(self.body())), BINDING_HTTP_POST)
        body = self.body()
        if self.headers.get("Authorization") != "Basic " + base64.b64encode(b"alice:secret").decode():
            return self.reply(401, "", WWW_Authenticate="Basic")
        request = idp.parse_authn_request(body, BINDING_SOAP)
        answer = answer_to(request.message)
        # Its own function for this can't take a response that is signed.
        response = re.sub(r"^<\?xml.*?\?>", "", str(idp.create_authn_response(**answer)))
        self.reply(200, ENVELOPE % (answer["destination"], response), "text/xml; charset=utf-8")


server = ThreadingHTTPServer(("127.0.0.1", asked["port"]), Handler)
print(json.dumps("ready"), flush=True)
server.serve_forever()
