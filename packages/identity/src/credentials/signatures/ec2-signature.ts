/** Verifies the signature of a request to a service with an EC2 API. */
import { faultOfV4, isV4 } from "./signature-v4.js";
import {
  canonicalQuery,
  hmacSha256,
  isSameSignature,
  isBeforeExpiry,
  isRecent,
  parseExtendedTime,
  type SignatureClock,
  type SignedRequest,
} from "./signed-request.js";

/** Why a request is rejected; `undefined` if its signature is valid. */
export function ec2SignatureFault(
  request: SignedRequest,
  secret: string,
  clock: SignatureClock,
): string | undefined {
  const version = request.parameters.get("SignatureVersion");
  if (version === "2") return faultOfV2(request, secret, clock);
  // Versions 0 and 1 cover neither the host nor the path.
  if (version !== undefined && version !== "4")
    return `signature version ${JSON.stringify(version)} is not supported`;
  return isV4(request) ? faultOfV4(request, secret, clock) : "the request has no supported signature";
}

/** Why a request is rejected; `undefined` if its signature is valid. */
function faultOfV2(request: SignedRequest, secret: string, clock: SignatureClock): string | undefined {
  if (!isInTime(request, clock)) return "Timestamp is missing or too old, or Expires has passed";
  // Some clients sign the host without its port.
  const hosts = new Set([request.host, request.host.replace(/:\d+$/, "")]);
  const isSigned = [...hosts].some((host) =>
    isSameSignature(signatureV2({ ...request, host }, secret), request.signature),
  );
  return isSigned ? undefined : "invalid signature";
}

/**
 * Signature version 2 of AWS: HMAC-SHA-256 of verb, host, path and sorted parameters, in base64.
 *
 * @see https://docs.aws.amazon.com/general/latest/gr/signature-version-2.html
 */
export function signatureV2(
  { verb, host, path, parameters }: Pick<SignedRequest, "verb" | "host" | "path" | "parameters">,
  secret: string,
): string {
  // HMAC-SHA-1 is no longer accepted, whatever method the request names.
  const signed = new Map(parameters).set("SignatureMethod", "HmacSHA256");
  const query = canonicalQuery(signed, "Signature");
  return hmacSha256(secret, `${verb}\n${host}\n${path}\n${query}`).toString("base64");
}

function isInTime({ parameters }: SignedRequest, clock: SignatureClock): boolean {
  const [timestamp, expires] = [parameters.get("Timestamp"), parameters.get("Expires")];
  if (timestamp !== undefined) return isRecent(parseExtendedTime(timestamp), clock);
  return expires !== undefined && isBeforeExpiry(parseExtendedTime(expires), clock);
}
