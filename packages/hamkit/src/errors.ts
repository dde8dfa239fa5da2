/**
 * `hamkit/errors`: every error that hamkit throws, with a stable `code`, its facts as fields, and a message.
 *
 * Messages may change between releases; codes and fields don't. `AttributeError` must be a `TypeError`, so the classes
 * share no base class: {@link isHamkitError} recognizes them.
 *
 * @module hamkit/errors
 */

import { showValue } from "./show-value.js";

const CODES = [
  "api-key/missing",
  "argument/invalid",
  "argument/no-text",
  "argument/wrong-type",
  "award-rule/malformed",
  "contest-rule/malformed",
  "callsign/none-in-text",
  "country-file/unreadable",
  "frequency/outside-bands",
  "io/failed",
  "io/timed-out",
  "io/unreadable-answer",
  "locator/malformed",
  "log/unreadable",
  "log-xml/unreadable",
  "lookup/no-match",
  "lookup/unsupported",
  "login/refused",
  "position/out-of-range",
  "reference-list/unreadable",
  "user-list/unreadable",
] as const;

/** The stable error codes. A code is never renamed and never reused with another meaning. */
export type HamkitErrorCode = (typeof CODES)[number];

/** The codes of invalid values. */
type ValueErrorCode =
  | "argument/invalid"
  | "award-rule/malformed"
  | "contest-rule/malformed"
  | "callsign/none-in-text"
  | "country-file/unreadable"
  | "locator/malformed"
  | "log/unreadable"
  | "log-xml/unreadable"
  | "position/out-of-range"
  | "reference-list/unreadable"
  | "user-list/unreadable";

/** The fields that every hamkit error has in addition to its message. */
interface HamkitErrorFacts {
  readonly code: HamkitErrorCode;
}

/** Facts of an argument error: the argument's name, the value received and the value expected. */
export interface ArgumentFacts {
  /** The argument's name in the signature. */
  readonly argument: string;
  /** The value that was passed. */
  readonly value: unknown;
  /** The valid values, as a phrase: "a number of degrees from -90 to 90". */
  readonly expected: string;
}

/** An argument has the right type but an invalid value. */
export class ValueError extends Error implements HamkitErrorFacts {
  override readonly name: string = "ValueError";
  readonly code: ValueErrorCode = "argument/invalid";
  readonly argument: string;
  readonly value: unknown;
  readonly expected: string;

  constructor({ argument, value, expected }: ArgumentFacts, options?: ErrorOptions) {
    super(`${argument}: ${showValue(value)} is not ${expected}`, options);
    this.argument = argument;
    this.value = value;
    this.expected = expected;
  }
}

/** The text is not a Maidenhead locator. */
export class LocatorError extends ValueError {
  override readonly name = "LocatorError";
  override readonly code = "locator/malformed";
}

/** Latitude or longitude lies outside its range, or is not finite. */
export class PositionError extends ValueError {
  override readonly name = "PositionError";
  override readonly code = "position/out-of-range";
}

/** The text contains no callsign. */
export class CallsignError extends ValueError {
  override readonly name = "CallsignError";
  override readonly code = "callsign/none-in-text";
}

/** The rules of an award are malformed. */
export class AwardRuleError extends ValueError {
  override readonly name = "AwardRuleError";
  override readonly code = "award-rule/malformed";

  /** @param rule Names the rule; `fault` the member, its value and what was expected. */
  constructor(rule: string, value: unknown, fault: string) {
    super({ argument: rule, value, expected: fault });
    this.message = `${rule}: ${fault}`;
  }
}

/** The rules of a contest are malformed. */
export class ContestRuleError extends ValueError {
  override readonly name = "ContestRuleError";
  override readonly code = "contest-rule/malformed";

  /** @param rule Names the rule; `fault` the member, its value and what was expected. */
  constructor(rule: string, value: unknown, fault: string) {
    super({ argument: rule, value, expected: fault });
    this.message = `${rule}: ${fault}`;
  }
}

/** Facts of a data file that can't be used. */
export interface DataFileFacts {
  /** The file's name or address; "text" if the content was passed in. */
  readonly file: string;
  /** What the parser expected. */
  readonly expected: string;
  /** What the parser found instead. */
  readonly found: string;
  /** Line of the error, from 1, if the format has lines. */
  readonly line?: number;
}

/** The content of a data file is invalid; the subclass names the expected kind of file. */
export class DataFileError extends ValueError {
  readonly file: string;
  readonly line: number | undefined;

  constructor({ file, expected, found, line }: DataFileFacts, options?: ErrorOptions) {
    super({ argument: file, value: found, expected }, options);
    this.message = `${file}${line === undefined ? "" : `, line ${line}`}: expected ${expected}, found ${found}`;
    this.file = file;
    this.line = line;
  }
}

/** The file is not a country file, or is truncated. */
export class CountryFileError extends DataFileError {
  override readonly name = "CountryFileError";
  override readonly code = "country-file/unreadable";
}

/** The file is not log XML, or is truncated. */
export class LogXmlError extends DataFileError {
  override readonly name = "LogXmlError";
  override readonly code = "log-xml/unreadable";
}

/** The file is not a user list, or has too many invalid lines. */
export class UserListError extends DataFileError {
  override readonly name = "UserListError";
  override readonly code = "user-list/unreadable";
}

/** The file is not the list of an award program, or is damaged. */
export class ReferenceListError extends DataFileError {
  override readonly name = "ReferenceListError";
  override readonly code = "reference-list/unreadable";
}

/** The file is not a log, or can't be parsed; or a log lacks what the format requires that it is written in. */
export class LogError extends DataFileError {
  override readonly name = "LogError";
  override readonly code = "log/unreadable";
}

/** An argument has the wrong type; a `TypeError`. */
export class ArgumentTypeError extends TypeError implements HamkitErrorFacts {
  override readonly name: string = "TypeError";
  readonly code: "argument/wrong-type" | "argument/no-text" = "argument/wrong-type";
  readonly argument: string;
  readonly value: unknown;
  readonly expected: string;

  constructor({ argument, value, expected }: ArgumentFacts) {
    super(`${argument}: ${showValue(value)} is not ${expected}`);
    this.argument = argument;
    this.value = value;
    this.expected = expected;
  }
}

/** A locator was expected, but the argument is not a string; a `TypeError`. */
export class AttributeError extends ArgumentTypeError {
  override readonly name = "AttributeError";
  override readonly code = "argument/no-text";
}

/** The key has no entry, or none at that time. */
export class KeyError extends Error implements HamkitErrorFacts {
  override readonly name: string = "KeyError";
  readonly code: "lookup/no-match" | "lookup/unsupported" | "frequency/outside-bands" = "lookup/no-match";
  /** The key that was looked up; `undefined` if the lookup was not offered. */
  readonly key: unknown;

  constructor(key: unknown, reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.key = key;
  }
}

/** The frequency is outside the amateur bands, or is not a number. */
export class FrequencyError extends KeyError {
  override readonly name = "KeyError";
  override readonly code = "frequency/outside-bands";
}

/** Facts of an `IOError` in addition to its message. */
export interface IOFacts extends ErrorOptions {
  /** The HTTP status, if the server responded. */
  readonly status?: number | undefined;
}

/** The network, a server or a file failed; `cause` has the original error. */
export class IOError extends Error implements HamkitErrorFacts {
  override readonly name: string = "IOError";
  readonly code: "io/failed" | "io/timed-out" | "io/unreadable-answer" = "io/failed";
  /** The address, path or service that failed. */
  readonly resource: string;
  /** The HTTP status, if the server responded. */
  readonly status: number | undefined;

  constructor(resource: string, reason: string, facts?: IOFacts) {
    super(`${resource}: ${reason}`, facts);
    this.resource = resource;
    this.status = facts?.status;
  }
}

/** A server didn't respond in time. */
export class TimeoutError extends IOError {
  override readonly name = "TimeoutError";
  override readonly code = "io/timed-out";
}

/** A server's response is invalid: a maintenance page, a truncated document. */
export class AnswerError extends IOError {
  override readonly name = "AnswerError";
  override readonly code = "io/unreadable-answer";
}

/** The service rejected the account's name or password. */
export class LoginError extends Error implements HamkitErrorFacts {
  override readonly name = "LoginError";
  readonly code = "login/refused" satisfies HamkitErrorCode;
  /** The service that rejected the login. */
  readonly service: string;

  constructor(service: string, reason: string, options?: ErrorOptions) {
    super(`${service}: ${reason}`, options);
    this.service = service;
  }
}

/** The service requires an API key; it is missing or was rejected. */
export class APIKeyMissingError extends Error implements HamkitErrorFacts {
  override readonly name = "APIKeyMissingError";
  readonly code = "api-key/missing" satisfies HamkitErrorCode;
  /** The service that requires the key. */
  readonly service: string;

  constructor(service: string, reason: string, options?: ErrorOptions) {
    super(`${service}: ${reason}`, options);
    this.service = service;
  }
}

/** This kind of database does not support this operation, so it has no such key; a `KeyError`. */
export class UnsupportedLookupError extends KeyError {
  override readonly name = "UnsupportedLookupError";
  override readonly code = "lookup/unsupported";
  readonly method: string;
  /** The lookup type; for a list of databases their types, separated by commas. */
  readonly lookuptype: string;
  /** The lookup types that support it. */
  readonly supportedBy: readonly string[];

  constructor({
    method,
    lookuptype,
    supportedBy,
  }: {
    method: string;
    lookuptype: string;
    supportedBy: readonly string[];
  }) {
    const others = supportedBy.length > 0 ? supportedBy.join(", ") : "no type of this version";
    // A list of databases may not support what one of them supports.
    const asked = lookuptype.includes(", ") ? `${lookuptype} together` : `lookuptype "${lookuptype}"`;
    super(undefined, `${method} is not offered by ${asked}; offered by: ${others}`);
    this.method = method;
    this.lookuptype = lookuptype;
    this.supportedBy = supportedBy;
  }
}

/** The union of all hamkit errors; `code` discriminates. */
export type HamkitError =
  | ValueError
  | LocatorError
  | PositionError
  | CallsignError
  | AwardRuleError
  | ContestRuleError
  | CountryFileError
  | LogError
  | LogXmlError
  | ReferenceListError
  | UserListError
  | ArgumentTypeError
  | AttributeError
  | (KeyError & { readonly code: "lookup/no-match" })
  | FrequencyError
  | IOError
  | TimeoutError
  | AnswerError
  | LoginError
  | APIKeyMissingError
  | UnsupportedLookupError;

/**
 * Whether a caught value is a hamkit error, also one from another copy of the package or another realm.
 *
 * @example
 * isHamkitError(new RangeError("not ours")); // => false
 */
export function isHamkitError(error: unknown): error is HamkitError {
  // Not instanceof: another realm has another Error.
  return (
    typeof error === "object" &&
    error !== null &&
    "message" in error &&
    "code" in error &&
    KNOWN_CODES.has(error.code)
  );
}

// Left out of bundles that have no isHamkitError.
const KNOWN_CODES: ReadonlySet<unknown> = /* @__PURE__ */ new Set(CODES);
