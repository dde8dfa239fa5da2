/** Errors of an export, for the operator. */

/** The export can't start, or stopped: nothing was exported. */
export class ExportError extends Error {
  override readonly name = "ExportError";
  readonly code:
    | "export/unreachable"
    | "export/not-empty"
    | "export/file"
    | "export/rejected"
    | "export/value";

  constructor(code: ExportError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
