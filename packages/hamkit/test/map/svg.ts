/** Reads SVG back, with an XML parser that accepts nothing but well-formed text. */
import { SaxesParser } from "saxes";

import { drawMap, type MapOptions } from "../../src/map.js";

export interface SvgElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: SvgElement[];
  /** Of the element and everything in it. */
  text: string;
}

export interface Place {
  readonly x: number;
  readonly y: number;
}

/** A map, read back. */
export async function draw(options: MapOptions): Promise<SvgElement> {
  return parseSvg(await drawMap(options));
}

/** The root element. Throws where the text is not well-formed XML. */
export function parseSvg(text: string): SvgElement {
  const parser = new SaxesParser();
  const roots: SvgElement[] = [];
  const open: SvgElement[] = [];
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes }) => {
    const element: SvgElement = { name, attributes, children: [], text: "" };
    (open.at(-1)?.children ?? roots).push(element);
    open.push(element);
  });
  parser.on("text", (part) => {
    for (const element of open) element.text += part;
  });
  parser.on("closetag", () => open.pop());
  parser.write(text).close();
  const [root] = roots;
  if (root === undefined || roots.length > 1) throw new Error("not one root element");
  return root;
}

/** The element and all below it. */
export function all(element: SvgElement): SvgElement[] {
  return [element, ...element.children.flatMap(all)];
}

/** All elements of a class. */
export function ofClass(root: SvgElement, name: string): SvgElement[] {
  return all(root).filter(({ attributes }) => attributes["class"]?.split(" ").includes(name));
}

/** The lines of the one `path` element of these classes, as points. */
export function linesOf(root: SvgElement, ...classes: string[]): Place[][] {
  const [first = "", ...others] = classes;
  const found = ofClass(root, first).filter(
    ({ attributes }) =>
      attributes["d"] !== undefined && others.every((name) => has(attributes["class"], name)),
  );
  return found.slice(0, 1).flatMap(({ attributes }) => readPath(attributes["d"] ?? ""));
}

function has(classes: string | undefined, name: string): boolean {
  return classes?.split(" ").includes(name) ?? false;
}

/** Points of path data that consists of M, l, L and z. */
export function readPath(data: string): Place[][] {
  const lines: Place[][] = [];
  let at = { x: 0, y: 0 };
  for (const [, command = "", numbers = ""] of data.matchAll(/([a-zA-Z])([^a-zA-Z]*)/g)) {
    if (command === "M") lines.push([]);
    const values = (numbers.match(/-?(?:\d*\.)?\d+/g) ?? []).map(Number);
    for (let i = 0; i < values.length; i += 2) {
      const [x = 0, y = 0] = values.slice(i, i + 2);
      at = command === "l" ? { x: at.x + x, y: at.y + y } : { x, y };
      lines.at(-1)?.push(at);
    }
  }
  return lines;
}

/** How far a place is from the nearest of some lines. */
export function distanceToLines(place: Place, lines: readonly (readonly Place[])[]): number {
  let least = Infinity;
  for (const line of lines)
    for (const [i, end] of line.entries()) {
      const start = line[Math.max(i - 1, 0)] ?? end;
      least = Math.min(least, distanceToSegment(place, start, end));
    }
  return least;
}

function distanceToSegment({ x, y }: Place, start: Place, end: Place): number {
  const dx = end.x - start.x;
  const dy = end.y - start.y;
  const length = dx * dx + dy * dy;
  const part =
    length === 0 ? 0 : Math.min(Math.max(((x - start.x) * dx + (y - start.y) * dy) / length, 0), 1);
  return Math.hypot(x - start.x - part * dx, y - start.y - part * dy);
}
