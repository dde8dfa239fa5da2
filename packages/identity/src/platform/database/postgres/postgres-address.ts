/** Addresses of PostgreSQL, as libpq takes them: `postgres://user@host1:5432,host2/name?target_session_attrs=read-write`. */

/** What a host has to be: any, one that takes writes, or one that is no standby. */
export type TargetSession = "any" | "read-write" | "primary";

/** The hosts of a database, in the order in which they are tried. */
export interface PostgresAddress {
  /** The same address for each host alone. They hold the password. */
  readonly urls: readonly [string, ...string[]];
  readonly targetSession: TargetSession;
}

const TARGETS: ReadonlySet<string> = new Set(["any", "read-write", "primary"]);
/** Scheme, user and password, hosts, and everything else. */
const PARTS = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^@/?#]*)([^#]*)$/;
/** A name, an IPv4 address, an IPv6 address in brackets, or the path of a socket's folder in percent signs; and a port. */
const HOST = /^((?:\[[0-9a-fA-F:.%]+\])|[^:[\]]*)(?::(\d{1,5})?)?$/;

/**
 * Parses an address. Nothing of it is in the messages of errors: it may hold a password.
 *
 * Hosts are separated by commas, each with a port of its own or none; or they are in `host=` and `port=`, where one port counts
 * for all hosts. Several hosts are tried in turn. Where there are several, the one that takes writes is looked for, unless
 * `target_session_attrs` says otherwise: a service that writes has no use for another.
 *
 * @throws {TypeError} It is no address of PostgreSQL, or asks for a standby.
 */
export function parsePostgresAddress(url: string): PostgresAddress {
  const [, scheme = "", user = "", authority = "", rest = ""] = PARTS.exec(url) ?? [];
  if (scheme === "") throw new TypeError("the address is not postgres://USER@HOST[:PORT][,HOST...]/NAME");
  const [path, query = ""] = splitAt(rest, "?");
  const parameters = query.split("&").filter((parameter) => parameter !== "");
  const take = (name: string) => takeParameter(parameters, name);

  const attributes = take("target_session_attrs");
  take("load_balance_hosts");
  if (take("hostaddr") !== undefined) throw new TypeError("hostaddr is not supported: name the host");
  const hosts = hostsOf(authority, { host: take("host"), port: take("port") });
  const targetSession = attributes ?? (hosts.length > 1 ? "read-write" : "any");
  if (!isTarget(targetSession))
    throw new TypeError("target_session_attrs is not any, read-write or primary: the service writes");

  const urls = hosts.map(({ host, port }) => {
    // `pg` takes the folder of a socket as a parameter alone.
    const isFolder = /^(?:%2f|\/)/i.test(host);
    const each = [...parameters, ...(isFolder ? [`host=${host}`] : []), ...(port ? [`port=${port}`] : [])];
    return `${scheme}${user}${isFolder ? "" : host}${path}${each.length > 0 ? `?${each.join("&")}` : ""}`;
  });
  return { urls: urls as [string, ...string[]], targetSession };
}

interface Host {
  readonly host: string;
  readonly port: string;
}

/** As libpq does, the parameters count before the hosts in front of the path. */
function hostsOf(authority: string, given: { host: string | undefined; port: string | undefined }): Host[] {
  const named = given.host?.split(",").map(hostAlone) ?? authority.split(",").map(toHost);
  if (given.port === undefined) return named;
  const ports = given.port.split(",");
  if (ports.length !== 1 && ports.length !== named.length)
    throw new TypeError(`${ports.length} ports for ${named.length} hosts: one for all, or one for each`);
  return named.map(({ host }, at) => ({ host, port: checkedPort(ports[ports.length === 1 ? 0 : at] ?? "") }));
}

/** Without a port, so that colons belong to an IPv6 address. */
function hostAlone(text: string): Host {
  return { host: text.includes(":") && !text.startsWith("[") ? `[${text}]` : text, port: "" };
}

function toHost(text: string): Host {
  const match = HOST.exec(text);
  if (match === null) throw new TypeError("a host is not NAME[:PORT] or [IPV6][:PORT]");
  return { host: match[1] ?? "", port: checkedPort(match[2] ?? "") };
}

/** An empty one is the usual port. */
function checkedPort(text: string): string {
  if (text !== "" && !(/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535))
    throw new TypeError("a port is not a number from 1 to 65535");
  return text;
}

/** The value of the last parameter of a name, still encoded except for commas and colons; it is taken out of the list. */
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
