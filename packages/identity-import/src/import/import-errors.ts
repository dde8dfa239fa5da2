/** Errors of an import, for the operator. */

/** The import can't start, or stopped: nothing was imported. */
export class ImportError extends Error {
  override readonly name = "ImportError";
  readonly code:
    | "import/address"
    | "import/unreachable"
    | "import/unknown-schema"
    | "import/not-empty"
    | "import/nothing-imported"
    | "import/interrupted"
    | "import/busy"
    | "import/clock";

  constructor(code: ImportError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
