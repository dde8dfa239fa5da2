/**
 * Why logins fail: codes for the log and for the list of failed logins, never for the caller. The one list for all methods;
 * `docs/identity/failed-logins.md` explains each.
 */
export const LOGIN_REASONS = {
  // The user.
  "user-unknown": "the user does not exist",
  "domain-unknown": "the user's domain does not exist",
  "user-disabled": "the user is disabled",
  "user-inactive": "the user has not logged in for too long",
  "user-domain-disabled": "the user's domain is disabled",
  "user-locked": "the user is locked after failed logins",
  "user-in-directory": "the domain's users are in a directory",
  "too-many-attempts": "too many attempts",
  // Passwords and one-time codes.
  "password-missing": "the request has no password",
  "password-wrong": "wrong password",
  "password-not-set": "the user has no password",
  "password-expired": "the password has expired, or has to be changed at the first login",
  "code-missing": "the request has no one-time code",
  "code-wrong": "wrong one-time code",
  "code-replayed": "replayed one-time code",
  "code-not-set": "the user has no secret for one-time codes",
  // Passkeys.
  "passkey-missing": "the request has no assertion of a passkey",
  "passkey-unknown": "the passkey does not exist",
  "passkey-challenge": "the challenge of the assertion has expired, or is another user's",
  "passkey-replayed": "replayed assertion of a passkey",
  "passkey-invalid": "the assertion of the passkey is not valid",
  "passkey-counter": "the counter of the passkey has not risen: it may be a copy",
  // Several methods.
  "more-methods": "the methods of the login satisfy no multi-factor rule of its user",
  "no-methods": "the request names no methods",
  "method-unsupported": "the request names a method that is not supported",
  "users-differ": "the methods prove different users",
  "delegations-differ": "the methods prove different scopes or delegations",
  "receipt-unreadable": "the receipt is malformed, or its key was removed",
  "receipt-expired": "the receipt has expired",
  "receipt-invalid": "the receipt is not valid",
  // Tokens.
  "token-missing": "no token in the request",
  "token-unreadable": "the token is malformed, or its key was removed",
  "token-expired": "it has expired",
  "token-revoked": "it was revoked",
  "token-delegated": "a delegated token gives no other token",
  "token-access-rules": "the token has access rules, and the service does not enforce them",
  "token-not-federated": "the token's user is not a federated user",
  "browser-required": "the protocol requires a browser",
  "provider-disabled": "the identity provider is disabled, or its protocol was deleted",
  "provider-login": "the login at the provider was rejected",
  // The scope.
  "scope-unsupported": "the scope is not supported",
  "scope-fixed": "the login allows no other scope than its own",
  "scope-domain-unknown": "the domain of the scope does not exist",
  "scope-domain-disabled": "the domain of the scope is disabled",
  "scope-project-unknown": "the project of the scope does not exist",
  "scope-project-disabled": "the project of the scope is disabled",
  "scope-project-domain-disabled": "the project's domain is disabled",
  "no-role": "the user has no role in the scope",
  // Application credentials.
  "application-credential-unknown": "the application credential does not exist",
  "application-credential-secret-wrong": "wrong secret of the application credential",
  "application-credential-expired": "the application credential has expired",
  "application-credential-scope": "an application credential can't request a scope",
  "application-credential-foreign": "the application credential is for another user or scope",
  // Trusts.
  "trust-unknown": "the trust does not exist, has expired or is used up",
  "trust-deleted": "the trust was deleted",
  "trust-expired": "the trust has expired",
  "trust-used-up": "the trust is used up",
  "trust-no-project": "the trust has no project",
  "trust-foreign": "the trust is for another user or scope",
  "trust-other-trustee": "the trust is for another trustee",
  "trust-delegated-login": "a delegated login can't use a trust",
  "trust-user-disabled": "a user of the trust is disabled",
  "trust-user-domain-disabled": "the domain of a user of the trust is disabled",
  "trust-roles-lost": "the trustor no longer has the roles of the trust",
  // Signed requests, OAuth 1.0a and OAuth 2.0.
  "signed-request-malformed": "the signed request is incomplete",
  "access-key-unknown": "the EC2 access key does not exist",
  "access-key-unusable": "the credential has no secret for this access key, or no project",
  "signature-invalid": "invalid signature",
  "signature-time": "the time of the signed request is not acceptable",
  "oauth1-invalid": "the request by OAuth 1.0a is not valid",
  "access-token-unknown": "the access token does not exist",
  "access-token-expired": "the access token has expired",
  "access-token-foreign": "the access token is for another user or scope",
  "delegation-expired": "what it was delegated by has expired",
  "delegation-unsupported": "the kind of delegation is not supported",
  "client-credentials-missing": "the request has no client credentials",
  "certificate-invalid": "the client certificate is not valid",
  "certificate-foreign": "the client certificate belongs to another user",
  "certificate-mapping": "the mapping of client certificates does not map it",
  "no-default-project": "the user has no default project",
} as const;

export type LoginReason = keyof typeof LOGIN_REASONS;

/**
 * Messages of the log lines on failed logins. They keep the word of earlier releases, as the metric `login_attempts_refused_total` does:
 * alerts of operators match them.
 */
export const LOGIN_LOG_MESSAGES = {
  failed: "login refused",
  failedAtProvider: "federated login refused",
  /** A limit rejects logins before they are tried. */
  limited: "logins refused",
} as const;
