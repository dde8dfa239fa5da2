/** Keeping keys and passwords out of what is told of a failure. */

/** A text without the secrets that are in it, spelled as they are or as in an address or a form. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let shown = text;
  for (const secret of secrets) {
    for (const spelling of spellingsOf(secret)) shown = shown.replaceAll(spelling, "***");
  }
  return shown;
}

/**
 * Name, message and code of a failure, and of what caused it. Whatever else a failure has is left out: parsers keep the
 * answer that they failed at, and addresses are kept by what fails to read them.
 */
export function bareFailure(failure: unknown, secrets: readonly string[]): Error {
  if (!(failure instanceof Error)) return new Error(withoutSecrets(String(failure), secrets));
  const cause = failure.cause === undefined ? undefined : { cause: bareFailure(failure.cause, secrets) };
  const bare = new Error(withoutSecrets(failure.message, secrets), cause);
  bare.name = failure.name;
  return "code" in failure ? Object.assign(bare, { code: failure.code }) : bare;
}

function spellingsOf(secret: string): Set<string> {
  const inForm = new URLSearchParams([["", secret]]).toString().slice(1);
  const spellings = new Set([secret, inForm, inForm.replaceAll("+", "%20")]);
  spellings.delete("");
  return spellings;
}
