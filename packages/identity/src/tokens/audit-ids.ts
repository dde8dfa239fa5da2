/** Audit ids: one names a token in the audit log without showing it, another all tokens that come from one login. */
import { randomBytes, type NewId } from "../platform/ids.js";

/** Those of a token. */
export interface AuditIds {
  readonly auditId: string;
  /** Of the first token of its chain, or of the session at a provider; missing for the first token. */
  readonly auditChainId?: string | undefined;
}

/** 16 bytes in base64url: 22 characters. */
export const newAuditId: NewId = () => randomBytes(16).toString("base64url");

/** The chain of a token: those issued for it have the same, and end with it. */
export function auditChainOf({ auditId, auditChainId = auditId }: AuditIds): string {
  return auditChainId;
}

/** `audit_ids` as clients see them: of the token, and of its chain, if the token did not begin it. */
export function auditIdsOf({ auditId, auditChainId }: AuditIds): string[] {
  return auditChainId === undefined ? [auditId] : [auditId, auditChainId];
}
