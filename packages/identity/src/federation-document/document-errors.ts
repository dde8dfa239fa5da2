/** Errors of federation documents. Each names the place in the document, what is there and what is expected; never a secret. */
import { ConflictError, errorClass, InvalidError } from "../platform/errors.js";

/** From the outside in: `["identity_providers", 0, "protocols", 1, "mapping"]`. */
export type DocumentPath = readonly (string | number)[];

/** A place in the text of a document. */
export interface TextPlace {
  /** The file, or `document` where the text has none. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
}

/** What is wrong, and where. */
export interface DocumentFault {
  readonly path: DocumentPath;
  /** Empty for a syntax error. */
  readonly place: TextPlace | undefined;
  readonly reason: string;
}

function textOf({ path, place, reason }: DocumentFault): string {
  const at = place === undefined ? [] : [`${place.file}:${place.line}:${place.column}`];
  return [...at, ...(path.length === 0 ? [] : [pathText(path)]), reason].join(": ");
}

/** The text is no document, or refers to what does not exist. */
export class FederationDocumentError extends errorClass(
  InvalidError,
  "federation-document/invalid",
  textOf,
) {}

/** A secret that the document refers to can't be read. */
export class DocumentSecretError extends errorClass(InvalidError, "federation-document/secret", textOf) {}

/** A rule of the service refuses an entry of the document: the cause names it. */
export class DocumentRefusedError extends errorClass(InvalidError, "federation-document/refused", textOf) {}

/** The changes are not those of the plan that the apply names. */
export class DocumentPlanChangedError extends errorClass(
  ConflictError,
  "federation-document/plan-changed",
  (planned: string, current: string) =>
    `The service, the document or a secret changed since the plan: its revision was ${planned}, and is ${current} now. Plan again.`,
) {}

/** `identity_providers[0].protocols[1].mapping` */
export function pathText(path: DocumentPath): string {
  return path
    .map((part, index) => (typeof part === "number" ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join("");
}
