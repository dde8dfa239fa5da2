/**
 * Errors by kind, such as `not-found`, which `http/error-response.ts` maps to a status.
 *
 * A `message` may be in a response. Internal details are in `cause`, which is only logged. A feature's errors extend the class of their
 * kind and have a lasting `code` of their own.
 */

/** Kinds of failure; each has one status in HTTP. */
export type ErrorKind =
  | "invalid"
  | "unauthorized"
  | "forbidden"
  | "not-found"
  | "gone"
  | "conflict"
  | "precondition"
  | "too-large"
  | "too-many"
  | "unavailable";

/** An error with a response of its own. */
export abstract class ServiceError extends Error {
  abstract readonly kind: ErrorKind;
  abstract readonly code: string;
  /** Whether only a change of the configuration helps: it is logged as a warning. */
  readonly isForOperator: boolean = false;
}

/** The request is malformed, or has an invalid value. */
export class InvalidError extends ServiceError {
  override readonly name: string = "InvalidError";
  override readonly kind = "invalid";
  override readonly code: string = "request/invalid";
}

/** The caller is not authenticated. The message is logged; the response gives no reason. */
export class UnauthorizedError extends ServiceError {
  override readonly name: string = "UnauthorizedError";
  override readonly kind = "unauthorized";
  override readonly code: string = "request/unauthorized";
  /** Whether the message is in the response after all: where the caller knows the reason anyway. */
  readonly isShown: boolean = false;
  /** Members of the response in addition to code, message and title. */
  readonly members: Readonly<Record<string, unknown>> = {};
  /** A response instead of Keystone's envelope. */
  readonly response:
    | { readonly headers: Readonly<Record<string, string>>; readonly body: object }
    | undefined = undefined;
}

/** The caller is not allowed to do this. */
export class ForbiddenError extends ServiceError {
  override readonly name: string = "ForbiddenError";
  override readonly kind = "forbidden";
  override readonly code: string = "request/forbidden";
}

/** The resource or the path does not exist. */
export class NotFoundError extends ServiceError {
  override readonly name: string = "NotFoundError";
  override readonly kind = "not-found";
  override readonly code: string = "request/not-found";
}

/** The resource existed in earlier versions of the API. */
export class GoneError extends ServiceError {
  override readonly name: string = "GoneError";
  override readonly kind = "gone";
  override readonly code: string = "request/gone";
}

/** The change contradicts what is stored. */
export class ConflictError extends ServiceError {
  override readonly name: string = "ConflictError";
  override readonly kind = "conflict";
  override readonly code: string = "request/conflict";
}

/** The resource has not the state that the request demands. */
export class PreconditionError extends ServiceError {
  override readonly name: string = "PreconditionError";
  override readonly kind = "precondition";
  override readonly code: string = "request/precondition";
}

/** The body is too large. */
export class TooLargeError extends ServiceError {
  override readonly name: string = "TooLargeError";
  override readonly kind = "too-large";
  override readonly code: string = "request/too-large";
}

/** A temporary failure. */
abstract class PassingError extends ServiceError {
  /** Seconds after which to retry, an integer. */
  readonly retryAfterSeconds: number;

  constructor(message: string, { retryAfterSeconds = 1, ...options }: ErrorOptions & RetryOptions = {}) {
    super(message, options);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

interface RetryOptions {
  readonly retryAfterSeconds?: number;
}

/** Too many attempts. */
export class TooManyError extends PassingError {
  override readonly name: string = "TooManyError";
  override readonly kind = "too-many";
  override readonly code: string = "request/too-many";
}

/** A dependency of the service is unavailable. */
export class UnavailableError extends PassingError {
  override readonly name: string = "UnavailableError";
  override readonly kind = "unavailable";
  override readonly code: string = "service/unavailable";
}

type ErrorConstructor<Instance = ServiceError> = new (message: string, options?: ErrorOptions) => Instance;

/**
 * A base class for the errors of one code: `class RegionNotFoundError extends errorClass(NotFoundError, "catalog/region-not-found",
 * (id: string) => ...) {}`. Instances have the name of the extending class.
 *
 * @param base The kind.
 * @param message Makes the message from the constructor's arguments, or is the message; left out, the constructor takes the message.
 */
export function errorClass<Base extends ErrorConstructor, Args extends readonly unknown[]>(
  base: Base,
  code: string,
  message: (...args: Args) => string,
): new (...args: Args) => InstanceType<Base>;
export function errorClass<Base extends ErrorConstructor>(
  base: Base,
  code: string,
  message: string,
): new (options?: ErrorOptions) => InstanceType<Base>;
export function errorClass<Base extends ErrorConstructor>(
  base: Base,
  code: string,
): new (message: string, options?: ErrorOptions) => InstanceType<Base>;
export function errorClass(
  base: ErrorConstructor<Error & { readonly code: string }>,
  code: string,
  message?: string | ((...args: readonly unknown[]) => string),
): new (...args: readonly unknown[]) => Error {
  return class extends base {
    override readonly name = this.constructor.name;
    override readonly code = code;

    constructor(...args: readonly unknown[]) {
      const [text, options] =
        message === undefined ? args : typeof message === "string" ? [message, args[0]] : [message(...args)];
      super(text as string, options as ErrorOptions);
    }
  };
}

/** A base class for the errors of a missing resource: `notFoundClass("region", "catalog/region-not-found")`. */
export function notFoundClass(noun: string, code: string) {
  return errorClass(NotFoundError, code, (id: string) => `Could not find ${noun}: ${id}.`);
}

/** Whether an error is temporary. */
export function isPassing(error: ServiceError): error is TooManyError | UnavailableError {
  return error instanceof PassingError;
}

/** The message with those of its causes, for operators. */
export function messageOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  const cause = failure.cause === undefined ? "" : messageOf(failure.cause);
  return failure.message.includes(cause) ? failure.message : `${failure.message} (${cause})`;
}

/** The item that a search finds. @throws The error that `notFound` makes, where it finds none. */
export async function required<Item>(
  search: Promise<Item | undefined>,
  notFound: () => NotFoundError,
): Promise<Item> {
  const item = await search;
  if (item === undefined) throw notFound();
  return item;
}

/** The item that a search finds; `undefined` where it throws a {@link NotFoundError}. */
export async function ifFound<Item>(search: Promise<Item>): Promise<Item | undefined> {
  try {
    return await search;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
