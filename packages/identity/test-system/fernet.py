"""Makes and reads Fernet texts, as Keystone does: keys and texts in, texts and payloads out."""
import json
import sys

from cryptography.fernet import Fernet, InvalidToken, MultiFernet


def read(fernet, text):
    try:
        return fernet.decrypt(text.encode()).hex()
    except InvalidToken:
        return None


question = json.load(sys.stdin)
fernet = MultiFernet([Fernet(key) for key in question["keys"]])
json.dump(
    {
        "made": [
            fernet.encrypt_at_time(bytes.fromhex(payload), question["seconds"]).decode()
            for payload in question["payloads"]
        ],
        "read": [read(fernet, text) for text in question["texts"]],
    },
    sys.stdout,
)
