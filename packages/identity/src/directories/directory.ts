/** A directory of users and groups, as this service uses it: a port, behind which is LDAP. */
import type { Filter } from "./ldap/filter-objects.js";

/** An entry with the values of the requested attributes. */
export interface DirectoryEntry {
  readonly dn: string;
  /** The values of an attribute, by its name in any case: text, or bytes that are not UTF-8 or were requested as such. */
  valuesOf(attribute: string): readonly (string | Buffer)[];
  /** The names of the attributes that have values, in lower case. */
  readonly attributes: readonly string[];
}

export interface DirectorySearch {
  /** The DN below which, or at which, entries are. */
  readonly base: string;
  readonly scope: "base" | "one" | "sub";
  readonly filter: Filter;
  readonly attributes: readonly string[];
  /** Of the attributes, those that hold bytes. */
  readonly binary?: readonly string[];
  /** Whether many entries are expected: it may take longer, and is read in pages. */
  readonly isList?: boolean;
}

/** Why a password was not accepted: for the log. */
export type BindOutcome =
  | { readonly isAccepted: true }
  | { readonly isAccepted: false; readonly reason: string };

/** Connections of a directory's pool, and requests that wait for one. */
export interface DirectoryConnections {
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
}

export interface Directory {
  /**
   * The entries, in the directory's order; none if the base does not exist. References to other servers are left out.
   *
   * @throws {DirectoryUnavailableError}
   */
  search(search: DirectorySearch): Promise<DirectoryEntry[]>;
  /**
   * Reads many entries in pages of the server (RFC 2696), of which only one is in memory. An entry may be passed twice: the search starts
   * again if an idle connection turns out to be lost, or the server's pages are smaller.
   *
   * @param onPage Awaited before the next page is requested.
   * @throws {DirectoryUnavailableError}
   */
  searchPages(search: DirectorySearch, onPage: (entries: DirectoryEntry[]) => Promise<void>): Promise<void>;
  /**
   * Binds as an entry: one attempt, on a connection of its own.
   *
   * @param password Not empty: many servers accept any DN without a password.
   * @throws {DirectoryUnavailableError}
   */
  bindAs(dn: string, password: string): Promise<BindOutcome>;
  use(): DirectoryConnections;
  /** Closes idle connections; those in use when their operation ends. */
  close(): void;
}
