/** Errors of recordings. */
import { errorClass, ForbiddenError, NotFoundError } from "../../platform/errors.js";

/** The operator has not allowed it. */
export class RecordingNotAllowedError extends errorClass(
  ForbiddenError,
  "recording/not-allowed",
  "Logins are not recorded by this service: an operator has to set IDENTITY_LOGIN_RECORDING to on.",
) {}

export class RecordingNotFoundError extends errorClass(
  NotFoundError,
  "recording/not-found",
  (idpId: string, protocolId: string) =>
    `Logins of protocol ${protocolId} of identity provider ${idpId} are not recorded.`,
) {}

export class RecordedLoginNotFoundError extends errorClass(
  NotFoundError,
  "recording/login-not-found",
  (id: string) => `Could not find recorded login: ${id}.`,
) {}
