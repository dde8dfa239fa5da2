/**
 * A directory over LDAP, by ldapts: connections, time limits and several servers.
 *
 * Searches use a small pool of connections that are bound with the service's account. A login is one bind on a new connection: a
 * pooled one would accept a former password, and repeat a wrong one. References to other servers are never followed.
 */
import { isIP } from "node:net";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { ConnectionOptions } from "node:tls";

import {
  AdminLimitExceededError,
  Client,
  NoSuchObjectError,
  ResultCodeError,
  SizeLimitExceededError,
  type Entry,
} from "ldapts";

import type { BindOutcome, Directory, DirectoryEntry, DirectorySearch } from "../directory.js";
import { traced } from "../../platform/tracing/tracing.js";
import { DirectoryFailure, DirectoryUnavailableError } from "../directory-errors.js";
import { explainRefusal } from "./result-codes.js";

export interface LdapConnectionSettings {
  /** In the order in which they are tried. */
  readonly urls: readonly string[];
  /** Whether each process tries them in an order of its own. */
  readonly isShuffled: boolean;
  /** The service's account; anonymous, if left out. */
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly usesStartTls: boolean;
  readonly caFile: string | undefined;
  readonly caFolder: string | undefined;
  readonly verifiesCertificate: boolean;
  /** Entries of a page (RFC 2696); 0 for pages only where the server limits a search. */
  readonly pageSize: number;
  readonly aliases: "never" | "always" | "search" | "find" | undefined;
  readonly poolSize: number;
  readonly poolLifetimeMs: number;
  /** For connecting to one server, TLS and bind included. */
  readonly connectTimeoutMs: number;
}

/** For a search or a bind, connecting to all servers included. */
const TOTAL_MS = 4500;
/** For a search for few entries, on a connection that exists. */
const SEARCH_MS = 3000;
/** For a list. */
const LIST_MS = 60_000;
/** A server that failed is not tried for a time that grows with how long its failure took: up to this, if there are others. */
const MAX_DEAD_MS = 10_000;
/** The same for the only server. */
const MAX_DEAD_ALONE_MS = 2000;
/** The size of pages, where the server limits searches without pages, or the size of pages. */
const STANDARD_PAGE = 200;
/** The size of pages of lists, where the configuration sets none. */
const LIST_PAGE = 500;

/** Firewalls drop connections silently that are idle for some minutes. */
const MAX_IDLE_MS = 60_000;

interface Connection {
  readonly client: Client;
  readonly url: string;
  readonly openedAt: number;
}

interface IdleConnection extends Connection {
  readonly idleSince: number;
}

/** @param now Milliseconds; a monotonic clock. */
export function createLdapDirectory(
  settings: LdapConnectionSettings,
  now = () => performance.now(),
): Directory {
  const urls = settings.isShuffled ? shuffled(settings.urls) : settings.urls;
  const deadUntil = new Map<string, number>();
  const idle: IdleConnection[] = [];
  const waiting: (() => void)[] = [];
  let used = 0;
  let isClosed = false;

  /** @param since When the operation that failed began. */
  function markDead(url: string, since: number): void {
    const tookMs = now() - since;
    const deadMs = urls.length > 1 ? Math.min(5 * tookMs, MAX_DEAD_MS) : Math.min(tookMs, MAX_DEAD_ALONE_MS);
    deadUntil.set(url, now() + deadMs);
  }

  /** A new connection to the first server that answers, after `prepare`, which binds. */
  async function connect<Result>(
    prepare: (client: Client) => Promise<Result>,
  ): Promise<{ readonly connection: Connection; readonly result: Result }> {
    const failures: string[] = [];
    for (const url of urls) {
      if ((deadUntil.get(url) ?? 0) > now()) {
        failures.push(`${url}: failed just now`);
        continue;
      }
      // One connection at a time tries a server that failed before.
      if (deadUntil.has(url)) deadUntil.set(url, now() + settings.connectTimeoutMs);
      const since = now();
      let client: Client | undefined;
      try {
        const opened = new Client({
          url,
          strictDN: false,
          timeout: LIST_MS,
          connectTimeout: settings.connectTimeoutMs,
          ...tlsOf(settings, url),
        });
        client = opened;
        const result = await within(settings.connectTimeoutMs, async () => {
          if (settings.usesStartTls) await opened.startTLS(tlsOptions(settings, url));
          return prepare(opened);
        });
        deadUntil.delete(url);
        return { connection: { client: opened, url, openedAt: now() }, result };
      } catch (error) {
        if (client !== undefined) discard(client);
        // A server that answers is alive: another one would answer the same.
        if (error instanceof ResultCodeError || error instanceof DirectoryFailure) {
          deadUntil.delete(url);
          throw unavailable(`${url}: ${messageIn(error)}`, error);
        }
        markDead(url, since);
        failures.push(`${url}: ${messageIn(error)}`);
      }
    }
    throw unavailable(failures.join("; "));
  }

  async function bindService(client: Client): Promise<void> {
    const { user, password = "" } = settings;
    if (user === undefined) return;
    try {
      await traced("directory", "bind", () => client.bind(user, password));
    } catch (error) {
      if (!(error instanceof ResultCodeError)) throw error;
      throw new DirectoryFailure(`bind as ${user}: ${explainRefusal(error)}`, { cause: error });
    }
  }

  async function acquire(): Promise<Connection & { readonly isReused: boolean }> {
    if (used >= settings.poolSize) await new Promise<void>((resolve) => waiting.push(resolve));
    else used++;
    try {
      for (let known = idle.pop(); known !== undefined; known = idle.pop()) {
        const isYoung = now() - known.openedAt < settings.poolLifetimeMs;
        if (known.client.isConnected && isYoung && now() - known.idleSince < MAX_IDLE_MS)
          return { ...known, isReused: true };
        discard(known.client);
      }
      return { ...(await connect(bindService)).connection, isReused: false };
    } catch (error) {
      release();
      throw error;
    }
  }

  function release(connection?: Connection): void {
    if (connection !== undefined) {
      if (isClosed) discard(connection.client);
      else idle.push({ ...connection, idleSince: now() });
    }
    const next = waiting.shift();
    if (next === undefined) used--;
    else next();
  }

  /** Runs work on a connection of the pool; once more on another, if an idle one turns out to be lost. */
  async function withService<Result>(
    work: (client: Client) => Promise<Result>,
    limitMs: number,
  ): Promise<Result> {
    const connection = await acquire();
    const since = now();
    try {
      const result = await within(limitMs, () => work(connection.client));
      release(connection);
      return result;
    } catch (error) {
      if (error instanceof ResultCodeError) {
        release(connection);
        throw error;
      }
      discard(connection.client);
      release();
      const isTimeout = error instanceof TimeLimit;
      if (connection.isReused && !isTimeout) return withService(work, limitMs);
      // Others may be dead as silently as this one.
      if (isTimeout) for (const { client } of idle.splice(0)) discard(client);
      markDead(connection.url, since);
      throw unavailable(`${connection.url}: ${messageIn(error)}`, error);
    }
  }

  const optionsOf = ({ scope, filter, attributes, binary = [] }: DirectorySearch, pageSize: number) => ({
    scope,
    filter,
    attributes: [...attributes],
    explicitBufferAttributes: [...binary, ...binary.map((name) => name.toLowerCase())],
    ...(settings.aliases !== undefined && { derefAliases: settings.aliases }),
    ...(pageSize > 0 && { paged: { pageSize } }),
  });

  async function searchWith(
    client: Client,
    wanted: DirectorySearch,
    pageSize: number,
  ): Promise<DirectoryEntry[]> {
    const { searchEntries } = await traced("directory", "search", () =>
      client.search(wanted.base, optionsOf(wanted, pageSize)),
    );
    return searchEntries.map(toEntry);
  }

  async function search(wanted: DirectorySearch): Promise<DirectoryEntry[]> {
    const { isList = false } = wanted;
    const limitMs = isList ? LIST_MS : SEARCH_MS;
    const pageSize = isList ? settings.pageSize : 0;
    const found = await inPages(wanted, pageSize, (size) =>
      withService((client) => searchWith(client, wanted, size), limitMs),
    );
    return found ?? [];
  }

  async function searchPages(
    wanted: DirectorySearch,
    onPage: (entries: DirectoryEntry[]) => Promise<void>,
  ): Promise<void> {
    const read = (size: number) =>
      withService(async (client) => {
        const pages = client.searchPaginated(wanted.base, optionsOf(wanted, size));
        for await (const { searchEntries } of pages) await onPage(searchEntries.map(toEntry));
      }, LIST_MS);
    await inPages(wanted, settings.pageSize === 0 ? LIST_PAGE : settings.pageSize, read);
  }

  async function bindAs(dn: string, password: string): Promise<BindOutcome> {
    if (password === "") return { isAccepted: false, reason: "empty password" };
    let connection: Connection | undefined;
    try {
      const opened = await connect(async (client): Promise<BindOutcome> => {
        try {
          await traced("directory", "bind", () => client.bind(dn, password));
          return { isAccepted: true };
        } catch (error) {
          // Busy, unavailable, and errors of the server say nothing about the password.
          if (!(error instanceof ResultCodeError) || [51, 52, 80].includes(error.code)) throw error;
          return { isAccepted: false, reason: explainRefusal(error) };
        }
      });
      connection = opened.connection;
      return opened.result;
    } finally {
      if (connection !== undefined) discard(connection.client);
    }
  }

  return {
    searchPages: (wanted, onPage) => within(LIST_MS, () => searchPages(wanted, onPage)),
    search: (wanted) => within(wanted.isList === true ? LIST_MS : TOTAL_MS, () => search(wanted)),
    bindAs: (dn, password) => within(TOTAL_MS, () => bindAs(dn, password)),
    use: () => ({ used, idle: idle.length, waiting: waiting.length }),
    close() {
      isClosed = true;
      for (const { client } of idle.splice(0)) discard(client);
    },
  };
}

/** Runs a search, again in smaller pages if the server limits them. `undefined` if the base does not exist. */
async function inPages<Result>(
  wanted: DirectorySearch,
  pageSize: number,
  run: (pageSize: number) => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await run(pageSize).catch((error: unknown) => {
      if (isLimit(error) && pageSize !== STANDARD_PAGE) return run(STANDARD_PAGE);
      throw error;
    });
  } catch (error) {
    if (error instanceof NoSuchObjectError) return undefined;
    if (error instanceof ResultCodeError)
      throw unavailable(
        `search below ${wanted.base}, filter ${wanted.filter.toString()}: ${explainRefusal(error)}`,
        error,
      );
    throw error;
  }
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item);
}

/** The server returns fewer entries, without pages or in pages of this size. */
function isLimit(error: unknown): boolean {
  return error instanceof SizeLimitExceededError || error instanceof AdminLimitExceededError;
}

function unavailable(reason: string, cause?: unknown): DirectoryUnavailableError {
  return new DirectoryUnavailableError("The directory of the domain is unavailable.", {
    cause: new DirectoryFailure(reason, { cause }),
  });
}

/** An operation took too long. */
class TimeLimit extends Error {
  override readonly name = "TimeLimit";
}

async function within<Result>(limitMs: number, work: () => Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeLimit(`no answer within ${limitMs / 1000} s`)), limitMs);
  });
  try {
    return await Promise.race([work(), limit]);
  } catch (error) {
    throw error instanceof TimeLimit && limitMs >= TOTAL_MS ? unavailable(error.message, error) : error;
  } finally {
    clearTimeout(timer);
  }
}

/** Closes a connection without waiting. */
function discard(client: Client): void {
  client.unbind().catch(() => {});
}

function messageIn(error: unknown): string {
  const { message, code } = error as { readonly message?: string; readonly code?: unknown };
  return message || String(code ?? error);
}

function tlsOf(settings: LdapConnectionSettings, url: string): { readonly tlsOptions?: ConnectionOptions } {
  return url.startsWith("ldaps:") ? { tlsOptions: tlsOptions(settings, url) } : {};
}

/** Of one connection: another domain has its own. */
function tlsOptions(
  { caFile, caFolder, verifiesCertificate }: LdapConnectionSettings,
  url: string,
): ConnectionOptions {
  const host = new URL(url.replace(/^ldaps?:/, "http:")).hostname.replaceAll(/[[\]]/g, "");
  const ca = [
    ...(caFile === undefined ? [] : [readCertificates(caFile)]),
    ...(caFolder === undefined
      ? []
      : readdirSync(caFolder)
          .filter((name) => /\.(?:pem|crt|cer|\d+)$/.test(name))
          .map((name) => readCertificates(join(caFolder, name)))),
  ];
  return {
    host,
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca.length > 0 && { ca }),
    rejectUnauthorized: verifiesCertificate,
    minVersion: "TLSv1.2",
  };
}

function readCertificates(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new DirectoryFailure(`the file of trusted certificates can't be read: ${file}`, { cause });
  }
}

function toEntry({ dn, ...found }: Entry): DirectoryEntry {
  const values = new Map<string, (string | Buffer)[]>();
  for (const [name, given] of Object.entries(found)) {
    const list = Array.isArray(given) ? [...given] : [given];
    if (list.length > 0) values.set(name.toLowerCase(), list);
  }
  return {
    dn,
    attributes: [...values.keys()],
    valuesOf: (attribute) => values.get(attribute.toLowerCase()) ?? [],
  };
}
