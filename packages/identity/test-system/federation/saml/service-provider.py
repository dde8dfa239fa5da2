"""What a service provider of pysaml2's, xmlsec1 and the schemas make of metadata and of a response."""
import json, os, subprocess, sys, tempfile

from saml2 import BINDING_HTTP_POST
from saml2.client import Saml2Client
from saml2.config import SPConfig
from saml2.xml.schema import schema_saml_metadata, schema_saml_protocol

asked = json.load(sys.stdin)
folder = tempfile.mkdtemp()


def file(name, content):
    path = os.path.join(folder, name)
    with open(path, "w") as out:
        out.write(content)
    return path


def xmlsec(path, node):
    command = ["xmlsec1", "--verify", "--enabled-key-data", "rsa", "--pubkey-cert-pem", file("cert.pem", asked["certificate"]), "--id-attr:ID", node, path]
    return subprocess.run(command, capture_output=True).returncode == 0


metadata = file("idp.xml", asked["metadata"])
response = file("response.xml", asked["response"])
schema_saml_metadata.validate(asked["metadata"])
schema_saml_protocol.validate(asked["response"])
config = SPConfig()
config.load({
    "entityid": "https://sp.example.com/shibboleth",
    "metadata": {"local": [metadata]},
    "xmlsec_binary": "/usr/bin/xmlsec1",
    "allow_unknown_attributes": True,
    "service": {"sp": {
        "endpoints": {"assertion_consumer_service": [(asked["recipient"], BINDING_HTTP_POST)]},
        "allow_unsolicited": True,
        "want_assertions_signed": True,
        "want_response_signed": False,
    }},
})
import base64

client = Saml2Client(config)
parsed = client.parse_authn_request_response(base64.b64encode(asked["response"].encode()), BINDING_HTTP_POST)
json.dump({
    "metadata": xmlsec(metadata, "urn:oasis:names:tc:SAML:2.0:metadata:EntityDescriptor"),
    "assertion": xmlsec(response, "urn:oasis:names:tc:SAML:2.0:assertion:Assertion"),
    "issuer": parsed.issuer(),
    "subject": parsed.name_id.text,
    "attributes": parsed.ava,
    "certificates": len(client.metadata.certs(parsed.issuer(), "idpsso", "signing")),
}, sys.stdout)
