/** The protocol of a callbook: addresses, error messages, names of elements. */
import type { CallbookEntity, CallbookRecord } from "./callbook-record.js";
import type { FieldRow } from "./callbook-fields.js";

/** An account at a callbook. */
export interface Account {
  readonly username: string;
  readonly pwd: string;
}

/** A callbook's protocol. Names of elements are in lower case and match in any case. */
export interface CallbookService {
  /** Name in messages. */
  readonly title: string;
  /** Name of the root element of its documents. */
  readonly root: string;
  loginAddress(account: Account): string;
  callsignAddress(callsign: string, key: string): string;
  entityAddress(adif: number, key: string): string;
  /** The section with the session's key or the service's messages. */
  readonly session: { readonly section: string; readonly key: string };
  /** Patterns of the service's error messages. */
  readonly errors: {
    /** The session expired or does not exist. */
    readonly sessionExpired: RegExp;
    /** The entry does not exist. */
    readonly notFound: RegExp;
    /** The service refuses the account. */
    readonly refused: RegExp;
  };
  readonly callsign: Section<CallbookRecord>;
  readonly entity: Section<CallbookEntity> & {
    /** Entities need no login. */
    readonly isFree: boolean;
    /** The element that must repeat the entity's code, if the service may return another entity. */
    readonly echo?: string;
  };
}

/** The section of an entry, and its fields. */
interface Section<Found> {
  readonly section: string;
  readonly rows: readonly FieldRow<Found>[];
}

/** Name of the client program, which callbooks ask for. */
export const AGENT = "hamkit";

/** An address with parameters. Blanks become %20, because not every server decodes a plus. */
export function addressOf(base: string, parameters: Readonly<Record<string, string>>): string {
  return `${base}?${new URLSearchParams(parameters).toString().replaceAll("+", "%20")}`;
}
