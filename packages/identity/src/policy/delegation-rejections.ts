/** What delegated tokens are rejected for: its effects would outlast the delegation. */
import { errorClass, ForbiddenError } from "../platform/errors.js";
import { isDelegated, type Delegation, type TokenOrigin } from "./delegation.js";

export class DelegationForbiddenError extends errorClass(
  ForbiddenError,
  "policy/delegated",
  (action: string) => `You are not authorized to perform the requested action: ${action}.`,
) {}

interface Rejection {
  /** The only kind of delegation that may. */
  readonly except?: string;
  readonly message: string;
}

const REJECTIONS = {
  applicationCredentials: {
    except: "application_credential",
    message: "Delegated tokens cannot access application credentials",
  },
  trusts: { except: "trust", message: "Delegated tokens cannot manage trusts" },
  /** Their bearers would keep the secrets. */
  credentials: { message: "Delegated tokens cannot access credentials directly" },
  /** They can't pass roles on, nor see to whom they were passed on. */
  oauth1: { message: "Delegated tokens cannot manage OAuth 1.0a tokens" },
} satisfies Readonly<Record<string, Rejection>>;

interface Bearer {
  readonly delegation?: Delegation | undefined;
}

/** @throws {DelegationForbiddenError} The token is delegated, in another way than the one that may. */
export function rejectDelegated(to: keyof typeof REJECTIONS, { delegation }: Bearer): void {
  if (delegation === undefined) return;
  const { except, message }: Rejection = REJECTIONS[to];
  const { kinds } = delegation;
  if (kinds.length === 0 || kinds.some((kind) => kind !== except))
    throw new DelegationForbiddenError(message);
}

/** @throws {DelegationForbiddenError} The token is delegated, unless by an unrestricted application credential alone. */
export function requireMayManageApplicationCredentials(bearer: Bearer): void {
  rejectDelegated("applicationCredentials", bearer);
  if (bearer.delegation?.isRestricted === true)
    throw new DelegationForbiddenError(
      "Using method 'application_credential' is not allowed for managing additional application credentials.",
    );
}

/** @throws {DelegationForbiddenError} A delegated token, which no other token is issued for. */
export function requireOwnLogin(origin: TokenOrigin): void {
  if (isDelegated(origin))
    throw new DelegationForbiddenError("Using a delegated token to create another token is not allowed.");
}
