/** Signatures of hamkit, verified by libtqsllib of Debian's trustedqsl: it imports the certificate, and checks each contact. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

import { afterAll, beforeAll, expect, it } from "vitest";

import { openLotwKey, signForLotw } from "../src/uploads.js";

const CONFIG = `oid_section = oids
[oids]
AROcallsign = 1.3.6.1.4.1.12348.1.1
[req]
prompt = no
distinguished_name = root
[root]
O = A test
CN = A test of hamkit
[authority]
basicConstraints = critical,CA:TRUE
subjectKeyIdentifier = hash
[user]
AROcallsign = DH1TW
CN = Test of hamkit
emailAddress = test@example.org
[call]
basicConstraints = CA:FALSE
1.3.6.1.4.1.12348.1.2 = DER:32:30:32:30:2D:30:31:2D:30:31
1.3.6.1.4.1.12348.1.3 = DER:32:30:33:30:2D:31:32:2D:33:31
1.3.6.1.4.1.12348.1.4 = DER:32:33:30
`;

/** Imports a .p12 file, and prints for each line of text and signature whether it verifies. */
const PROGRAM = `
import base64, ctypes, json, sys
lib = ctypes.CDLL("/usr/lib/trustedqsl/libtqsllib.so")
lib.tqsl_getErrorString.restype = ctypes.c_char_p
def check(result):
    if result != 0: raise SystemExit(lib.tqsl_getErrorString().decode())
Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)
Password = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p)
accept, none = Callback(lambda *_: 0), Password(lambda *_: 0)
check(lib.tqsl_init())
check(lib.tqsl_importPKCS12File(sys.argv[1].encode(), b"pw", None, none, accept, None))
certificates, count = ctypes.POINTER(ctypes.c_void_p)(), ctypes.c_int()
check(lib.tqsl_selectCertificates(ctypes.byref(certificates), ctypes.byref(count), b"DH1TW", 230, None, None, 0))
certificate = ctypes.c_void_p(certificates[0])
# It verifies with the key that signs.
check(lib.tqsl_beginSigning(certificate, b"", None, None))
verified = []
for text, signature in json.load(open(sys.argv[2])):
    data, bytes_ = text.encode(), base64.b64decode(signature)
    verified.append(lib.tqsl_verifyDataBlock(certificate, data, len(data), bytes_, len(bytes_)) == 0)
print(json.dumps([count.value, verified]))
`;

let folder: string;
const path = (name: string) => join(folder, name);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "hamkit-tqsl-"));
  mkdirSync(path("tqsl"));
  writeFileSync(path("config"), CONFIG);
  writeFileSync(
    path("user.config"),
    CONFIG.replace("distinguished_name = root", "distinguished_name = user"),
  );
  writeFileSync(path("verify.py"), PROGRAM);
  const openssl = (...words: string[]) => execFileSync("openssl", words, { cwd: folder, stdio: "pipe" });
  const request = ["-newkey", "rsa:2048", "-nodes"];
  openssl(
    "req",
    "-x509",
    ...request,
    "-keyout",
    "ca.key",
    "-out",
    "ca.pem",
    "-days",
    "3650",
    "-config",
    "config",
    "-extensions",
    "authority",
  );
  openssl("req", ...request, "-keyout", "user.key", "-out", "user.csr", "-config", "user.config");
  const issue = ["-CA", "ca.pem", "-CAkey", "ca.key", "-set_serial", "7", "-days", "3000"];
  openssl(
    "x509",
    "-req",
    "-in",
    "user.csr",
    ...issue,
    "-extfile",
    "config",
    "-extensions",
    "call",
    "-out",
    "user.pem",
  );
  // As TQSL writes it.
  const ciphers = ["-keypbe", "PBE-SHA1-3DES", "-certpbe", "PBE-SHA1-3DES", "-macalg", "sha1"];
  openssl(
    "pkcs12",
    "-export",
    "-inkey",
    "user.key",
    "-in",
    "user.pem",
    "-certfile",
    "ca.pem",
    "-out",
    "user.p12",
    "-passout",
    "pass:pw",
    ...ciphers,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

it("are verified by TQSL's library, and no other text is", () => {
  const key = openLotwKey(readFileSync(path("user.p12")), "pw");
  const contact = { BAND: "20m", MODE: "CW", QSO_DATE: "20240630", TIME_ON: "1200" };
  const [file] = signForLotw(
    [
      { ...contact, CALL: "W1AW" },
      { ...contact, CALL: "K1ABC", FREQ: "14.025" },
    ],
    key,
    {
      station: { GRIDSQUARE: "JN48QM", CQZ: "14" },
    },
  );
  const text = gunzipSync(file?.bytes ?? new Uint8Array()).toString();
  const signed = Array.from(
    text.matchAll(/<SIGN_LOTW_V2\.0:\d+:6>([^<]+)<SIGNDATA:\d+>(.*)/g),
    ([, signature = "", data = ""]) => [data, signature.replaceAll("\n", "")],
  );
  expect(signed.map(([data]) => data)).toEqual([
    "14JN48QM20MW1AWCW2024-06-3012:00:00Z",
    "14JN48QM20MK1ABC14.025CW2024-06-3012:00:00Z",
  ]);
  writeFileSync(path("signed.json"), JSON.stringify([...signed, ["another text", signed[0]?.[1]]]));
  const output = execFileSync("python3", [path("verify.py"), path("user.p12"), path("signed.json")], {
    env: { ...process.env, TQSLDIR: path("tqsl") },
    encoding: "utf8",
  });
  expect(JSON.parse(output)).toEqual([1, [true, true, false]]);
});
