/** What sets one callbook service apart from another: addresses, messages, names of elements. */
import type { CallbookEntity, CallbookRecord } from "./callbook-record.js";
import type { FieldRow } from "./callbook-fields.js";

/** An account at a callbook. */
export interface Account {
  readonly username: string;
  readonly pwd: string;
}

/** A callbook's protocol. Names of elements are written small: letters' case is not looked at. */
export interface CallbookService {
  /** What messages call it. */
  readonly title: string;
  /** Name of the root element of its documents. */
  readonly root: string;
  loginAddress(account: Account): string;
  callsignAddress(callsign: string, key: string): string;
  entityAddress(adif: number, key: string): string;
  /** The section that has the session's key, or what the service has to say instead. */
  readonly session: { readonly section: string; readonly key: string };
  /** What the service says when… */
  readonly says: {
    /** …a session has ended or never was. */
    readonly sessionOver: RegExp;
    /** …there is no such entry. */
    readonly nothing: RegExp;
    /** …it wants nothing to do with the account. */
    readonly refused: RegExp;
  };
  readonly callsign: Section<CallbookRecord>;
  readonly entity: Section<CallbookEntity> & {
    /** Nobody needs to log in for entities. */
    readonly isFree: boolean;
    /** The element that must repeat the entity's code, where the service may answer for another one. */
    readonly echo?: string;
  };
}

/** Where an answer has what was asked. */
interface Section<Found> {
  readonly section: string;
  readonly rows: readonly FieldRow<Found>[];
}

/** Who asks: callbooks want programs to tell. */
export const AGENT = "hamkit";

/** An address with parameters. Blanks become %20, because not every server takes a plus for one. */
export function addressOf(base: string, parameters: Readonly<Record<string, string>>): string {
  return `${base}?${new URLSearchParams(parameters).toString().replaceAll("+", "%20")}`;
}
