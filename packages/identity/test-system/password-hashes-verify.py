"""Verifies hashes with passlib and bcrypt, as Keystone does."""
import json
import sys

import bcrypt as plain_bcrypt
from passlib.hash import bcrypt_sha256, scrypt


def verify(password, stored):
    if stored.startswith("$2b$"):
        return plain_bcrypt.checkpw(password.encode(), stored.encode())
    return (scrypt if stored.startswith("$scrypt$") else bcrypt_sha256).verify(password, stored)


json.dump([verify(password, stored) for password, stored in json.load(sys.stdin)], sys.stdout)
