/** Manual pages and bash completion of a program, from what it prints as help. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** Processes at a time. */
const WORKERS = 3;

/**
 * Reads the help of a program and of all its commands.
 *
 * @param name How users call the program.
 * @param main The built file.
 * @returns The program's help, and that of each command by its words, such as `users sessions`, in the order of the help.
 */
export async function readHelp(name, main) {
  const help = async (words) => {
    // Defaults that depend on the user's home are shown so; and no color, whatever the terminal is.
    const env = { PATH: process.env.PATH, HOME: "~", NO_COLOR: "1", COLUMNS: "100" };
    const { stdout } = await execute(process.execPath, [main, ...words, "--help"], { env });
    return parseHelp(stdout);
  };
  const program = await help([]);
  const commands = new Map();
  const waiting = commandsOf(program).map((word) => [word]);
  for (const words of waiting) commands.set(words.join(" "), undefined);
  const work = async () => {
    for (let words = waiting.shift(); words !== undefined; words = waiting.shift()) {
      const found = await help(words);
      commands.set(words.join(" "), found);
      for (const inner of commandsOf(found)) waiting.push([...words, inner]);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  const order = [...commands].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return { name, program, commands: new Map(order) };
}

/**
 * The parts of a help text: usage, description, and sections with entries.
 *
 * @returns `{ usage, text, sections: [{ title, entries: [{ term, text }] }] }`; an entry without `text` is a line or the title of a group.
 */
export function parseHelp(help) {
  const [first, ...blocks] = help.trimEnd().split(/\n{2,}/);
  const usage = first.replace(/^Usage: /, "").replaceAll(/\n\s+/g, " ");
  const texts = [];
  const sections = [];
  for (const block of blocks) {
    const lines = block.split("\n");
    if (/^\S.*:$/.test(lines[0]) && lines.length > 1)
      sections.push({ title: lines[0].slice(0, -1), entries: entriesOf(lines.slice(1)) });
    else texts.push(lines.map((line) => line.trim()).join(" "));
  }
  return { usage, text: texts.join("\n\n"), sections };
}

/** Terms begin at two blanks, or four in a group; what stands further right goes on with the line before. */
function entriesOf(lines) {
  const entries = [];
  for (const line of lines) {
    const [, indent, term, text] = /^( *)(.*?)(?: {2,}(\S.*))?$/.exec(line);
    const last = entries.at(-1);
    if (indent.length > 4 && last !== undefined)
      last.text = [last.text, line.trim()].filter(Boolean).join(" ");
    else entries.push({ term, text });
  }
  return entries;
}

function commandsOf({ sections }) {
  const entries = sections.find(({ title }) => title === "Commands")?.entries ?? [];
  return entries.map(({ term }) => /^\S+/.exec(term)[0]).filter((word) => word !== "help");
}

/** @param facts Section and date of the page, the package's version, and what the program is in a few words. */
export function manualPage({ name, program, commands }, { date, version, summary, files = [] }) {
  const lines = [
    `.TH ${name.toUpperCase()} 1 "${date}" "${name} ${version}" "User Commands"`,
    ".SH NAME",
    roff(`${name} - ${summary}`),
    ".SH SYNOPSIS",
    ...synopsis(program.usage),
    ".SH DESCRIPTION",
    ...paragraphs(program.text),
    ...program.sections.flatMap(({ title, entries }) => [
      `.SH ${roff(title.toUpperCase())}`,
      ...list(entries),
    ]),
  ];
  const settings = [...commands.values()].flatMap(({ sections }) => sections.filter(isOfSettings))[0];
  const common = new Set(program.sections.map(({ title }) => title));
  for (const [words, { usage, text, sections }] of commands) {
    lines.push(`.SH "COMMAND ${roff(words)}"`, ...synopsis(usage), ".PP", ...paragraphs(text));
    for (const { title, entries } of sections)
      if (
        !isOfSettings({ title }) &&
        (!common.has(title) || ["Options", "Commands", "Examples"].includes(title))
      )
        lines.push(`.SS ${roff(title)}`, ...list(entries));
  }
  if (settings !== undefined)
    lines.push(".SH SETTINGS", ...paragraphs(settings.title), ...list(settings.entries));
  if (files.length > 0)
    lines.push(".SH FILES", ...files.flatMap(([path, text]) => [".TP", `.I ${roff(path)}`, roff(text)]));
  return `${lines.join("\n")}\n`;
}

/** Many commands list the same ones. */
function isOfSettings({ title }) {
  return title.startsWith("Settings");
}

function synopsis(usage) {
  return [".nf", roff(usage), ".fi"];
}

function paragraphs(text) {
  return text
    .split("\n\n")
    .flatMap((paragraph, index) => (index === 0 ? [roff(paragraph)] : [".PP", roff(paragraph)]));
}

function list(entries) {
  return entries.flatMap(({ term, text }) =>
    text === undefined ? [".PP", `.B ${roff(term)}`] : [".TP", `.B ${roff(term)}`, roff(text)],
  );
}

/** Text that troff sets as it is: hyphens of options are minus signs, and no line begins a request. */
function roff(text) {
  return text
    .replaceAll("\\", String.raw`\e`)
    .replaceAll("-", String.raw`\-`)
    .replaceAll('"', String.raw`\(dq`)
    .replace(/^(?=[.'])/, String.raw`\&`);
}

function longOptionsOf({ sections }) {
  const entries = sections.find(({ title }) => title === "Options")?.entries ?? [];
  return entries.flatMap(({ term }) => term.match(/--[\w-]+/g) ?? []);
}

/** A script for bash: commands, commands of commands, and long options. */
export function bashCompletion({ name, program, commands }) {
  const cases = [...commands].map(
    ([words, help]) =>
      `    "${words}") words="${[...commandsOf(help), ...longOptionsOf(help)].join(" ")}" ;;`,
  );
  const all = [...commands.keys()].map((words) => `"${words}"`).join(" | ");
  const function_ = `_${name.replaceAll("-", "_")}`;
  return `# Completion of ${name} in bash.
${function_}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" command="" next="" words="" index
  for ((index = 1; index < COMP_CWORD; index++)); do
    next="\${command:+$command }\${COMP_WORDS[index]}"
    case "$next" in
      ${all}) command="$next" ;;
    esac
  done
  case "$command" in
    "") words="${[...commandsOf(program), ...longOptionsOf(program)].join(" ")}" ;;
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F ${function_} ${name}
`;
}
