/** What each request of the identity service costs before it does anything: token, revocation, permission; and a login. */
import { randomBytes } from "node:crypto";

const built = (path) => import(new URL(`../packages/identity/dist/${path}.js`, import.meta.url).href);
const { decryptFernet, encryptFernet, toFernetKey } = await built("tokens/fernet");
const { decodeTokenPayload, encodeTokenPayload } = await built("tokens/token-payload");
const { decodeKeystonePayload } = await built("tokens/imported/keystone-payload");
const { createRevocationIndex } = await built("tokens/revocation");
const { isAllowed } = await built("policy/is-allowed");
const { createPasswordHasher } = await built("passwords/password-hash");

const EVENTS = 10_000;
/** The npm package fernet 0.4, recorded: 74 to 95 µs. */
const NPM_FERNET = { name: "npm fernet", figure: 1e6 / 74 };

export async function bench({ rate, row }) {
  const keys = [1, 2, 3].map((byte) => toFernetKey(Buffer.alloc(32, byte)));
  const payloads = Array.from({ length: 100 }, madeUp);
  const bytes = payloads.map(encodeTokenPayload);
  const tokensOf = (key) => bytes.map((each) => encryptFernet(key, each, { at: 0 }));
  const [ofPrimary, ofOldest] = [keys[0], keys[2]].map(tokensOf);

  work("token verified", (index) => decryptFernet(keys, ofPrimary[index]), 100_000, [NPM_FERNET]);
  work("token verified, by the last of 3 keys", (index) => decryptFernet(keys, ofOldest[index]), 80_000);
  work(
    "token verified and read",
    (index) => decodeTokenPayload(decryptFernet(keys, ofPrimary[index]).payload),
    80_000,
  );
  const imported = toFernetKey(Buffer.alloc(32, 4));
  const ofKeystone = Array.from({ length: 100 }, () => encryptFernet(imported, keystonePayload(), { at: 0 }));
  work(
    "imported token verified and read",
    (index) => {
      if (decryptFernet(keys, ofKeystone[index]) !== undefined) throw new Error("verified by an own key");
      const { payload } = decryptFernet([imported], ofKeystone[index]);
      return decodeKeystonePayload(payload, { authMethods: ["password"], issuedAt: 0 });
    },
    20_000,
  );
  work(
    "token made",
    (index) => encryptFernet(keys[0], encodeTokenPayload(payloads[index]), { at: 0 }),
    50_000,
  );

  const index = createRevocationIndex({ retentionMs: 1e12 });
  for (let count = 0; count < EVENTS; count++)
    index.add({ userId: id(), projectId: id(), issuedBefore: 1e13, revokedAt: 0 });
  const tokens = payloads.map(revocable);
  work(`token held against ${EVENTS} revocations`, (at) => index.isRevoked(tokens[at]), 200_000);

  const reader = { userId: "u", roles: ["reader"], scope: { kind: "domain", domainId: "d" } };
  work(
    "permission checked",
    () => isAllowed("identity:get_user", reader, { user: { id: "v", domainId: "d" } }),
    5e6,
  );
  row({ work: "password checked, one at a time", hamkit: await passwordsChecked() });

  function work(name, task, limit, others) {
    row({ work: name, hamkit: rate(name, task, payloads.length), limit, others });
  }
}

function id() {
  return randomBytes(16).toString("hex");
}

function madeUp() {
  return {
    userId: id(),
    methods: ["password"],
    scope: { kind: "project", projectId: id() },
    auditId: randomBytes(16).toString("base64url"),
    issuedAt: 1_795_226_127_000,
    expiresAt: 1_795_229_727_000,
  };
}

/** An id in MessagePack: `true` and 16 bytes. */
function uuid() {
  return [Buffer.from([0x92, 0xc3, 0xc4, 16]), randomBytes(16)];
}

/** Version 2 in MessagePack: user, methods, project, expiry, audit ids. */
function keystonePayload() {
  const expiry = Buffer.from([0xcb, 0, 0, 0, 0, 0, 0, 0, 0]);
  expiry.writeDoubleBE(1_795_229_727, 1);
  const audit = Buffer.from([0x91, 0xc4, 16]);
  const parts = [
    Buffer.from([0x95, 2]),
    ...uuid(),
    Buffer.from([1]),
    ...uuid(),
    expiry,
    audit,
    randomBytes(16),
  ];
  return Buffer.concat(parts);
}

function revocable({ userId, scope, auditId, issuedAt, expiresAt }) {
  const { projectId } = scope;
  const domains = { userDomainId: "default", projectDomainId: "default" };
  return {
    auditId,
    auditChainId: auditId,
    userId,
    projectId,
    ...domains,
    roleIds: [id(), id()],
    issuedAt,
    expiresAt,
  };
}

async function passwordsChecked() {
  const hasher = createPasswordHasher({ concurrency: 1, maxWaiting: 100 });
  const stored = await hasher.hash("secret");
  const start = performance.now();
  const count = 40;
  await Promise.all(Array.from({ length: count }, () => hasher.verify("secret", stored)));
  return (count / (performance.now() - start)) * 1000;
}
