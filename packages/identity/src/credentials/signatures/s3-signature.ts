/**
 * Verifies the signature of a request to a service with an S3 API, by the text that was signed.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/RESTAuthentication.html
 */
import { createHmac } from "node:crypto";

import type { Moment } from "../../platform/clock.js";
import {
  isSameSignature,
  isBeforeExpiry,
  isRecent,
  parseBasicTime,
  parseExtendedTime,
  parseHttpTime,
  type SignatureClock,
} from "./signed-request.js";
import { parseScope, signatureV4, V4_ALGORITHM } from "./signature-v4.js";

/** Services that share the keys of S3. */
const SERVICES: ReadonlySet<string> = new Set(["s3", "iam", "sts"]);

/** Why a signature is rejected; `undefined` if it is valid. */
export function s3SignatureFault(
  { text, signature }: { readonly text: string; readonly signature: string },
  secret: string,
  clock: SignatureClock,
): string | undefined {
  return text.startsWith("AWS4")
    ? faultOfV4Text({ text, signature }, secret, clock)
    : faultOfPlainText({ text, signature }, secret, clock);
}

type Signed = Parameters<typeof s3SignatureFault>[0];

function faultOfV4Text(
  { text, signature }: Signed,
  secret: string,
  clock: SignatureClock,
): string | undefined {
  const [algorithm, time = "", scopeLine = "", hash = "", ...others] = text.split("\n");
  const scope = parseScope(scopeLine);
  if (algorithm !== V4_ALGORITHM || hash === "" || others.length > 0 || scope === undefined)
    return "the text to sign is malformed";
  if (!SERVICES.has(scope.service))
    return `the credential scope is of service ${JSON.stringify(scope.service)}`;
  if (!time.startsWith(scope.date) || !isRecent(parseBasicTime(time), clock))
    return "the signature is too old";
  return isSameSignature(signatureV4({ secret, scope, time, hash }), signature)
    ? undefined
    : "invalid signature";
}

/** The signature of S3 before version 4: HMAC-SHA-1 of verb, MD5, content type, date or expiry, headers and resource. */
function faultOfPlainText(
  { text, signature }: Signed,
  secret: string,
  clock: SignatureClock,
): string | undefined {
  const [, , , date, ...headers] = text.split("\n");
  if (date === undefined) return "the text to sign is malformed";
  if (!isInTime(date, headers, clock)) return "the signature is too old, or has expired";
  const expected = createHmac("sha1", secret).update(text).digest("base64");
  return isSameSignature(expected, signature) ? undefined : "invalid signature";
}

function isInTime(date: string, headers: readonly string[], clock: SignatureClock): boolean {
  if (/^\d{1,12}$/.test(date)) return isBeforeExpiry(Number(date) * 1000, clock);
  const header = headers.find((line) => line.startsWith("x-amz-date:"))?.slice("x-amz-date:".length);
  return isRecent(parseTime(date === "" ? (header ?? "") : date), clock);
}

function parseTime(text: string): Moment | undefined {
  const trimmed = text.trim();
  return parseHttpTime(trimmed) ?? parseBasicTime(trimmed) ?? parseExtendedTime(trimmed);
}
