/** Addresses of Keystone's database, as operators and keystone.conf write them. */
import { ImportError } from "../import-errors.js";

export interface SourceAddress {
  readonly kind: "mysql" | "postgres";
  readonly url: string;
}

/** Scheme, without the Python driver after `+`, and the rest. */
const ADDRESS = /^(?<scheme>[a-z]+)(?:\+\w+)?:\/\/(?<rest>.+)$/s;

const KINDS: Readonly<Record<string, SourceAddress["kind"]>> = {
  mysql: "mysql",
  mariadb: "mysql",
  postgres: "postgres",
  postgresql: "postgres",
};

/** @throws {ImportError} It is not an address of these databases. The message does not quote it: it may contain a password. */
export function parseSourceAddress(text: string): SourceAddress {
  const { scheme = "", rest = "" } = ADDRESS.exec(text.trim())?.groups ?? {};
  const kind = KINDS[scheme];
  if (kind === undefined || !URL.canParse(`${scheme}://${rest}`))
    throw new ImportError(
      "import/address",
      "The address of Keystone's database is not mysql://USER:PASSWORD@HOST/NAME or postgres://USER:PASSWORD@HOST/NAME",
    );
  return { kind, url: `${kind}://${rest}` };
}

/** Whether an address contains a password. */
export function hasPassword(text: string): boolean {
  const { rest = "" } = ADDRESS.exec(text.trim())?.groups ?? {};
  const url = URL.canParse(`x://${rest}`) ? new URL(`x://${rest}`) : undefined;
  return (url?.password ?? "") !== "" || /[?&]password=/.test(rest);
}
