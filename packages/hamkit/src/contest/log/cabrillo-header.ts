/** The header of a contest log: its lines, and the values that Cabrillo 3.0 allows. */

/** The last word on values: https://wwrof.org/cabrillo. Tags without a list take any text. */
const TAGS: Readonly<Record<string, readonly string[] | RegExp | undefined>> = {
  "START-OF-LOG": /^[23]\.0$/,
  "END-OF-LOG": undefined,
  CALLSIGN: /^[A-Z\d/]{3,}$/,
  CONTEST: /^[A-Z\d-]+$/,
  LOCATION: undefined,
  "GRID-LOCATOR": /^[A-R]{2}\d{2}(?:[A-X]{2}(?:\d{2})?)?$/i,
  "CLAIMED-SCORE": /^\d+$/,
  CLUB: undefined,
  "CREATED-BY": undefined,
  NAME: undefined,
  EMAIL: undefined,
  ADDRESS: undefined,
  "ADDRESS-CITY": undefined,
  "ADDRESS-STATE-PROVINCE": undefined,
  "ADDRESS-POSTALCODE": undefined,
  "ADDRESS-COUNTRY": undefined,
  OPERATORS: undefined,
  OFFTIME: /^\d{4}-\d\d-\d\d \d{4} \d{4}-\d\d-\d\d \d{4}$/,
  SOAPBOX: undefined,
  DEBUG: undefined,
  "CATEGORY-ASSISTED": ["ASSISTED", "NON-ASSISTED"],
  "CATEGORY-BAND": (
    "ALL 160M 80M 40M 20M 15M 10M 6M 4M 2M 222 432 902 1.2G 2.3G 3.4G 5.7G 10G 24G 47G 75G 122G 134G 241G LIGHT " +
    "VHF-3-BAND VHF-FM-ONLY"
  ).split(" "),
  "CATEGORY-MODE": ["CW", "DIGI", "FM", "RTTY", "SSB", "MIXED"],
  "CATEGORY-OPERATOR": ["SINGLE-OP", "MULTI-OP", "CHECKLOG"],
  "CATEGORY-POWER": ["HIGH", "LOW", "QRP"],
  "CATEGORY-STATION":
    "DISTRIBUTED FIXED MOBILE PORTABLE ROVER ROVER-LIMITED ROVER-UNLIMITED EXPEDITION HQ SCHOOL EXPLORER".split(
      " ",
    ),
  "CATEGORY-TIME": ["6-HOURS", "8-HOURS", "12-HOURS", "24-HOURS"],
  "CATEGORY-TRANSMITTER": ["ONE", "TWO", "LIMITED", "UNLIMITED", "SWL"],
  "CATEGORY-OVERLAY": ["CLASSIC", "ROOKIE", "TB-WIRES", "YOUTH", "NOVICE-TECH", "YL"],
  CERTIFICATE: ["YES", "NO"],
};

/** Tags of release 2, which robots refuse now. */
const OLD_TAGS: Readonly<Record<string, string>> = {
  CATEGORY: "CATEGORY-OPERATOR, CATEGORY-BAND, CATEGORY-POWER and others",
  "ARRL-SECTION": "LOCATION",
};

/** The tag and the value of a line; `undefined` for a line without a tag. */
export function headerLine(line: string): { tag: string; value: string } | undefined {
  const [, tag, value = ""] = /^\s*([A-Za-z][A-Za-z\d-]*):(.*)$/s.exec(line) ?? [];
  return tag === undefined ? undefined : { tag: tag.toUpperCase(), value: value.trim() };
}

/** What is wrong with a line of the header; `undefined` for nothing. */
function headerFault(tag: string, value: string): string | undefined {
  if (tag.startsWith("X-")) return undefined;
  const instead = Object.hasOwn(OLD_TAGS, tag) ? OLD_TAGS[tag] : undefined;
  if (instead !== undefined) return `${tag} is of Cabrillo 2, expected ${instead}`;
  if (!Object.hasOwn(TAGS, tag)) return `${tag} is no tag of Cabrillo 3.0; programs' own tags begin with X-`;
  const allowed = TAGS[tag];
  if (allowed === undefined || value === "") return undefined;
  const isAllowed = allowed instanceof RegExp ? allowed.test(value) : allowed.includes(value.toUpperCase());
  if (isAllowed) return undefined;
  const expected = allowed instanceof RegExp ? FORMS[tag] : `one of ${allowed.join(", ")}`;
  return `${tag}: ${JSON.stringify(value.slice(0, 60))} is not ${expected}`;
}

const FORMS: Readonly<Record<string, string>> = {
  "START-OF-LOG": "3.0",
  CALLSIGN: "a callsign in upper case",
  CONTEST: "the name of a contest in upper case, such as CQ-WW-CW",
  "GRID-LOCATOR": "a locator of 4, 6 or 8 characters",
  "CLAIMED-SCORE": "a whole number without commas",
  OFFTIME: "two times as 2024-11-23 0100 2024-11-23 0230",
};

/** Values by tag, of the first line with it. */
export function headerValues(lines: Iterable<string>): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const line of lines) {
    const found = headerLine(line);
    if (found !== undefined && !values.has(found.tag)) values.set(found.tag, found.value);
  }
  return values;
}

const REQUIRED_TAGS = ["CONTEST", "CALLSIGN"];
const MAX_ADDRESS_LINES = 6;

/** A fault of a header: the rule that it breaks, and what is wrong. */
export interface HeaderFault {
  readonly rule: string;
  readonly message: string;
}

/** Checks a header line by line: which tags come first, how often, and which are missing. */
export function createHeaderCheck() {
  const tags = new Map<string, number>();
  return {
    *line(tag: string, value: string): Generator<HeaderFault> {
      const count = (tags.get(tag) ?? 0) + 1;
      tags.set(tag, count);
      const fault = headerFault(tag, value);
      if (fault !== undefined) yield { rule: "header-value", message: fault };
      if (tags.size === 1 && count === 1 && tag !== "START-OF-LOG")
        yield { rule: "start-missing", message: "expected START-OF-LOG: 3.0 as the first line" };
      if (tag === "ADDRESS" && count === MAX_ADDRESS_LINES + 1)
        yield { rule: "address-lines", message: `more than ${MAX_ADDRESS_LINES} lines of ADDRESS` };
    },

    *end(): Generator<HeaderFault> {
      for (const tag of REQUIRED_TAGS)
        if (!tags.has(tag)) yield { rule: "header-missing", message: `${tag} is missing` };
      if (!tags.has("END-OF-LOG"))
        yield { rule: "end-missing", message: "END-OF-LOG is missing: the file may be cut" };
    },
  };
}
