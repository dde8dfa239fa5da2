/** Checks of SAML settings against the provider's metadata. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

import type { ProtocolToCheck } from "../../../identity-providers/protocols/protocol-report.js";
import { formatSeconds, type Moment } from "../../../platform/clock.js";
import { isoTime } from "../../leeway.js";
import { once } from "../../../platform/concurrency/once.js";
import { quoted } from "../../../platform/text/quoted-value.js";
import { loadMetadata, type MetadataSources } from "./metadata/metadata-cache.js";
import { entitiesOf, type ProviderMetadata } from "./metadata/provider-metadata.js";
import type { PublicSaml2Settings, Saml2Settings } from "./saml2-settings.js";
import { PERSISTENT_FORMAT, TRANSIENT_FORMAT } from "../../../saml/saml-names.js";
import { fingerprintOf } from "./provider-certificates.js";
import {
  checkRemoteId,
  failed,
  passed,
  reasonOf,
  warned,
  type Checks,
  type CheckResult,
} from "../../provider-checks/check.js";

export interface Saml2ChecksDeps extends MetadataSources {
  readonly allowsHttpIssuers: boolean;
  /** How long the metadata of a federation is waited for; 4 s, within the time of all checks, if left out. */
  readonly waitMs?: number;
}

const WAIT_MS = 4000;

/** A certificate, or metadata in the settings, that ends sooner is reported. */
const SOON_MS = 30 * 86_400_000;

export function saml2Checks(
  { provider: { remoteIds }, open }: ProtocolToCheck,
  settings: PublicSaml2Settings,
  deps: Saml2ChecksDeps,
): Checks {
  const { read, readInTime } = createReading({ settings, remoteIds, isRetry: false }, deps);
  const ifRead = (check: (metadata: ProviderMetadata) => readonly CheckResult[]) => async () => {
    const metadata = await readInTime().catch(() => undefined);
    return typeof metadata === "object" ? check(metadata) : [];
  };
  const ofEach = (check: (metadata: ProviderMetadata) => readonly CheckResult[]) =>
    ifRead((metadata) => checkEach(entitiesOf(metadata), check));
  return {
    metadata: async () =>
      (await readInTime().catch(() => undefined)) === "aggregate"
        ? [warned(STILL_READING)]
        : [await checkMetadata(read(), settings, deps)],
    "metadata-validity": ifRead((metadata) => checkValidity(metadata, settings, deps.clock.now())),
    "remote-ids": ifRead((metadata) => checkRemoteIds(remoteIds, entitiesOf(metadata))),
    certificates: ofEach((metadata) => checkCertificates(metadata, deps.clock.now())),
    bindings: ofEach((metadata) => [checkBindings(metadata)]),
    "name-id": ofEach((metadata) => [checkNameId(metadata, settings)]),
    "sp-key": async () => checkOwnKey((await open()) as Saml2Settings, deps.clock.now()),
  };
}

const STILL_READING =
  "the metadata is that of a federation, and is still being read, which the first login waits for: check again in a minute (POST .../refresh)";

/** The metadata; without it, `late`, or `aggregate` for that of a federation, which goes on being read. */
function createReading(
  wanted: Parameters<typeof loadMetadata>[0],
  { readUrl, waitMs = WAIT_MS, ...others }: Saml2ChecksDeps,
) {
  let isAggregate = false;
  const noted: MetadataSources["readUrl"] = async (url, known) => {
    const downloaded = await readUrl(url, known);
    isAggregate ||= typeof downloaded.content === "object";
    return downloaded;
  };
  const read = once(() => loadMetadata(wanted, { ...others, readUrl: noted }));
  const late = async () => {
    await delay(waitMs, undefined, { ref: false });
    return isAggregate ? "aggregate" : "late";
  };
  return { read, readInTime: once(() => Promise.race([read(), late()])) };
}

async function checkMetadata(
  reading: Promise<ProviderMetadata>,
  { idp_metadata_url: url }: PublicSaml2Settings,
  { allowsHttpIssuers }: Saml2ChecksDeps,
): Promise<CheckResult> {
  const setting = url === undefined ? '"idp_metadata_xml"' : `"idp_metadata_url", ${quoted(url)}`;
  try {
    const { entityId, others = [] } = await reading;
    const more = others.length === 0 ? "" : ` and ${others.length} more`;
    return passed(`the metadata describes ${quoted(entityId)}${more}`);
  } catch (error) {
    if (url?.startsWith("http:") && !allowsHttpIssuers)
      return failed(
        `idp_metadata_url ${quoted(url)} is an HTTP address, expected https: change it, or, for development, set ` +
          "IDENTITY_ALLOW_HTTP_ISSUERS",
      );
    const reason = reasonOf(error);
    if (reason.includes("named in the provider's remote_ids"))
      return failed(
        `${reason}: choose entities by name in the console, or add their entity IDs to remote_ids`,
      );
    return failed(`${reason}: check ${setting} of the settings`);
  }
}

/** Entities that the findings of a check name. */
const MAX_NAMED = 10;

/** The findings about each entity by its name, those that passed as one. */
function checkEach(
  entities: readonly ProviderMetadata[],
  check: (metadata: ProviderMetadata) => readonly CheckResult[],
): CheckResult[] {
  const [only] = entities;
  if (entities.length === 1 && only !== undefined) return [...check(only)];
  const faulty = entities.flatMap((entity) => {
    const faults = check(entity).filter(({ status }) => status !== "ok");
    return faults.length === 0 ? [] : [{ entity, faults }];
  });
  const named = faulty
    .slice(0, MAX_NAMED)
    .flatMap(({ entity: { entityId }, faults }) =>
      faults.map(({ status, message }) => ({ status, message: `${quoted(entityId)}: ${message}` })),
    );
  const rest = faulty.slice(MAX_NAMED).flatMap(({ faults }) => faults);
  const isFailure = rest.some(({ status }) => status === "failure");
  const more = `${faulty.length - MAX_NAMED} further entities have such findings`;
  return [
    ...named,
    ...(rest.length === 0 ? [] : [isFailure ? failed(more) : warned(more)]),
    ...(faulty.length === entities.length
      ? []
      : [passed(`nothing is wrong at ${entities.length - faulty.length} of ${entities.length} entities`)]),
  ];
}

/** @param entities Those that the metadata describes and `remote_ids` name; or the only one, whatever they name. */
function checkRemoteIds(remoteIds: readonly string[], entities: readonly ProviderMetadata[]): CheckResult[] {
  const [only] = entities;
  if (entities.length === 1 && only !== undefined && remoteIds.length <= 1)
    return [checkRemoteId(remoteIds, only.entityId)];
  const known = new Set(entities.map(({ entityId }) => entityId));
  const wanted = new Set(remoteIds);
  const strangers = entities.filter(({ entityId }) => !wanted.has(entityId));
  const missing = remoteIds.filter((id) => !known.has(id));
  const named = missing.slice(0, MAX_NAMED).map(quoted).join(", ");
  return [
    ...strangers.map(({ entityId }) => checkRemoteId(remoteIds, entityId)),
    ...(missing.length === 0
      ? []
      : [
          warned(
            `remote_ids has ${named}${missing.length > MAX_NAMED ? ", …" : ""}, which the metadata does not describe: its users can't log in by this protocol`,
          ),
        ]),
    ...(strangers.length > 0 ? [] : [passed(`entities among the provider's remote_ids: ${entities.length}`)]),
  ];
}

/** None, if the metadata names no end. */
function checkValidity(
  { validUntil }: ProviderMetadata & { readonly validUntil?: Moment | undefined },
  { idp_metadata_xml: inline }: PublicSaml2Settings,
  now: Moment,
): CheckResult[] {
  if (validUntil === undefined) return [];
  const end = `validUntil of the metadata is ${formatSeconds(validUntil)}`;
  if (now >= validUntil)
    return [failed(`${end}, expected a moment after ${formatSeconds(now)}: provide newer metadata`)];
  // Metadata at a URL is renewed by the provider.
  const isSoon = inline !== undefined && validUntil - now < SOON_MS;
  return [isSoon ? warned(`${end}: send newer metadata before, by PATCH of idp_metadata_xml`) : passed(end)];
}

function checkCertificates({ certificates, weakKeys }: ProviderMetadata, now: Moment): CheckResult[] {
  if (certificates.length === 0 && weakKeys.length === 0)
    return [
      failed("the metadata has no signing certificate, expected one: set idp_certificates of the settings"),
    ];
  const weak = weakKeys.map((key) => `ignored: ${key}`);
  return [
    ...certificates.map((certificate) => checkDates("signing certificate", certificate, now)),
    ...weak.map((text) => (certificates.length === 0 ? failed(text) : warned(text))),
  ];
}

const RENEWAL =
  "have the provider renew it, and store its new metadata, unless the service reads it by address";

/** Expired certificates are trusted nevertheless: metadata is the statement of the provider's keys, whatever their certificates say. */
function checkDates(noun: string, certificate: X509Certificate, now: Moment): CheckResult {
  const [from, until] = [certificate.validFrom, certificate.validTo].map((text) => Date.parse(text)) as [
    Moment,
    Moment,
  ];
  const named = `${noun} ${fingerprintOf(certificate)} (${keyOf(certificate)})`;
  const dates = `is valid from ${isoTime(from)} until ${isoTime(until)}`;
  if (now < from) return warned(`${named} ${dates}, not yet at ${isoTime(now)}: check the clocks`);
  if (now >= until) return warned(`${named} expired at ${isoTime(until)}: ${RENEWAL}`);
  return until - now < SOON_MS ? warned(`${named} ${dates}: ${RENEWAL}`) : passed(`${named} ${dates}`);
}

/** Such as `RSA, 2048 bits`. */
function keyOf({
  publicKey: { asymmetricKeyType: type, asymmetricKeyDetails: details },
}: X509Certificate): string {
  const bits = details?.modulusLength;
  const size = bits === undefined ? details?.namedCurve : `${bits} bits`;
  return [type?.toUpperCase(), size].filter((part) => part !== undefined).join(", ");
}

function checkBindings({ redirectUrl, postUrl }: ProviderMetadata): CheckResult {
  const found = [
    ...(redirectUrl === undefined ? [] : [`HTTP-Redirect at ${quoted(redirectUrl)}`]),
    ...(postUrl === undefined ? [] : [`HTTP-POST at ${quoted(postUrl)}`]),
  ];
  if (found.length > 0) return passed(`browsers log in by ${found.join(", or ")}`);
  return warned(
    "the metadata has no SingleSignOnService by HTTP-Redirect or HTTP-POST: browsers can't log in, only ECP clients",
  );
}

/** Whether NameIDs tell users apart for good. */
function checkNameId(
  { nameIdFormats: listed }: ProviderMetadata,
  { name_id_format: wanted }: PublicSaml2Settings,
): CheckResult {
  const named = listed.length === 0 ? "none" : listed.map(quoted).join(", ");
  if (wanted === TRANSIENT_FORMAT)
    return warned(
      "name_id_format is transient: a NameID is another one at each login, so that rules have to identify users by an attribute",
    );
  if (wanted !== undefined)
    return listed.length === 0 || listed.includes(wanted)
      ? passed(`NameIDs of format ${quoted(wanted)} are requested`)
      : warned(
          `name_id_format is ${quoted(wanted)}, which the metadata does not list (NameIDFormat: ${named}): the provider may refuse it`,
        );
  if (listed.includes(PERSISTENT_FORMAT))
    return {
      ...passed(
        `the provider chooses the format of NameIDs, of ${named}: set name_id_format to the persistent one, which stays with a user`,
      ),
      proposal: { settings: { name_id_format: PERSISTENT_FORMAT } },
    };
  if (listed.length > 0 && listed.every((format) => format === TRANSIENT_FORMAT))
    return warned(
      "the metadata lists transient NameIDs alone, which are others at each login: rules have to identify users by an attribute",
    );
  if (listed.length === 0)
    return {
      ...passed(
        "the metadata lists no formats of NameIDs, so that the provider chooses one: set name_id_format to the persistent one, and a test login shows whether the provider has it",
      ),
      proposal: { settings: { name_id_format: PERSISTENT_FORMAT } },
    };
  return passed(`the provider chooses the format of NameIDs, of ${named}: a test login shows which`);
}

/** None, if the protocol has no key of its own. */
function checkOwnKey(settings: Saml2Settings, now: Moment): CheckResult[] {
  const { sp_certificate: certificate, sp_private_key: key } = settings;
  if (certificate === undefined && !key) return [];
  if (certificate === undefined || !key) {
    const missing = certificate === undefined ? "sp_certificate" : "sp_private_key";
    return [failed(`${missing} is missing, so that the service's own key is used: set both, or none`)];
  }
  const own = new X509Certificate(certificate);
  if (!own.checkPrivateKey(createPrivateKey(key)))
    return [failed("sp_private_key is not the key of sp_certificate: set both of one key pair")];
  return [checkDates("sp_certificate", own, now)];
}
