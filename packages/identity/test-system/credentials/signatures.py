"""Signs requests with the clients' own code: keystoneclient's Ec2Signer and botocore."""
import json
import sys

from botocore.auth import HmacV1Auth, S3SigV4Auth, SigV4Auth, SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from keystoneclient.contrib.ec2.utils import Ec2Signer

question = json.load(sys.stdin)
access, secret = question["access"], question["secret"]
key = Credentials(access, secret)


def by_ec2_signer(request):
    return Ec2Signer(secret).generate(json.loads(json.dumps(request)))


def by_botocore(request):
    made = AWSRequest(request["verb"], request["url"], data=request.get("body", ""), headers=request.get("headers", {}))
    kind = SigV4QueryAuth if request.get("presigned") else SigV4Auth
    kind(key, request["service"], "RegionOne").add_auth(made)
    return {"url": made.url, "headers": dict(made.headers.items())}


def for_s3(request):
    made = AWSRequest(request["verb"], request["url"], headers=request.get("headers", {}))
    texts = []

    class Recorded(S3SigV4Auth):
        def string_to_sign(self, *args):
            texts.append(super().string_to_sign(*args))
            return texts[0]

    Recorded(key, "s3", "RegionOne").add_auth(made)
    return {"text": texts[0], "signature": made.headers["Authorization"].rpartition("Signature=")[2]}


def for_s3_before_v4(request):
    made = AWSRequest(request["verb"], request["url"], headers=request.get("headers", {}))
    texts = []

    class Recorded(HmacV1Auth):
        def sign_string(self, string_to_sign):
            texts.append(string_to_sign)
            return super().sign_string(string_to_sign)

    Recorded(key).add_auth(made)
    return {"text": texts[0], "signature": made.headers["Authorization"].rpartition(":")[2]}


json.dump(
    {
        "ec2": [by_ec2_signer(request) for request in question["ec2"]],
        "botocore": [by_botocore(request) for request in question["botocore"]],
        "s3": [for_s3(request) for request in question["s3"]],
        "s3v1": [for_s3_before_v4(request) for request in question["s3"]],
    },
    sys.stdout,
)
