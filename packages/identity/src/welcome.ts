/** The message of an interactive start: the console, the URL of the API, and settings for the `openstack` client. */
import type { Serving } from "./serve.js";

const STARS = "********";

/** Shows the password only if it was just generated. */
export function welcome({
  publicUrl,
  firstPassword,
  consoleUrl,
}: Pick<Serving, "publicUrl" | "firstPassword" | "consoleUrl">): string {
  const ofConsole = consoleUrl === undefined ? [] : [`The console is at ${consoleUrl}`, ""];
  const settings = {
    OS_AUTH_URL: `${publicUrl}/v3`,
    OS_IDENTITY_API_VERSION: "3",
    OS_USERNAME: "admin",
    OS_PASSWORD: firstPassword ?? STARS,
    OS_USER_DOMAIN_ID: "default",
    OS_PROJECT_NAME: "admin",
    OS_PROJECT_DOMAIN_ID: "default",
  };
  const lines = Object.entries(settings).map(([name, value]) => `  export ${name}=${value}`);
  const note =
    firstPassword === undefined
      ? []
      : [
          "This password was generated for the first start and is shown only once: store it, or change it.",
          "",
        ];
  const api = [`The identity service is at ${publicUrl}/v3`, "", ...lines, ""];
  return ["", ...ofConsole, ...api, ...note].join("\n");
}
