/** The machine-readable copyright file of a Debian package: the program, and each package that it contains. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { PARTS_LICENSES } from "../packaging/stage.mjs";
import { root } from "../prepare.mjs";

/** Debian keeps the texts of these in every system. */
const COMMON = new Map([
  ["Apache-2.0", "On Debian systems the text of this license is in /usr/share/common-licenses/Apache-2.0."],
  ["MPL-2.0", "On Debian systems the text of this license is in /usr/share/common-licenses/MPL-2.0."],
]);

/**
 * @param packages As `stage` returns them.
 * @param extra Further stanzas: `{ files, copyright, license, text }`.
 */
export function copyrightFile(packages, extra = []) {
  const own = {
    files: "*",
    ...splitLicense(readFileSync(`${root}LICENSE`, "utf8")),
    license: "MIT",
  };
  const stanzas = [own, ...extra, ...packages.map(stanzaOf)];
  const texts = new Map();
  const lines = stanzas.map(({ files, copyright, license, text, comment }) => {
    const short = shortName(texts, license, text);
    return [
      `Files: ${files}`,
      field("Copyright", copyright),
      `License: ${short}`,
      ...(comment ? [field("Comment", comment)] : []),
    ].join("\n");
  });
  const licenses = [...texts].map(([name, text]) => `License: ${name}\n${indent(text)}`);
  return `${["Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: hamkit", ...lines, ...licenses].join("\n\n")}\n`;
}

function stanzaOf({ name, version, license, author, folder }) {
  const folders = join(root, folder);
  const file = readdirSync(folders).find((entry) => /^licen[cs]e(?:[.-]\w+)?$/i.test(entry));
  const kept = `${root}scripts/licenses/${name.replace("/", "-")}.txt`;
  const path = file === undefined ? kept : join(folders, file);
  const whole = existsSync(path) ? readFileSync(path, "utf8") : "";
  const { copyright, text } = splitLicense(whole);
  const owner = typeof author === "string" ? author : author?.name;
  return {
    files: `${folder}/*`,
    copyright: copyright || `${owner ?? `the authors of ${name}`}`,
    license: license ?? "unknown",
    text: text || textless(license, folder),
    comment: `${name} ${version}`,
  };
}

function textless(license, folder) {
  const stated = `The package states its license as ${license}, without the text.`;
  return existsSync(join(root, folder, PARTS_LICENSES))
    ? `${stated} Those of its parts are in its file ${PARTS_LICENSES}.`
    : stated;
}

function isCopyright(line) {
  return (
    /^\W*(?:copyright\b|\(c\)|©)(?!.*(?:notice|holder|license))/i.test(line) && /\d{4}|©|\(c\)/i.test(line)
  );
}

/** The lines of copyright, and the rest. */
function splitLicense(whole) {
  const lines = whole.replaceAll("\r", "").replaceAll("\t", "  ").split("\n");
  const copyright = lines.filter(isCopyright).map((line) => line.replace(/^\W*copyright\s*/i, "").trim());
  const text = lines
    .filter((line) => !isCopyright(line))
    .join("\n")
    .trim();
  return { copyright: copyright.join("\n"), text };
}

/** Texts that differ under one name get numbers. Debian's own copies stand for the common ones. */
function shortName(texts, license, text) {
  const base = license
    .replaceAll(/[()]/g, "")
    .replaceAll(" OR ", " or ")
    .replaceAll(" AND ", " and ")
    .replaceAll(" ", "-");
  const wanted = COMMON.get(license) ?? text;
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}-variant-${number}`;
    if (!texts.has(name)) texts.set(name, wanted);
    if (plain(texts.get(name)) === plain(wanted)) return name;
  }
}

function plain(text) {
  return text.toLowerCase().replaceAll(/[^a-z]+/g, "");
}

function field(name, text) {
  return `${name}: ${text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .join("\n ")}`;
}

/** The body of a field: a blank before each line, and a dot in empty ones. */
function indent(text) {
  return text
    .split("\n")
    .map((line) => (line.trim() === "" ? " ." : ` ${line.trimEnd()}`))
    .join("\n");
}
