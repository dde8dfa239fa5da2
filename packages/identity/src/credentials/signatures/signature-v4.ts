/**
 * Signature version 4 of AWS: a key derived from the secret for one day, region and service signs the hash of a canonical request.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
import {
  canonicalQuery,
  hmacSha256,
  isSameSignature,
  sha256Hex,
  isBeforeExpiry,
  isRecent,
  parseBasicTime,
  type SignatureClock,
  type SignedRequest,
} from "./signed-request.js";

export const V4_ALGORITHM = "AWS4-HMAC-SHA256";
const TERMINATOR = "aws4_request";

/** What a key was derived for: `20260102/RegionOne/ec2/aws4_request`. */
export interface SigningScope {
  readonly date: string;
  readonly region: string;
  readonly service: string;
}

/** The statement of a version 4 request on its signature: a header, or parameters. */
interface Authorization {
  readonly access: string;
  readonly scope: SigningScope;
  readonly signedHeaders: readonly string[];
  readonly time: string;
  /** Seconds for which a presigned request is valid. */
  readonly expires: string | undefined;
}

/** Whether a request is signed by version 4. */
export function isV4({ headers, parameters }: SignedRequest): boolean {
  const header = headers.get("authorization");
  return header === undefined
    ? parameters.get("X-Amz-Algorithm") === V4_ALGORITHM
    : header.startsWith(`${V4_ALGORITHM} `);
}

/** Why a request is rejected; `undefined` if its signature is valid. */
export function faultOfV4(request: SignedRequest, secret: string, clock: SignatureClock): string | undefined {
  const authorization = readAuthorization(request);
  if (authorization === undefined) return "the Authorization header or the X-Amz parameters are malformed";
  const { access, scope, signedHeaders, time } = authorization;
  if (access !== request.access) return "the signature is for another access key";
  if (!signedHeaders.includes("host")) return "the header Host is not signed";
  if (!isInTime(authorization, clock))
    return "X-Amz-Date is too old, or not of the day of the credential scope";
  const hash = sha256Hex(canonicalRequest(request, signedHeaders));
  const isSigned = isSameSignature(signatureV4({ secret, scope, time, hash }), request.signature);
  return isSigned ? undefined : "invalid signature";
}

/** @param hash Of the canonical request. */
export function signatureV4({
  secret,
  scope,
  time,
  hash,
}: {
  readonly secret: string;
  readonly scope: SigningScope;
  readonly time: string;
  readonly hash: string;
}): string {
  const text = [V4_ALGORITHM, time, scopeText(scope), hash].join("\n");
  return hmacSha256(signingKey(secret, scope), text).toString("hex");
}

/** The scope that a text states; `undefined` if it is malformed. */
export function parseScope(text: string): SigningScope | undefined {
  const [date = "", region = "", service = "", terminator, ...others] = text.split("/");
  if (terminator !== TERMINATOR || others.length > 0 || !/^\d{8}$/.test(date)) return undefined;
  return { date, region, service };
}

function scopeText({ date, region, service }: SigningScope): string {
  return [date, region, service, TERMINATOR].join("/");
}

function signingKey(secret: string, { date, region, service }: SigningScope): Buffer {
  return [region, service, TERMINATOR].reduce(hmacSha256, hmacSha256(`AWS4${secret}`, date));
}

export function canonicalRequest(
  { verb, path, parameters, headers, bodyHash }: SignedRequest,
  signedHeaders: readonly string[],
): string {
  const method = verb.toUpperCase();
  // Parameters of POST come from the body, whose hash is signed.
  const query = method === "POST" ? "" : canonicalQuery(parameters, "X-Amz-Signature");
  const lines = signedHeaders.flatMap((name) => {
    const value = headers.get(name);
    return value === undefined ? [] : [`${name}:${value.trim().replaceAll(/ +/g, " ")}\n`];
  });
  return [method, path, query, lines.join(""), signedHeaders.join(";"), bodyHash].join("\n");
}

function readAuthorization({ headers, parameters }: SignedRequest): Authorization | undefined {
  const header = headers.get("authorization");
  const part = (name: string) =>
    header === undefined
      ? parameters.get(`X-Amz-${name}`)
      : new RegExp(`[ ,]${name}=([^, ]*)`).exec(header)?.[1];
  const [access = "", ...rest] = (part("Credential") ?? "").split("/");
  const scope = parseScope(rest.join("/"));
  const signedHeaders = part("SignedHeaders");
  const time = headers.get("x-amz-date") ?? parameters.get("X-Amz-Date");
  if (scope === undefined || signedHeaders === undefined || time === undefined) return undefined;
  const expires = header === undefined ? parameters.get("X-Amz-Expires") : undefined;
  return { access, scope, signedHeaders: signedHeaders.split(";"), time, expires };
}

function isInTime({ scope, time, expires }: Authorization, clock: SignatureClock): boolean {
  const signedAt = parseBasicTime(time);
  if (signedAt === undefined || !time.startsWith(scope.date)) return false;
  if (!isRecent(signedAt, clock)) return false;
  return expires === undefined || isBeforeExpiry(signedAt + Number(expires) * 1000, clock);
}
