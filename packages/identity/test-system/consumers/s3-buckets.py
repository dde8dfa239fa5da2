"""Lists buckets at `url` by a request that botocore signs with the key `access` and `secret`; prints status and names."""

import json
import re
import sys

import requests
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

question = json.load(sys.stdin)
signed = AWSRequest("GET", question["url"] + "/")
S3SigV4Auth(Credentials(question["access"], question["secret"]), "s3", "RegionOne").add_auth(signed)
answer = requests.get(signed.url, headers=dict(signed.headers.items()))
print(json.dumps({"status": answer.status_code, "buckets": re.findall(r"<Bucket><Name>([^<]*)", answer.text)}))
