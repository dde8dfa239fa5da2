"""lasso, which mod_auth_mellon runs on, as a service provider or as an identity provider.

As a service provider it is given our metadata and a response, and tells what it has read of it. As an identity provider it is
given our request, and tells its response for alice. What it refuses is told as its error's name."""
import json, sys
from datetime import datetime, timedelta, timezone

import lasso

asked = json.load(sys.stdin)


def moment(minutes):
    return (datetime.now(timezone.utc) + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


def server(other_role):
    own = lasso.Server.newFromBuffers(asked["own"], asked["key"], None, asked["certificate"])
    own.signatureMethod = lasso.SIGNATURE_METHOD_RSA_SHA256
    own.addProviderFromBuffer(other_role, asked["service"])
    return own


def texts(nodes):
    return ["".join(part.content for part in node.any) for node in nodes]


def as_service_provider():
    login = lasso.Login(server(lasso.PROVIDER_ROLE_IDP))
    if asked["binding"] == "paos":
        login.processPaosResponseMsg(asked["message"])
    else:
        login.processAuthnResponseMsg(asked["message"])
    login.acceptSso()
    assertion = login.assertion
    confirmation = assertion.subject.subjectConfirmation.subjectConfirmationData
    return {
        "issuer": login.remoteProviderId,
        "name": login.nameIdentifier.content,
        "recipient": confirmation.recipient,
        "isInTime": assertion.validateTimeChecks(60, 0) == lasso.SAML2_ASSERTION_VALID,
        "attributes": {each.name: texts(each.attributeValue) for each in assertion.attributeStatement[0].attribute},
    }


def attribute(name, values):
    made = lasso.Saml2Attribute()
    made.name, made.nameFormat = name, lasso.SAML2_ATTRIBUTE_NAME_FORMAT_BASIC
    made.attributeValue = [text_value(value) for value in values]
    return made


def text_value(text):
    value = lasso.Saml2AttributeValue()
    value.any = [lasso.MiscTextNode.newWithString(text)]
    value.any[0].textChild = True
    return value


def as_identity_provider():
    login = lasso.Login(server(lasso.PROVIDER_ROLE_SP))
    login.processAuthnRequestMsg(asked["message"])
    login.validateRequestMsg(True, True)
    login.buildAssertion(lasso.SAML2_AUTHN_CONTEXT_PASSWORD, moment(0), moment(60), moment(-1), moment(5))
    login.assertion.subject.nameID.content = "alice"
    statement = lasso.Saml2AttributeStatement()
    statement.attribute = [attribute("uid", ["alice"]), attribute("groups", ["staff", "operators"])]
    login.assertion.attributeStatement = [statement]
    if asked["binding"] == "paos":
        login.buildResponseMsg(None)
    else:
        login.buildAuthnResponseMsg()
    return {"url": login.msgUrl, "message": login.msgBody, "issuer": login.remoteProviderId, "request": login.request.id}


try:
    answer = as_service_provider() if asked["role"] == "service provider" else as_identity_provider()
except lasso.Error as error:
    answer = {"refused": type(error).__name__}
json.dump(answer, sys.stdout)
