/**
 * Draws blocks of `mermaid` while the site is built, as SVG in the colors of the page. GitHub draws the same blocks itself.
 * Blocks in languages that the highlighter doesn't know are plain text.
 */
import { renderMermaidSVG } from "beautiful-mermaid";

const COLORS = {
  bg: "var(--vp-c-bg)",
  fg: "var(--vp-c-text-1)",
  muted: "var(--vp-c-text-2)",
  transparent: true,
};

const PLAIN = /^(?:adif|cabrillo|fle|tle|haproxy|promql)\b/;

export function renderDiagrams(markdown) {
  const fence = markdown.renderer.rules.fence;
  let count = 0;
  markdown.renderer.rules.fence = (tokens, index, ...others) => {
    const { info, content } = tokens[index];
    if (PLAIN.test(info)) tokens[index].info = "txt";
    if (info.trim() !== "mermaid") return fence(tokens, index, ...others);
    return `<figure class="diagram" tabindex="0" v-pre>${drawing(content, `d${count++}`)}</figure>`;
  };
}

/** Without the font that the library would load, and with ids of its own: a page may have several diagrams. */
function drawing(source, prefix) {
  const svg = renderMermaidSVG(source, COLORS)
    .replaceAll(/@import [^;]+;/g, "")
    .replaceAll("'Inter', ", "")
    .replaceAll(/\bid="([^"]+)"/g, `id="${prefix}-$1"`)
    .replaceAll(/url\(#([^)]+)\)/g, `url(#${prefix}-$1)`);
  const style = /<style>([^]*?)<\/style>/.exec(svg)?.[1] ?? "";
  // A style element is of the whole page, and Vue allows none in a template: the variables go to the element itself.
  const variables = [...style.matchAll(/(--_[\w-]+):\s*([^;]+);/g)].map(
    ([, name, value]) => `${name}:${value}`,
  );
  return svg
    .replace(/<style>[^]*?<\/style>/, "")
    .replace(
      /style="([^"]*)"/,
      (_whole, own) => `role="img" aria-label="${labelOf(source)}" style="${own};${variables.join(";")}"`,
    )
    .replaceAll(/\n\s*\n/g, "\n");
}

/** The words of a diagram for those who don't see it: its lines without arrows' forms. */
function labelOf(source) {
  return source
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.trim().replaceAll(/[<>"&]/g, " "))
    .join("; ");
}
