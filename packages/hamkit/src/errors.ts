/**
 * `hamkit/errors`: every error that hamkit throws: what went wrong as a lasting `code`, the facts as fields, a message for people.
 *
 * Messages may change between releases; codes and fields don't. `AttributeError` has to be a `TypeError`, so the
 * family shares no base class of its own: {@link isHamkitError} recognizes it.
 *
 * @module hamkit/errors
 */

import { showValue } from "./show-value.js";

const CODES = [
  "api-key/missing",
  "argument/invalid",
  "argument/no-text",
  "argument/wrong-type",
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
  "user-list/unreadable",
] as const;

/** The lasting codes. A code is never renamed and never reused for something else. */
export type HamkitErrorCode = (typeof CODES)[number];

/** The codes of wrong values. */
type ValueErrorCode =
  | "argument/invalid"
  | "callsign/none-in-text"
  | "country-file/unreadable"
  | "locator/malformed"
  | "log/unreadable"
  | "log-xml/unreadable"
  | "position/out-of-range"
  | "user-list/unreadable";

/** What every error of hamkit carries besides its message. */
interface HamkitErrorFacts {
  readonly code: HamkitErrorCode;
}

/** What an argument error knows: the argument's name, the value it had and what was expected of it. */
export interface ArgumentFacts {
  /** The argument's name as the signature spells it. */
  readonly argument: string;
  /** The value that was passed. */
  readonly value: unknown;
  /** What would have been right, as a phrase: "a number of degrees from -90 to 90". */
  readonly expected: string;
}

/** An argument has the right type, yet no usable value. */
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

/** The text has no callsign in it. */
export class CallsignError extends ValueError {
  override readonly name = "CallsignError";
  override readonly code = "callsign/none-in-text";
}

/** Facts of a data file that can't be used. */
export interface DataFileFacts {
  /** The file's name or address, or "text" where the content was passed in. */
  readonly file: string;
  /** What the reader was looking for. */
  readonly expected: string;
  /** What it found instead. */
  readonly found: string;
  /** Line of the fault, from 1, where the format has lines. */
  readonly line?: number;
}

/** The content of a data file can't be used; the subclass says of which kind it should have been. */
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

/** The file is no country file, or only a part of one. */
export class CountryFileError extends DataFileError {
  override readonly name = "CountryFileError";
  override readonly code = "country-file/unreadable";
}

/** The file is no log XML, or only a part of one. */
export class LogXmlError extends DataFileError {
  override readonly name = "LogXmlError";
  override readonly code = "log-xml/unreadable";
}

/** The file is no list of users, or one with too many unreadable lines. */
export class UserListError extends DataFileError {
  override readonly name = "UserListError";
  override readonly code = "user-list/unreadable";
}

/** The file is no log in ADIF or Cabrillo, or can't be read as one. */
export class LogError extends DataFileError {
  override readonly name = "LogError";
  override readonly code = "log/unreadable";
}

/** An argument has the wrong type. A `TypeError`, as JavaScript's own. */
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

/** A locator was expected, and the argument is not even text. A `TypeError` by JavaScript's reckoning. */
export class AttributeError extends ArgumentTypeError {
  override readonly name = "AttributeError";
  override readonly code = "argument/no-text";
}

/** There is no entry for this key, or none at that time. */
export class KeyError extends Error implements HamkitErrorFacts {
  override readonly name: string = "KeyError";
  readonly code: "lookup/no-match" | "frequency/outside-bands" = "lookup/no-match";
  /** What was looked for. */
  readonly key: unknown;

  constructor(key: unknown, reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.key = key;
  }
}

/** The frequency is in no amateur band, or is no number. */
export class FrequencyError extends KeyError {
  override readonly name = "KeyError";
  override readonly code = "frequency/outside-bands";
}

/** What an `IOError` knows beside its message. */
export interface IOFacts extends ErrorOptions {
  /** The HTTP status that the server answered with, where it did. */
  readonly status?: number | undefined;
}

/** The network, a server or a file failed; `cause` has the failure itself. */
export class IOError extends Error implements HamkitErrorFacts {
  override readonly name: string = "IOError";
  readonly code: "io/failed" | "io/timed-out" | "io/unreadable-answer" = "io/failed";
  /** The address, path or service that could not be used. */
  readonly resource: string;
  /** The HTTP status that the server answered with, where it did. */
  readonly status: number | undefined;

  constructor(resource: string, reason: string, facts?: IOFacts) {
    super(`${resource}: ${reason}`, facts);
    this.resource = resource;
    this.status = facts?.status;
  }
}

/** A server didn't answer in time. */
export class TimeoutError extends IOError {
  override readonly name = "TimeoutError";
  override readonly code = "io/timed-out";
}

/** A server answered something that is not what it should: a page of maintenance, half a document. */
export class AnswerError extends IOError {
  override readonly name = "AnswerError";
  override readonly code = "io/unreadable-answer";
}

/** The service refused the account's name or password. */
export class LoginError extends Error implements HamkitErrorFacts {
  override readonly name = "LoginError";
  readonly code = "login/refused" satisfies HamkitErrorCode;
  /** The service that refused. */
  readonly service: string;

  constructor(service: string, reason: string, options?: ErrorOptions) {
    super(`${service}: ${reason}`, options);
    this.service = service;
  }
}

/** The service needs an API key, and there is none or it was refused. */
export class APIKeyMissingError extends Error implements HamkitErrorFacts {
  override readonly name = "APIKeyMissingError";
  readonly code = "api-key/missing" satisfies HamkitErrorCode;
  /** The service that asks for the key. */
  readonly service: string;

  constructor(service: string, reason: string, options?: ErrorOptions) {
    super(`${service}: ${reason}`, options);
    this.service = service;
  }
}

/** This kind of database does not offer this question. */
export class UnsupportedLookupError extends Error implements HamkitErrorFacts {
  override readonly name = "UnsupportedLookupError";
  readonly code = "lookup/unsupported" satisfies HamkitErrorCode;
  readonly method: string;
  /** The lookup type; of a list of databases their types, with commas between. */
  readonly lookuptype: string;
  /** The lookup types that offer it. */
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
    // A list of databases can lack what one of them alone offers.
    const asked = lookuptype.includes(", ") ? `${lookuptype} together` : `lookuptype "${lookuptype}"`;
    super(`${method} is not offered by ${asked}; offered by: ${others}`);
    this.method = method;
    this.lookuptype = lookuptype;
    this.supportedBy = supportedBy;
  }
}

/** Every error of hamkit. A `switch` over `code` tells them apart. */
export type HamkitError =
  | ValueError
  | LocatorError
  | PositionError
  | CallsignError
  | CountryFileError
  | LogError
  | LogXmlError
  | UserListError
  | ArgumentTypeError
  | AttributeError
  | KeyError
  | FrequencyError
  | IOError
  | TimeoutError
  | AnswerError
  | LoginError
  | APIKeyMissingError
  | UnsupportedLookupError;

/**
 * Whether something caught is an error of hamkit's, from whichever copy of the package or realm it came.
 *
 * @example
 * isHamkitError(new RangeError("not ours")); // => false
 */
export function isHamkitError(error: unknown): error is HamkitError {
  // Not instanceof: an error of another window has another Error.
  return (
    typeof error === "object" &&
    error !== null &&
    "message" in error &&
    "code" in error &&
    KNOWN_CODES.has(error.code)
  );
}

const KNOWN_CODES: ReadonlySet<unknown> = new Set(CODES);
