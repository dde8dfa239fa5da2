/**
 * Reads files of oslo.config: groups in brackets, `name = value` or `name: value`, continued by indented lines.
 *
 * @see https://docs.openstack.org/oslo.config/latest/configuration/format.html
 */

/** A line is not in the format. The message names file and line, never the value, which may be a password. */
export class OsloConfigError extends Error {
  override readonly name = "OsloConfigError";
  readonly code = "import/keystone-conf";

  constructor(path: string, line: number, reason: string) {
    super(`${path}, line ${line}: ${reason}`);
  }
}

export interface OsloOption {
  readonly group: string;
  readonly name: string;
  /** Every value, in the order of the file: options of one value have the last. */
  readonly values: readonly string[];
}

export interface OsloConfig {
  /** The value of an option; `undefined` if it is not set. */
  readonly value: (group: string, name: string) => string | undefined;
  /** All values of an option that may be repeated. */
  readonly values: (group: string, name: string) => readonly string[];
  readonly options: readonly OsloOption[];
}

interface Assignment {
  readonly key: string;
  readonly lines: string[];
}

/** @throws {OsloConfigError} */
export function parseOsloConfig(text: string, path: string): OsloConfig {
  const raw = readValues(text, path);

  function resolved(group: string, name: string, depth = 0): readonly string[] {
    return (raw.get(keyOf(group, name)) ?? []).map((value) => substituted(value, group, depth));
  }

  /** `$name`, `${name}` and `${group.name}`; `$$` is a dollar sign. Unknown names stay. */
  function substituted(value: string, group: string, depth: number): string {
    return value.replaceAll(
      /\$(?:\$|(?<bare>\w+)|\{(?:(?<otherGroup>\w+)\.)?(?<braced>\w+)\})/g,
      (whole, bare?: string, otherGroup?: string, braced?: string) => {
        if (whole === "$$") return "$";
        const name = bare ?? braced ?? "";
        const groups = otherGroup === undefined ? [group, DEFAULT_GROUP] : [otherGroup];
        const found = groups.map((each) => (depth < MAX_DEPTH ? resolved(each, name, depth + 1) : []));
        return found.flatMap((values) => values.at(-1) ?? [])[0] ?? whole;
      },
    );
  }

  return {
    value: (group, name) => resolved(group, name).at(-1),
    values: (group, name) => resolved(group, name),
    options: [...raw.keys()].map((key) => {
      const [group = "", name = ""] = key.split(SEPARATOR);
      return { group, name, values: resolved(group, name) };
    }),
  };
}

const DEFAULT_GROUP = "DEFAULT";
const SEPARATOR = "\n";
/** Of options that name options. */
const MAX_DEPTH = 10;

function keyOf(group: string, name: string): string {
  return `${group}${SEPARATOR}${name.replaceAll("-", "_")}`;
}

function readValues(text: string, path: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  let group = DEFAULT_GROUP;
  let open: Assignment | undefined;

  function close(): void {
    if (open !== undefined)
      values.set(open.key, [...(values.get(open.key) ?? []), unquoted(open.lines.join("\n"))]);
    open = undefined;
  }

  for (const [index, whole] of text.split(/\r?\n/).entries()) {
    const line = whole.trimEnd();
    const fault = (reason: string) => new OsloConfigError(path, index + 1, reason);
    if (/^\s/.test(line)) {
      if (open === undefined) throw fault("an indented line continues no option");
      open.lines.push(line.trim());
      continue;
    }
    close();
    if (line === "" || /^[#;]/.test(line)) continue;
    if (line.startsWith("[")) {
      group = /^\[(?<name>[^\]]+)\]$/.exec(line)?.groups?.["name"]?.trim() ?? "";
      if (group === "") throw fault("expected a group in brackets");
      continue;
    }
    const [, name, value = ""] = /^([^:=]+)[:=](.*)$/.exec(line) ?? [];
    if (name === undefined) throw fault("expected `name = value`");
    open = { key: keyOf(group, name.trim()), lines: [value.trim()] };
  }
  close();
  return values;
}

function unquoted(value: string): string {
  const [first = ""] = value;
  const isQuoted = value.length > 1 && /["']/.test(first) && value.endsWith(first);
  return isQuoted ? value.slice(1, -1) : value;
}
