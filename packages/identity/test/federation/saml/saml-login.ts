/** SAML logins at verifiers that share a database, as replicas do. */
import { createBegunLogins } from "../../../src/federation/browser/begun-logins.js";
import {
  isBrowserStep,
  type BrowserStep,
  type VerifierRequest,
} from "../../../src/federation/assertion-verifier.js";
import { createSamlKeys, type SamlKeys } from "../../../src/saml/saml-keys.js";
import { samlReader } from "../../../src/federation/saml/saml-reader.js";
import { createSamlVerifier } from "../../../src/federation/saml/saml-verifier.js";
import type { Saml2Settings } from "../../../src/federation/saml/metadata/metadata-cache.js";
import type { VerifiedAssertion } from "../../../src/federation/assertion-verifier.js";
import { migrations } from "../../../src/migrations/migrations.js";
import { migrate } from "../../../src/platform/database/migrations.js";
import { openDatabase } from "../../../src/platform/database/open-database.js";
import { newId } from "../../../src/platform/ids.js";
import { toMasterKey } from "../../../src/platform/secrets/sealing.js";
import type { TestDatabases } from "../../databases.js";
import { AUDIENCE, AUTH_URL, inEnvelope, ISSUER, metadata, NOW } from "./test-provider.js";

type Verifier = ReturnType<typeof createSamlVerifier>;

export interface SamlLogin {
  readonly keys: SamlKeys;
  /** A second one, on the same database. */
  readonly replica: Verifier;
  readonly setSettings: (settings: Partial<Saml2Settings>) => void;
  readonly setNow: (now: number) => void;
  /** Sends a browser, or a client, to the provider. */
  readonly begin: (request?: Partial<VerifierRequest>) => Promise<Begun>;
  /** Posts a Response as a browser's form does. */
  readonly post: (xml: string, options?: PostOptions) => Promise<VerifiedAssertion>;
  /** Posts it in SOAP, as an ECP client does. */
  readonly carry: (xml: string) => Promise<VerifiedAssertion>;
  readonly send: (request: Partial<VerifierRequest>, verifier?: Verifier) => Promise<VerifiedAssertion>;
  readonly close: () => Promise<void>;
}

export interface Begun {
  readonly step: BrowserStep;
  /** The id of the request, where it can be read. */
  readonly id: string;
  readonly cookie: string;
}

export interface PostOptions {
  readonly cookie?: string;
  readonly verifier?: Verifier;
}

const SETTINGS: Saml2Settings = { type: "saml2", idp_metadata_xml: metadata(), sp_entity_id: AUDIENCE };

export async function samlLogin(databases: TestDatabases): Promise<SamlLogin> {
  const place = await databases.create();
  const database = openDatabase(place.url);
  await migrate(database, migrations);
  let now = NOW;
  let settings = SETTINGS;
  const clock = { now: () => now };
  const ids: string[] = [];
  const masterKey = toMasterKey(Buffer.alloc(32, 3));
  const keys = createSamlKeys({ database, masterKey, clock, commonName: "service" });
  const make = () =>
    createSamlVerifier({
      entityId: "https://elsewhere.example.org",
      keys,
      begunLogins: createBegunLogins({ database, clock, masterKey }),
      reader: samlReader,
      readUrl: () => Promise.reject(new Error("nothing is downloaded")),
      clock,
      newId: () => {
        const id = newId();
        ids.push(`_${id}`);
        return id;
      },
    });
  const verifier = make();
  const replica = make();

  const ask = (request: Partial<VerifierRequest>, by: Verifier) =>
    by.verify({ ...REQUEST, ...request }, { ...PROTOCOL, settings });

  async function send(request: Partial<VerifierRequest>, by = verifier): Promise<VerifiedAssertion> {
    const answer = await ask(request, by);
    if (isBrowserStep(answer)) throw new TypeError("the browser is sent elsewhere");
    return answer;
  }

  return {
    keys,
    replica,
    setSettings: (changed) => void (settings = { ...SETTINGS, ...changed }),
    setNow: (moment) => void (now = moment),
    async begin(request = {}) {
      const step = await ask({ method: "GET", ...request }, verifier);
      if (!isBrowserStep(step)) throw new TypeError("unexpected login: no browser step");
      const cookie = [step.headers["set-cookie"] ?? ""].flat()[0]?.split(";")[0] ?? "";
      // The id that a client gets has more to it.
      const id = /AuthnRequest [^>]*\bID="([^"]*)"/.exec(step.body)?.[1] ?? ids.at(-1) ?? "";
      return { step, id, cookie };
    },
    send,
    post: (xml, { cookie, verifier: by } = {}) =>
      send(
        {
          headers: {
            "content-type": "application/x-www-form-urlencoded",
            ...(cookie !== undefined && { cookie }),
          },
          form: new Map([["SAMLResponse", Buffer.from(xml).toString("base64")]]),
        },
        by,
      ),
    carry: (xml) => send({ headers: { "content-type": "application/vnd.paos+xml" }, text: inEnvelope(xml) }),
    async close() {
      await database.close();
      await place.remove();
    },
  };
}

const REQUEST: VerifierRequest = {
  method: "POST",
  headers: {},
  query: new Map(),
  form: new Map(),
  text: undefined,
  clientAddress: "192.0.2.1",
  rawHeaders: [],
  peerAddress: "192.0.2.1",
  authUrl: AUTH_URL,
  origin: undefined,
  beginLogin: async () => {},
  log: { info: () => {}, warn: () => {} },
};

const PROTOCOL = {
  identityProviderId: "acme",
  protocolId: "saml2",
  remoteIdAttribute: "MELLON_IDP",
  remoteIds: [ISSUER],
};
