/** Parsers of settings: from text to typed values. */
export interface OptionParser<Value> {
  /** The expected form, as a phrase behind "is not": "a whole number from 0 to 65535". */
  readonly expected: string;
  /** @returns `undefined` if the text does not have the expected form. */
  parse(text: string): Value | undefined;
  /** Why the text does not have the expected form, where that is not obvious. Does not quote it: it may be a secret. */
  reason?(text: string): string | undefined;
}

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting: its name, parser and help. */
export interface Option<Value> {
  /** The environment variable. */
  readonly name: string;
  readonly parser: OptionParser<Value>;
  /** For `--help`. */
  readonly help: string;
  /** The default, as text; `undefined` if none. */
  readonly standard?: string | ((env: Environment) => string);
  /** Whether messages must not show its value. */
  readonly isSecret?: true;
}

/** Settings by key. */
export type Options = Readonly<Record<string, Option<unknown>>>;

/** The values of settings by key; also `undefined` for a setting without a default. */
export type ValuesOf<Group extends Options> = {
  readonly [Key in keyof Group]:
    | (Group[Key]["parser"] extends OptionParser<infer Value> ? Value : never)
    | (Group[Key] extends { readonly standard: unknown } ? never : undefined);
};

/** Any non-empty text. */
export function text(expected: string): OptionParser<string> {
  return { expected, parse: (given) => (given === "" ? undefined : given) };
}

/** Text that matches a pattern. */
export function textLike(pattern: RegExp, expected: string): OptionParser<string> {
  return { expected, parse: (given) => (pattern.test(given) ? given : undefined) };
}

/** A whole number, bounds included. */
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

/**
 * Words, separated by commas or white space.
 *
 * @param expected What they are, in the plural.
 * @param options.none The word for an empty list: an empty setting counts as left out.
 */
export function wordList(
  expected: string,
  { none }: { readonly none?: string } = {},
): OptionParser<readonly string[]> {
  return {
    expected: `a list of ${expected}, separated by commas`,
    parse: (given) => (given === none ? [] : given.split(/[\s,]+/).filter((each) => each !== "")),
  };
}

/** `on` is true, `off` is false. */
export const onOrOff: OptionParser<boolean> = {
  expected: "on or off",
  parse: (given) => ({ on: true, off: false })[given],
};

/** An HTTP(S) URL without query; trailing slashes are removed. */
export const httpUrl: OptionParser<string> = {
  expected: "a URL that begins with http:// or https://, without user, query and fragment",
  parse(given) {
    if (!URL.canParse(given)) return undefined;
    const { protocol, username, password, search, hash, href } = new URL(given);
    const isPlain = /^https?:$/.test(protocol) && username + password + search + hash === "";
    return isPlain ? href.replace(/\/+$/, "") : undefined;
  },
};

/** Wraps a parser function; if it throws, the text is invalid. */
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

/** As {@link readBy}, and the message of the function's error is the reason: it must not quote the text. */
export function explainedBy<Value>(read: (given: string) => Value, expected: string): OptionParser<Value> {
  return {
    ...readBy(read, expected),
    reason(given) {
      try {
        read(given);
        return undefined;
      } catch (error) {
        return (error as Error).message;
      }
    },
  };
}

/** Web origins, separated by commas or white space. */
export const origins: OptionParser<readonly string[]> = {
  expected: "a list of origins such as https://console.example.org,http://localhost:5173",
  parse(given) {
    const each = given.split(/[\s,]+/).filter((origin) => origin !== "");
    return each.every(isOrigin) ? each : undefined;
  },
};

/** HTTP(S) URLs, separated by commas or white space, unchanged. */
export const webAddresses: OptionParser<readonly string[]> = {
  expected: "a list of URLs such as https://dashboard.example.org/auth/websso/",
  parse(given) {
    const each = given.split(/[\s,]+/).filter((address) => address !== "");
    return each.every((address) => /^https?:\/\//.test(address) && URL.canParse(address)) ? each : undefined;
  },
};

/** As browsers serialize it: in lower case, without path and default port. */
function isOrigin(given: string): boolean {
  return /^https?:/.test(given) && URL.canParse(given) && new URL(given).origin === given;
}
