/** Links, images and anchors of a built site that lead nowhere in it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** @param dist The folder of the site. Its reference of hamkit, made by another program, which checks its own links, is only led to. */
export function deadLinks(dist) {
  const paths = readdirSync(dist, { recursive: true, encoding: "utf8" }).map((path) =>
    path.replaceAll("\\", "/"),
  );
  const pages = paths.filter((path) => path.endsWith(".html") && !path.startsWith("api/"));
  const ids = new Map();
  const idsOf = (path) => {
    if (!ids.has(path)) ids.set(path, new Set(valuesOf(readFileSync(join(dist, path), "utf8"), "id")));
    return ids.get(path);
  };
  const isDead = (page, link) => {
    const { pathname, hash } = new URL(link.replaceAll("&amp;", "&"), `https://site/${page}`);
    const path = decodeURIComponent(pathname).replace(/\/$/, "/index.html").slice(1);
    const file = [path, `${path}.html`].find((name) => existsSync(join(dist, name)));
    if (file === undefined) return true;
    return hash !== "" && file.endsWith(".html") && !idsOf(file).has(decodeURIComponent(hash.slice(1)));
  };
  const dead = pages.flatMap((page) => {
    const text = readFileSync(join(dist, page), "utf8");
    const links = [...new Set([...valuesOf(text, "href"), ...valuesOf(text, "src")])];
    return links
      .filter((link) => !/^(?:[a-z][\w+.-]*:|\/\/)/i.test(link))
      .filter((link) => isDead(page, link))
      .map((link) => ({ page, link }));
  });
  return { pages: pages.length, dead };
}

function valuesOf(text, name) {
  return [...text.matchAll(new RegExp(`\\s${name}="([^"]*)"`, "g"))].map(([, value]) => value);
}
