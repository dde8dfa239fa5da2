/** Options as text, and what they mean. */
/** Reads one kind of value. */
export interface OptionParser<Value> {
  /** What is expected, as a phrase that can stand behind "is not": "a whole number from 0 to 65535". */
  readonly expected: string;
  /** @returns `undefined` where the text is something else. */
  parse(text: string): Value | undefined;
}

/** Variables as a process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What can be set: how it is called, read and explained. */
export interface Option<Value> {
  /** In the environment. */
  readonly name: string;
  readonly parser: OptionParser<Value>;
  /** What it is, for `--help`. */
  readonly help: string;
  /** The value where none is given, as it would be written; `undefined` where there is none. */
  readonly standard?: string | ((env: Environment) => string);
  /** Whether its value must never be shown. */
  readonly isSecret?: true;
}

/** Any text but none. */
export function text(expected: string): OptionParser<string> {
  return { expected, parse: (given) => (given === "" ? undefined : given) };
}

/** Text of a form. */
export function textLike(pattern: RegExp, expected: string): OptionParser<string> {
  return { expected, parse: (given) => (pattern.test(given) ? given : undefined) };
}

/** A whole number, both ends included. */
export function wholeNumber({
  from,
  to,
}: {
  readonly from: number;
  readonly to: number;
}): OptionParser<number> {
  return {
    expected: `a whole number from ${from} to ${to}`,
    parse(given) {
      const value = /^\d{1,15}$/.test(given) ? Number(given) : NaN;
      return value >= from && value <= to ? value : undefined;
    },
  };
}

/** One of several words. */
export function oneOf<const Word extends string>(...words: readonly Word[]): OptionParser<Word> {
  return { expected: `one of ${words.join(", ")}`, parse: (given) => words.find((word) => word === given) };
}

/** `on` is true, `off` is false. */
export const onOrOff: OptionParser<boolean> = {
  expected: "on or off",
  parse: (given) => ({ on: true, off: false })[given],
};

/** An address of HTTP(S) without query; a slash at the end is taken off. */
export const httpUrl: OptionParser<string> = {
  expected: "a URL that begins with http:// or https://, without user, query and fragment",
  parse(given) {
    if (!URL.canParse(given)) return undefined;
    const { protocol, username, password, search, hash, href } = new URL(given);
    const isPlain = /^https?:$/.test(protocol) && username + password + search + hash === "";
    return isPlain ? href.replace(/\/+$/, "") : undefined;
  },
};

/** Whatever a function reads from text; what it throws is that the text is something else. */
export function readBy<Value>(read: (given: string) => Value, expected: string): OptionParser<Value> {
  return {
    expected,
    parse(given) {
      try {
        return read(given);
      } catch {
        return undefined;
      }
    },
  };
}

/** Origins of pages, separated by commas or blanks. */
export const origins: OptionParser<readonly string[]> = {
  expected: "a list of origins such as https://console.example.org,http://localhost:5173",
  parse(given) {
    const each = given.split(/[\s,]+/).filter((origin) => origin !== "");
    return each.every(isOrigin) ? each : undefined;
  },
};

/** Addresses on the web, separated by commas or blanks, as they are written. */
export const webAddresses: OptionParser<readonly string[]> = {
  expected: "a list of addresses such as https://dashboard.example.org/auth/websso/",
  parse(given) {
    const each = given.split(/[\s,]+/).filter((address) => address !== "");
    return each.every((address) => /^https?:\/\//.test(address) && URL.canParse(address)) ? each : undefined;
  },
};

/** As browsers write it: in small letters, without a path, and without the port that is usual. */
function isOrigin(given: string): boolean {
  return /^https?:/.test(given) && URL.canParse(given) && new URL(given).origin === given;
}
