/** Spots of the own activation, at POTA and SOTA. Nothing is sent but by a call of `selfSpot`. */
import { findBand } from "../bands/freq-to-band.js";
import { normalizeCallsign } from "../callsign/normalize.js";
import { isFullCall } from "../callsign/form.js";
import { ValueError } from "../errors.js";
import {
  byStatus,
  type UploadAnswer,
  type UploadRequest,
  type UploadService,
  type UploadSettings,
} from "./services.js";
import { requireSettings, send } from "./upload-log.js";

/** The programs. */
export type SelfSpotProgram = "pota" | "sota";

/** A spot of the own activation. */
export interface SelfSpot {
  readonly program: SelfSpotProgram;
  /** The park or summit: `DE-0123`, `DM/BW-001`. */
  readonly reference: string;
  /** The own call, as it is on the air. */
  readonly call: string;
  /** In a band of amateur radio. */
  readonly frequencyKHz: number;
  /** As in ADIF: `CW`, `SSB`, `FT8`... */
  readonly mode: string;
  /** One line of at most 100 characters. */
  readonly comment?: string | undefined;
  /** The activation ends. */
  readonly qrt?: boolean | undefined;
}

/** Options of `selfSpot`. */
export interface SelfSpotOptions {
  /** Of SOTA: `clientId`, which its team gives a program, and `user` and `password` of the operator. `url` replaces the program's address. */
  readonly settings?: UploadSettings | undefined;
  /** Sends requests; for tests and proxies. */
  readonly fetch?: typeof fetch | undefined;
}

interface SelfSpotService extends Pick<UploadService, "read" | "secrets" | "settings" | "title"> {
  readonly reference: RegExp;
  readonly request: (spot: SelfSpot, tokens: Tokens) => UploadRequest;
}

/** All programs, by name. */
export const SELF_SPOT_SERVICES: Readonly<Record<SelfSpotProgram, SelfSpotService>> = {
  pota: {
    title: "POTA",
    settings: [],
    secrets: [],
    reference: /^[A-Z0-9]{1,4}-[0-9]{4,5}$/,
    // The fields of pota.app's own form, which has no login.
    request: ({ call, frequencyKHz, reference, mode, comment = "", qrt = false }) => ({
      url: "https://api.pota.app/spot",
      body: JSON.stringify({
        activator: call,
        spotter: call,
        frequency: String(frequencyKHz),
        reference,
        mode,
        source: "hamkit",
        comments: qrt && !/\bqrt\b/i.test(comment) ? `QRT ${comment}`.trim() : comment,
      }),
      headers: { "content-type": "application/json" },
    }),
    read: (status, text) => withoutList(byStatus(status, text)),
  },
  sota: {
    title: "SOTA",
    settings: ["clientId", "user", "password"],
    secrets: ["password"],
    reference: /^[A-Z0-9]{1,4}\/[A-Z]{2}-[0-9]{3}$/,
    request({ call, frequencyKHz, reference, mode, comment = "", qrt = false }, { access, id }) {
      const [associationCode, summitCode] = reference.split("/");
      return {
        url: "https://api-db2.sota.org.uk/api/spots",
        body: JSON.stringify({
          id: 0,
          associationCode,
          summitCode,
          activatorCallsign: call,
          frequency: String(frequencyKHz / 1000),
          mode: sotaMode(mode),
          comments: comment,
          type: qrt ? "QRT" : "NORMAL",
        }),
        headers: { "content-type": "application/json", authorization: `bearer ${access}`, id_token: id },
      };
    },
    read: (status, text) => withoutList(byStatus(status, text)),
  },
};

/** The answer is the list of all spots, or the new one. */
function withoutList(answer: UploadAnswer): UploadAnswer {
  return answer.kind === "accepted" ? { kind: "accepted", reason: "" } : answer;
}

/** SOTA knows few modes. */
function sotaMode(mode: string): string {
  if (["AM", "CW", "FM", "SSB"].includes(mode)) return mode;
  if (["USB", "LSB"].includes(mode)) return "SSB";
  return /^(?:DIGITALVOICE|C4FM|DMR|DSTAR|D-STAR|DV|FREEDV|M17)$/.test(mode) ? "DV" : "Data";
}

/** Of SOTA's single sign-on. */
interface Tokens {
  readonly access: string;
  readonly id: string;
}

const MAX_COMMENT = 100;
const TIMEOUT_MS = 20_000;

/**
 * Spots the own activation of a park (POTA) or a summit (SOTA). A request is not repeated: the spot may have come.
 *
 * @returns `accepted`; or `rejected`, `login-failed` or `unavailable` with what the program said, without secrets.
 * @throws {ValueError} A value is not of its form, the frequency is outside the bands, or a setting is missing.
 */
export async function selfSpot(spot: SelfSpot, options: SelfSpotOptions = {}): Promise<UploadAnswer> {
  const { settings = {} } = options;
  const checked = checkSelfSpot(spot);
  const service = SELF_SPOT_SERVICES[checked.program];
  requireSettings(service, settings);
  const sendOptions = { settings, fetch: options.fetch, timeoutMs: TIMEOUT_MS };
  const url = settings["url"] ?? "";
  if (checked.program === "pota")
    return send({ ...service, attempts: 1 }, at(service.request(checked, NO_TOKENS), url), sendOptions);
  let tokens: Tokens | undefined;
  const login = await send(
    {
      ...service,
      attempts: 1,
      read(status, text) {
        tokens = status === 200 ? tokensOf(text) : undefined;
        if (tokens !== undefined) return { kind: "accepted", reason: "" };
        // Keycloak answers 401 {"error":"invalid_grant"}, also 400 for a client that may not log in so.
        const answer = byStatus(status === 400 ? 401 : status, text);
        return answer.kind === "accepted" ? { ...answer, kind: "unavailable" } : answer;
      },
    },
    at(loginRequest(settings), url === "" ? "" : new URL("token", url).href),
    sendOptions,
  );
  if (tokens === undefined) return login;
  const { access, id } = tokens;
  return send(
    { ...service, attempts: 1, secrets: ["password", "access", "id"] },
    at(service.request(checked, tokens), url),
    { ...sendOptions, settings: { ...settings, access, id } },
  );
}

const NO_TOKENS: Tokens = { access: "", id: "" };

function at(request: UploadRequest, url: string): UploadRequest {
  return url === "" ? request : { ...request, url };
}

function loginRequest({ clientId = "", user = "", password = "" }: UploadSettings): UploadRequest {
  return {
    url: "https://sso.sota.org.uk/auth/realms/SOTA/protocol/openid-connect/token",
    body: new URLSearchParams({
      grant_type: "password",
      scope: "openid",
      client_id: clientId,
      username: user,
      password,
    }),
  };
}

function tokensOf(text: string): Tokens | undefined {
  try {
    const { access_token: access, id_token: id } = JSON.parse(text) as Record<string, unknown>;
    return isToken(access) && isToken(id) ? { access, id } : undefined;
  } catch {
    return undefined;
  }
}

/** A text that may be in a header. */
function isToken(value: unknown): value is string {
  return typeof value === "string" && /^[\w.~+/-]+=*$/.test(value);
}

/** @throws {ValueError} A value is not of its form. */
export function checkSelfSpot(spot: SelfSpot): SelfSpot {
  const { program, frequencyKHz, comment = "" } = spot;
  if (!Object.hasOwn(SELF_SPOT_SERVICES, program))
    throw new ValueError({
      argument: "program",
      value: program,
      expected: Object.keys(SELF_SPOT_SERVICES).join(", "),
    });
  const [reference, mode] = [spot.reference, spot.mode].map((text) => text.trim().toUpperCase());
  const call = normalizeCallsign(spot.call) ?? "";
  const example = program === "pota" ? "a park such as DE-0123" : "a summit such as DM/BW-001";
  if (reference === undefined || !SELF_SPOT_SERVICES[program].reference.test(reference))
    throw new ValueError({ argument: "reference", value: spot.reference, expected: example });
  if (!call.split("/").some(isFullCall))
    throw new ValueError({ argument: "call", value: spot.call, expected: "a callsign" });
  if (!(frequencyKHz > 0) || findBand(frequencyKHz) === undefined)
    throw new ValueError({
      argument: "frequencyKHz",
      value: frequencyKHz,
      expected: "a frequency of a band, in kHz",
    });
  if (mode === undefined || !/^[A-Z0-9][A-Z0-9-]{0,15}$/.test(mode))
    throw new ValueError({ argument: "mode", value: spot.mode, expected: "a mode such as CW, SSB or FT8" });
  if (comment.length > MAX_COMMENT || /\p{Cc}/u.test(comment))
    throw new ValueError({
      argument: "comment",
      value: comment,
      expected: `one line of at most ${MAX_COMMENT} characters`,
    });
  return { ...spot, reference, call, mode, comment: comment.trim() };
}
