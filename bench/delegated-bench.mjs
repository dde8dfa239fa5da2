/** Logins by application credential, trust and EC2 signature beside a login by token, and validation of their tokens. */
import { createHmac } from "node:crypto";

import { best, login, onEachDatabase, PASSWORD, passwordBody, post } from "./identity-service.mjs";
import { onKeystone } from "./keystone-peer.mjs";

const DEFAULT = { id: "default" };
const PROJECT = { project: { name: "admin", domain: DEFAULT } };
/** At least this share of logins by token. */
const LOGIN_SHARE = 0.75;
/** At least this share of validations of a password's token. */
const VALIDATION_SHARE = 0.9;

export async function bench({ row }) {
  /** Keystone's figures, by work. */
  const peers = new Map();
  await onKeystone(row, async (_name, { url }) => {
    await measureAll(url, async (work, _limit, options) => {
      const { requests } = await best(`${url}${options.path ?? "/v3/auth/tokens"}`, options);
      peers.set(work, requests.average);
      return requests.average;
    });
  });
  await onEachDatabase({}, row, async (name, { url }) => {
    const measure = async (work, limit, options) => {
      const { requests } = await best(`${url}${options.path ?? "/v3/auth/tokens"}`, options);
      row({ work: `${name}: ${work}`, hamkit: requests.average, limit, peer: peers.get(work) });
      return requests.average;
    };
    await measureAll(url, measure);
  });
}

async function measureAll(url, measure) {
  const { admin, bodies, signed } = await delegate(url);
  const logIn = (work, limit, body) => measure(work, limit, { method: "POST", body });
  const loginsByToken = await logIn("login by token", undefined, bodies.token);
  await logIn("login by application credential", loginsByToken * LOGIN_SHARE, bodies.credential);
  await logIn("login by trust", loginsByToken * LOGIN_SHARE, bodies.trust);
  const headers = { "x-auth-token": admin };
  const check = { method: "POST", path: "/v3/ec2tokens", headers, body: signed };
  await measure("EC2 signature checked", 2000, check);

  const validate = (work, limit, subject) =>
    measure(work, limit, { headers: { ...headers, "x-subject-token": subject } });
  const ofPassword = await login(url, passwordBody(PROJECT));
  const limit = (await validate("validate a token of a password", undefined, ofPassword)) * VALIDATION_SHARE;
  await validate("validate one of an application credential", limit, await login(url, bodies.credential));
  await validate("validate one of a trust", limit, await login(url, bodies.trust));
}

/** What the administrator delegates: an application credential, a trust to a second user, and an EC2 key. */
async function delegate(url) {
  const admin = await login(url, passwordBody(PROJECT));
  const headers = { "x-auth-token": admin };
  const { token } = await (
    await fetch(`${url}/v3/auth/tokens`, { headers: { ...headers, "x-subject-token": admin } })
  ).json();
  const users = `/v3/users/${token.user.id}`;

  const name = "bench";
  const made = await post(url, `${users}/application_credentials`, headers, {
    application_credential: { name },
  });
  const { id, secret } = made.application_credential;

  const { user } = await post(url, "/v3/users", headers, {
    user: { name, domain_id: DEFAULT.id, password: PASSWORD },
  });
  const { trust } = await post(url, "/v3/OS-TRUST/trusts", headers, {
    trust: {
      trustor_user_id: token.user.id,
      trustee_user_id: user.id,
      project_id: token.project.id,
      impersonation: false,
      roles: [{ name: "member" }],
    },
  });
  const trustee = await login(url, {
    auth: {
      identity: {
        methods: ["password"],
        password: { user: { id: user.id, password: PASSWORD } },
      },
    },
  });

  const { credential } = await post(url, `${users}/credentials/OS-EC2`, headers, {
    tenant_id: token.project.id,
  });
  return {
    admin,
    bodies: {
      token: byToken(await login(url, passwordBody()), PROJECT),
      credential: {
        auth: {
          identity: { methods: ["application_credential"], application_credential: { id, secret } },
        },
      },
      trust: byToken(trustee, { "OS-TRUST:trust": { id: trust.id } }),
    },
    signed: signedBody(credential),
  };
}

function byToken(id, scope) {
  return { auth: { identity: { methods: ["token"], token: { id } }, scope } };
}

/** A request to a cloud's EC2 API as a service passes it on, signed by version 2. */
function signedBody({ access, secret }) {
  const params = {
    AWSAccessKeyId: access,
    Action: "DescribeInstances",
    SignatureMethod: "HmacSHA256",
    SignatureVersion: "2",
    Timestamp: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
  };
  const query = Object.keys(params)
    .toSorted()
    .map((key) => `${key}=${encodeURIComponent(params[key])}`)
    .join("&");
  const [host, verb, path] = ["ec2.example.org:8773", "GET", "/services/Cloud"];
  const signature = createHmac("sha256", secret).update(`${verb}\n${host}\n${path}\n${query}`);
  return { credentials: { access, host, verb, path, params, signature: signature.digest("base64") } };
}
