/** The commands `import` and `export` of `hamkit-identity`, which loads this package when one of them is called. */
import type { KeystoneCommands } from "@hamkit/identity/import-support/command-line";

import { defineExport } from "./commands/export-command.js";
import { defineImport } from "./commands/import-command.js";

export const keystoneCommands: KeystoneCommands = { import: defineImport, export: defineExport };
