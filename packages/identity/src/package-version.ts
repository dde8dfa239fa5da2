/** The version of this package. */
import { readFileSync } from "node:fs";

export function packageVersion(): string {
  const url = new URL("../package.json", import.meta.url);
  return (JSON.parse(readFileSync(url, "utf8")) as { readonly version: string }).version;
}
