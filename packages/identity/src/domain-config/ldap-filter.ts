/** Parses the filters of a directory's options. Apart from the options: settings are read without the LDAP client. */
import { FilterParser, type Filter } from "ldapts";

import { bracketFault } from "./ldap-options.js";

/** Why a text is not a filter; `undefined` if it is one. */
export function filterFault(text: string): string | undefined {
  const fault = bracketFault(text);
  if (fault !== undefined) return fault;
  try {
    FilterParser.parseString(text);
    return undefined;
  } catch (error) {
    return `expected an LDAP filter: ${(error as Error).message}`;
  }
}

/** @throws {Error} The text is not one filter in brackets. */
export function parseFilter(text: string): Filter {
  const fault = bracketFault(text);
  if (fault !== undefined) throw new Error(fault);
  return FilterParser.parseString(text);
}
