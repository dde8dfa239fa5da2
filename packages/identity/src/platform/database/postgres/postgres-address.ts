/** Parses connection URIs of libpq: `postgres://user@host1:5432,host2/name?target_session_attrs=read-write`. */
import { takeTls, type PostgresTls } from "./hosts/postgres-tls.js";

/** Required state of a host: any, accepting writes, or not a standby. */
export type TargetSession = "any" | "read-write" | "primary";

/** The hosts of a database, in the order of connection attempts. */
export interface PostgresAddress {
  /** One URI per host. They contain the password. */
  readonly urls: readonly [string, ...string[]];
  readonly targetSession: TargetSession;
  readonly tls: PostgresTls;
  /** For one host; `undefined` if the URI does not set it. */
  readonly connectTimeoutMs: number | undefined;
}

const TARGETS: ReadonlySet<string> = new Set(["any", "read-write", "primary"]);
/** Scheme, user and password, hosts, and everything else. */
const PARTS = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^@/?#]*)([^#]*)$/;
/** A name, an IPv4 address, an IPv6 address in brackets, or a percent-encoded socket directory; and a port. */
const HOST = /^((?:\[[0-9a-fA-F:.%]+\])|[^:[\]]*)(?::(\d{1,5})?)?$/;

/**
 * Parses a connection URI. Error messages never quote it: it may contain a password.
 *
 * Hosts are separated by commas, each with an optional port; or they are in `host=` and `port=`, where one port applies to all
 * hosts. With several hosts `target_session_attrs` defaults to `read-write`, unlike in libpq: the service writes.
 *
 * @throws {TypeError} The URI is malformed, requires a standby, or has contradicting parameters of TLS.
 */
export function parsePostgresAddress(url: string): PostgresAddress {
  const [, scheme = "", user = "", authority = "", rest = ""] = PARTS.exec(url) ?? [];
  if (scheme === "") throw new TypeError("it has another scheme, or a part that does not belong there");
  const [path, query = ""] = splitAt(rest, "?");
  const parameters = query.split("&").filter((parameter) => parameter !== "");
  const take = (name: string) => takeParameter(parameters, name);
  const tls = takeTls((name) => decoded(name, take(name)));
  const connectTimeoutMs = toTimeout(take("connect_timeout"));

  const attributes = take("target_session_attrs");
  take("load_balance_hosts");
  if (take("hostaddr") !== undefined) throw new TypeError("hostaddr is not supported: name the host");
  const hosts = hostsOf(authority, { host: take("host"), port: take("port") });
  const targetSession = attributes ?? (hosts.length > 1 ? "read-write" : "any");
  if (!isTarget(targetSession))
    throw new TypeError("target_session_attrs is not any, read-write or primary: the service writes");

  const urls = hosts.map(({ host, port }) => {
    // `pg` accepts a socket directory only as a parameter.
    const isFolder = /^(?:%2f|\/)/i.test(host);
    const each = [...parameters, ...(isFolder ? [`host=${host}`] : []), ...(port ? [`port=${port}`] : [])];
    return `${scheme}${user}${isFolder ? "" : host}${path}${each.length > 0 ? `?${each.join("&")}` : ""}`;
  });
  return { urls: urls as [string, ...string[]], targetSession, tls, connectTimeoutMs };
}

function decoded(name: string, text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    throw new TypeError(`${name} is not percent-encoded text`);
  }
}

/** @param text Seconds. As in libpq, 0 means no limit of its own: that of the settings applies. */
function toTimeout(text: string | undefined): number | undefined {
  if (text !== undefined && !/^\d{1,4}$/.test(text))
    throw new TypeError("connect_timeout is not a number of seconds up to 9999");
  return Number(text ?? 0) * 1000 || undefined;
}

interface Host {
  readonly host: string;
  readonly port: string;
}

/** As in libpq, parameters override the hosts of the authority. */
function hostsOf(authority: string, given: { host: string | undefined; port: string | undefined }): Host[] {
  const named = given.host?.split(",").map(hostAlone) ?? authority.split(",").map(toHost);
  if (given.port === undefined) return named;
  const ports = given.port.split(",");
  if (ports.length !== 1 && ports.length !== named.length)
    throw new TypeError(`${ports.length} ports for ${named.length} hosts: one for all, or one for each`);
  return named.map(({ host }, at) => ({ host, port: checkedPort(ports[ports.length === 1 ? 0 : at] ?? "") }));
}

/** A host without port: colons are those of an IPv6 address. */
function hostAlone(text: string): Host {
  return { host: text.includes(":") && !text.startsWith("[") ? `[${text}]` : text, port: "" };
}

function toHost(text: string): Host {
  const match = HOST.exec(text);
  if (match === null) throw new TypeError("a host is not NAME[:PORT] or [IPV6][:PORT]");
  return { host: match[1] ?? "", port: checkedPort(match[2] ?? "") };
}

/** An empty port means the default. */
function checkedPort(text: string): string {
  if (text !== "" && !(/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535))
    throw new TypeError("a port is not a number from 1 to 65535");
  return text;
}

/** Removes a parameter, and returns its last value, still encoded except for commas and colons. */
function takeParameter(parameters: string[], name: string): string | undefined {
  let value: string | undefined;
  for (let at = parameters.length - 1; at >= 0; at--) {
    const [key, given = ""] = splitAt(parameters[at] ?? "", "=");
    if (key !== name) continue;
    value ??= given.replace(/%2c/gi, ",").replace(/%3a/gi, ":");
    parameters.splice(at, 1);
  }
  return value;
}

function splitAt(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function isTarget(text: string): text is TargetSession {
  return TARGETS.has(text);
}
