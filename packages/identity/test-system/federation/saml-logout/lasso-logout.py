"""Single logout at an identity provider of lasso's, as LemonLDAP::NG and authentic have it.

Reads the key, certificate and metadata of the provider, the metadata of the service, and what to do: `request` makes a LogoutRequest,
`finish` verifies the service's LogoutResponse, `answer` verifies the service's LogoutRequest and makes the LogoutResponse. `binding` is
`redirect` or `post`. Messages are the query of a redirect, or the fields of a form."""
import json, sys
from urllib.parse import urlsplit

import lasso

asked = json.load(sys.stdin)
IS_REDIRECT = asked["binding"] == "redirect"
SESSION = """<Session xmlns="http://www.entrouvert.org/namespaces/lasso/0.0" Version="2"><NidAndSessionIndex ProviderID="%s" AssertionID="_a" SessionIndex="%s"><saml:NameID xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">%s</saml:NameID></NidAndSessionIndex></Session>"""

own = lasso.Server.newFromBuffers(asked["own"], asked["key"], None, asked["certificate"])
own.signatureMethod = lasso.SIGNATURE_METHOD_RSA_SHA256
own.addProviderFromBuffer(lasso.PROVIDER_ROLE_SP, asked["metadata"])
[sp] = [each for each in own.providerIds if each != asked["entityId"]] if own.providerIds else [None]
logout = lasso.Logout(own)


def sent(name):
    if IS_REDIRECT:
        return {"query": urlsplit(logout.msgUrl).query}
    return {"fields": {name: logout.msgBody, "RelayState": logout.msgRelayState or ""}}


def received(name):
    return asked["query"] if IS_REDIRECT else asked["fields"][name]


def begin(name_id, index):
    logout.setSessionFromDump(SESSION % (sp, index, name_id))
    logout.initRequest(sp, lasso.HTTP_METHOD_REDIRECT if IS_REDIRECT else lasso.HTTP_METHOD_POST)


def request():
    begin(asked["nameId"], asked["index"])
    logout.msgRelayState = "back"
    logout.buildRequestMsg()
    return sent("SAMLRequest")


def finish():
    logout.processResponseMsg(received("SAMLResponse"))
    return {"issuer": logout.remoteProviderId, "status": logout.response.status.statusCode.value}


def answer():
    logout.processRequestMsg(received("SAMLRequest"))
    name_id, [index] = logout.request.nameId.content, logout.request.sessionIndexes
    logout.setSessionFromDump(SESSION % (logout.remoteProviderId, index, name_id))
    logout.validateRequest()
    logout.msgRelayState = asked["relayState"]
    logout.buildResponseMsg()
    return {"nameId": name_id, "index": index, **sent("SAMLResponse")}


json.dump({"request": request, "finish": finish, "answer": answer}[asked["do"]](), sys.stdout)
