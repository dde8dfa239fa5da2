/** Verifies the signature of a request to a service with an EC2 API. */
import type { SignatureClock } from "./signature-time.js";
import { faultOfV2 } from "./signature-v2.js";
import { faultOfV4, isV4 } from "./signature-v4.js";
import type { SignedRequest } from "./signed-request.js";

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
