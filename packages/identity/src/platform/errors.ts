/**
 * What can go wrong, by kind: a service says `not-found`, and `http/error-answer.ts` makes a status of it.
 *
 * A `message` may be shown to anyone. What nobody outside should see stays in `cause`, which is logged. A feature's errors
 * extend the class of their kind and have a lasting `code` of their own.
 */

/** Kinds of failure; each has one status in HTTP. */
export type ErrorKind =
  | "invalid"
  | "unauthorized"
  | "forbidden"
  | "not-found"
  | "conflict"
  | "too-large"
  | "too-many"
  | "unavailable";

/** A failure that has an answer. */
export abstract class ServiceError extends Error {
  abstract readonly kind: ErrorKind;
  abstract readonly code: string;
}

/** The request can't be understood, or asks for a value that can't be. */
export class InvalidError extends ServiceError {
  override readonly name: string = "InvalidError";
  override readonly kind = "invalid";
  override readonly code: string = "request/invalid";
}

/** Nobody knows who is asking. Its message is for the log: the answer doesn't say why. */
export class UnauthorizedError extends ServiceError {
  override readonly name: string = "UnauthorizedError";
  override readonly kind = "unauthorized";
  override readonly code: string = "request/unauthorized";
  /** Whether the message is in the answer after all: where it tells nothing but what whoever asks knows. */
  readonly isShown: boolean = false;
  /** What the answer has then beside code, message and title. */
  readonly members: Readonly<Record<string, unknown>> = {};
  /** What is sent instead of Keystone's envelope, where it is no mere refusal. */
  readonly response:
    { readonly headers: Readonly<Record<string, string>>; readonly body: object } | undefined = undefined;
}

/** Whoever is asking may not do this. */
export class ForbiddenError extends ServiceError {
  override readonly name: string = "ForbiddenError";
  override readonly kind = "forbidden";
  override readonly code: string = "request/forbidden";
}

/** There is nothing of this id, or at this address. */
export class NotFoundError extends ServiceError {
  override readonly name: string = "NotFoundError";
  override readonly kind = "not-found";
  override readonly code: string = "request/not-found";
}

/** The change contradicts what is stored. */
export class ConflictError extends ServiceError {
  override readonly name: string = "ConflictError";
  override readonly kind = "conflict";
  override readonly code: string = "request/conflict";
}

/** The body has more bytes than are accepted. */
export class TooLargeError extends ServiceError {
  override readonly name: string = "TooLargeError";
  override readonly kind = "too-large";
  override readonly code: string = "request/too-large";
}

/** A failure that may be over soon. */
abstract class PassingError extends ServiceError {
  /** Whole seconds after which another attempt makes sense. */
  readonly retryAfterSeconds: number;

  constructor(message: string, { retryAfterSeconds = 1, ...options }: ErrorOptions & RetryFacts = {}) {
    super(message, options);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

interface RetryFacts {
  readonly retryAfterSeconds?: number;
}

/** Too many attempts in too little time. */
export class TooManyError extends PassingError {
  override readonly name: string = "TooManyError";
  override readonly kind = "too-many";
  override readonly code: string = "request/too-many";
}

/** Something that the service depends on does not answer at present. */
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

/** Whether a failure may be over soon, and says when to come back. */
export function isPassing(error: ServiceError): error is TooManyError | UnavailableError {
  return error instanceof PassingError;
}

/** The message and those of its causes: for whoever runs the service, and may know them. */
export function messageOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  return failure.cause === undefined ? failure.message : `${failure.message} (${messageOf(failure.cause)})`;
}
