/** `hamkit keyring`: keys and passwords in the system's keyring. */
import type { Command } from "commander";

import { SECRETS } from "../databases/credentials.js";
import { EXIT, UsageError } from "../exit-code.js";
import type { Report, Session } from "../session.js";
import { examplesText } from "../terminal/help-text.js";

const EXAMPLES = [
  { line: "hamkit keyring set HAMKIT_QRZ_KEY", shows: "asks for the key, and stores it" },
  { line: "hamkit keyring list", shows: "the names of what is stored" },
];

interface KeyringOptions {
  readonly json?: boolean;
}

export function defineKeyringCommand(command: Command, session: Session): void {
  command
    .description(
      "Stores keys and passwords in the system's keyring: the Secret Service of Linux, the keychain of macOS, or the Credential Manager of Windows. Other " +
        "commands read them there where neither the environment nor a file of credentials has them. It needs the package @napi-rs/keyring.\n\nNames:\n" +
        [...SECRETS].map((name) => `  ${name}`).join("\n"),
    )
    .addHelpText("after", examplesText(EXAMPLES, session.ink));
  command
    .command("set")
    .summary("store a secret")
    .description("Stores a secret, which is asked for without showing it, or is the line on standard input.")
    .argument("<name>", "the name of its setting", secretName)
    .option("--json", "output JSON")
    .action(async (name: string, options: KeyringOptions) => {
      session.present(await storeSecret(name, session), options);
    });
  command
    .command("delete")
    .summary("delete a secret")
    .description("Deletes a secret.")
    .argument("<name>", "the name of its setting", secretName)
    .option("--json", "output JSON")
    .action(async (name: string, options: KeyringOptions) => {
      session.present(await deleteSecret(name, session), options);
    });
  command
    .command("list")
    .summary("the names of stored secrets")
    .description("Lists the names of stored secrets, without the secrets.")
    .option("--json", "output JSON")
    .action(async (options: KeyringOptions) => {
      session.present(await storedSecrets(session), options);
    });
}

function secretName(text: string): string {
  const name = text.toUpperCase();
  if (SECRETS.has(name)) return name;
  // The text is not shown: it may be a secret in the wrong place.
  throw new UsageError(`the name of a secret is one of ${[...SECRETS].join(", ")}`);
}

async function storeSecret(name: string, { io }: Session): Promise<Report> {
  const keyring = await io.keyring(); // fail before asking
  await keyring.write(name, await askSecret(name, io));
  return { document: { name, stored: true }, lines: () => [`${name} is in the keyring.`] };
}

async function askSecret(name: string, { ask, stdin }: Session["io"]): Promise<string> {
  let text = "";
  if (ask !== undefined) text = await ask(`${name}: `, { isHidden: true });
  else {
    const decoder = new TextDecoder();
    for await (const piece of stdin())
      text += typeof piece === "string" ? piece : decoder.decode(piece, { stream: true });
  }
  const secret = text.replace(/\r?\n$/, "");
  if (secret !== "" && !/\p{Cc}/u.test(secret)) return secret;
  throw new UsageError(`${name}: expected one line of text${secret === "" ? ", got none" : ""}`);
}

async function deleteSecret(name: string, { io }: Session): Promise<Report> {
  const wasStored = await (await io.keyring()).remove(name);
  return {
    document: { name, deleted: wasStored },
    lines: () => [wasStored ? `${name} was deleted.` : `${name} is not in the keyring.`],
    exitCode: wasStored ? EXIT.success : EXIT.notFound,
  };
}

async function storedSecrets({ io }: Session): Promise<Report> {
  const keyring = await io.keyring();
  const names: string[] = [];
  for (const name of SECRETS) if ((await keyring.read(name)) !== undefined) names.push(name);
  return { document: { names }, lines: () => names };
}
