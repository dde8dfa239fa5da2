"""Hashes passwords in every form that Keystone wrote at some time."""
import json
import sys

import bcrypt as plain_bcrypt
from passlib.hash import bcrypt, bcrypt_sha256, pbkdf2_sha512, scrypt


def hashes(password):
    cut = password.encode()[:72]
    return {
        "bcrypt": plain_bcrypt.hashpw(cut, plain_bcrypt.gensalt(4)).decode(),
        "bcrypt 2a": bcrypt.using(rounds=4, ident="2a").hash(cut),
        "bcrypt 2y": bcrypt.using(rounds=4, ident="2y").hash(cut),
        "bcrypt-sha256": bcrypt_sha256.using(rounds=4).hash(password),
        "bcrypt-sha256 version 1": bcrypt_sha256.using(rounds=4, version=1).hash(password),
        "scrypt": scrypt.using(rounds=16).hash(password),
        "scrypt with other blocks": scrypt.using(rounds=5, block_size=4, parallelism=2, salt_size=9).hash(password),
        "pbkdf2": pbkdf2_sha512.hash(password),
        "pbkdf2 with a long salt": pbkdf2_sha512.using(rounds=60000, salt_size=37).hash(password),
    }


json.dump([hashes(password) for password in json.load(sys.stdin)], sys.stdout)
