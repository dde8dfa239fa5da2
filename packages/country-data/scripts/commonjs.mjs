/** Writes the entry for CommonJS programs, after the compiler has written the module. */
import { fileURLToPath } from "node:url";

import { writeCommonJs } from "../../../scripts/commonjs.mjs";

writeCommonJs(fileURLToPath(new URL("../dist/", import.meta.url)), ["index"]);
