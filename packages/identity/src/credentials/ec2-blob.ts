/** The JSON in the blob of an EC2 credential: an access key, its secret, and the delegation that the key is bound to. */
import { createHash } from "node:crypto";

import type { DelegatedBy } from "../policy/delegation.js";
import { Ec2BlobError, Ec2PartError, FixedMemberError } from "./credential.js";

/** The type of credentials that sign requests. */
export const EC2_TYPE = "ec2";

/** Members that bind a key to a trust, an application credential or an OAuth1 access token. */
export const EC2_BINDINGS = ["trust_id", "app_cred_id", "access_token_id", "access_id"] as const;

export type Ec2Blob = Readonly<Record<string, unknown>> & { readonly access: string };

/** Whether a credential has an access key. As in Keystone, only the type in lower case signs requests. */
export function hasAccessKey(type: string): boolean {
  return type.toLowerCase() === EC2_TYPE;
}

/** The id of the credential with an access key: it is found by the key. */
export function ec2CredentialId(access: string): string {
  return createHash("sha256").update(access).digest("hex");
}

/** @throws {Ec2BlobError} Not JSON. {@link Ec2PartError} No object, or one without access key. */
export function readEc2Blob(text: string): Ec2Blob {
  const blob = parse(text);
  if (typeof blob !== "object" || blob === null || Array.isArray(blob)) throw new Ec2PartError("blob");
  if (Object.keys(blob).length === 0) throw new Ec2PartError("blob");
  const { access } = blob as { readonly access?: unknown };
  if (typeof access !== "string" || access === "") throw new Ec2PartError("access");
  return blob as Ec2Blob;
}

/** @throws {FixedMemberError} The change binds the key to another delegation, or to none. */
export function checkSameBindings(stored: Ec2Blob, changed: Ec2Blob): void {
  for (const member of EC2_BINDINGS)
    if ((stored[member] ?? null) !== (changed[member] ?? null)) throw new FixedMemberError(member);
}

/** What the key is bound to. A token that it issues is limited by all of it. */
export function delegationOf(blob: Ec2Blob): DelegatedBy | undefined {
  const [trustId, applicationCredentialId, accessTokenId, accessId] = EC2_BINDINGS.map((member) => {
    const value = blob[member] ?? null;
    // A value that is no id belongs to no delegation, so that the key is not valid.
    return value === null || typeof value === "string" ? value : JSON.stringify(value);
  });
  const accessToken = accessTokenId ?? accessId ?? null;
  const by = {
    ...(typeof trustId === "string" && { trustId }),
    ...(typeof applicationCredentialId === "string" && { applicationCredentialId }),
    ...(accessToken !== null && { accessToken: { id: accessToken, consumerId: "" } }),
  };
  return Object.keys(by).length === 0 ? undefined : by;
}

/** A member, if it is a text. */
export function textIn(blob: Ec2Blob, member: string): string | null {
  const value = blob[member];
  return typeof value === "string" ? value : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new Ec2BlobError({ cause });
  }
}
