/** Translates fastify's errors. */
import { InvalidError, NotFoundError, ServiceError, TooLargeError } from "../../errors.js";
import { ContentTypeError, JsonError } from "../request-body.js";

/** A {@link ServiceError} for an error that the client caused; other errors are unchanged. */
export function toServiceError(failure: unknown): unknown {
  if (failure instanceof ServiceError || !(failure instanceof Error)) return failure;
  const { code, statusCode } = failure as Error & { readonly code?: unknown; readonly statusCode?: unknown };
  const options = { cause: failure };
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE") return new TooLargeError("Request is too large.", options);
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") return new ContentTypeError(options);
  if (code === "FST_ERR_CTP_INVALID_CONTENT_LENGTH") return new JsonError(options);
  if (code === "FST_ERR_BAD_URL")
    return new InvalidError("The URL has an invalid percent-encoding.", options);
  if (statusCode === 404 || statusCode === 414)
    return new NotFoundError("Could not find the resource.", options);
  return typeof statusCode === "number" && statusCode >= 400 && statusCode < 500
    ? new InvalidError("The request is malformed.", options)
    : failure;
}
