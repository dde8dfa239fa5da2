/** Removes keys and passwords from messages and errors. */

/** The text with each secret replaced by `***`, in plain, URL-encoded and form-encoded spelling. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let shown = text;
  for (const secret of secrets) {
    for (const spelling of spellingsOf(secret)) shown = shown.replaceAll(spelling, "***");
  }
  return shown;
}

/**
 * A copy of an error and its causes with name, message and code only. Other fields may contain secrets: parse errors keep
 * the response, URL errors the address.
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
