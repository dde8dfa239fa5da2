/** SAML logins at verifiers that share a database, as replicas do. */
import { createPendingLogins } from "../../../src/federation/browser/pending-logins.js";
import {
  isBrowserStep,
  type BrowserStep,
  type FederatedRequest,
  type VerifiedAssertion,
} from "../../../src/federation/assertion-verifier.js";
import { createSamlKeys, type SamlKeys } from "../../../src/saml/saml-keys.js";
import { samlReader } from "../../../src/federation/protocols/saml2/saml-reader.js";
import {
  createMetadataCache,
  type Saml2Settings,
} from "../../../src/federation/protocols/saml2/metadata/metadata-cache.js";
import { createSamlVerifier } from "../../../src/federation/protocols/saml2/saml-verifier.js";
import { openDatabase } from "../../../src/platform/database/open-database.js";
import { newId } from "../../../src/platform/ids.js";
import { toMasterKey } from "../../../src/platform/secrets/sealing.js";
import type { TestDatabases } from "../../databases.js";
import { migratedDatabase } from "../../migrated-databases.js";
import { enabledProtocol } from "../enabled-protocol.js";
import { AUDIENCE, AUTH_URL, inEnvelope, ISSUER, metadata, NOW } from "./test-provider.js";

type Verifier = ReturnType<typeof createSamlVerifier>;

export interface SamlLogin {
  readonly keys: SamlKeys;
  /** A second one, on the same database. */
  readonly replica: Verifier;
  readonly setSettings: (settings: Partial<Saml2Settings>) => void;
  readonly setNow: (now: number) => void;
  /** Whether another login may begin. */
  readonly setBeginLogin: (beginLogin: () => Promise<void>) => void;
  /** Sends a browser, or a client, to the provider. */
  readonly begin: (request?: Partial<FederatedRequest>) => Promise<Begun>;
  /** Posts a Response as a browser's form does. */
  readonly post: (xml: string, options?: PostOptions) => Promise<VerifiedAssertion>;
  /** Posts it in SOAP, as an ECP client does. */
  readonly carry: (xml: string) => Promise<VerifiedAssertion>;
  readonly send: (request: Partial<FederatedRequest>, verifier?: Verifier) => Promise<VerifiedAssertion>;
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
  const place = await migratedDatabase(databases);
  const database = openDatabase(place.url);
  let now = NOW;
  let settings = SETTINGS;
  let beginLogin = async () => {};
  const clock = { now: () => now };
  const ids: string[] = [];
  const masterKey = toMasterKey(Buffer.alloc(32, 3));
  const keys = createSamlKeys({ database, masterKey, clock, commonName: "service" });
  const make = () =>
    createSamlVerifier({
      entityId: "https://elsewhere.example.org",
      keys,
      pendingLogins: createPendingLogins({ database, clock, masterKey }),
      reader: samlReader,
      metadata: createMetadataCache({
        readUrl: () => Promise.reject(new Error("nothing is downloaded")),
        reader: samlReader,
        clock,
      }),
      beginLogin: () => beginLogin(),
      clock,
      newId: () => {
        const id = newId();
        ids.push(`_${id}`);
        return id;
      },
    });
  const verifier = make();
  const replica = make();

  const ask = (request: Partial<FederatedRequest>, by: Verifier) =>
    by({ ...REQUEST, ...request }, enabledProtocol({ ...PROTOCOL, settings }));

  async function send(request: Partial<FederatedRequest>, by = verifier): Promise<VerifiedAssertion> {
    const answer = await ask(request, by);
    if (isBrowserStep(answer)) throw new TypeError("the browser is sent elsewhere");
    return answer;
  }

  return {
    keys,
    replica,
    setSettings: (changed) => void (settings = { ...SETTINGS, ...changed }),
    setBeginLogin: (changed) => void (beginLogin = changed),
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

const REQUEST: FederatedRequest = {
  method: "POST",
  headers: {},
  query: new Map(),
  form: new Map(),
  text: undefined,
  clientAddress: "192.0.2.1",
  rawHeaders: [],
  peerAddress: "192.0.2.1",
  origin: undefined,
  log: { info: () => {}, warn: () => {} },
};

const PROTOCOL = {
  authUrl: AUTH_URL,
  remoteIdAttribute: "MELLON_IDP",
  remoteIds: [ISSUER],
};
