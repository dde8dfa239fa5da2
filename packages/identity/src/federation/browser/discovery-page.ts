/** The page on which users choose one of the entities of a provider: with search, and without scripts. */
import { escapeHtml } from "../../platform/text/html.js";
import type { BrowserStep } from "../assertion-verifier.js";
import { compareNames, languagesIn, nameOf, searchFor } from "../entity-search.js";
import type { ListedEntity } from "../protocols/protocol-type.js";
import { page } from "./websso-pages.js";

export interface DiscoveryEntity extends ListedEntity {
  /** URLs. */
  readonly logos: readonly string[];
}

export interface Discovery {
  readonly entities: readonly DiscoveryEntity[];
  /** The query parameter that returns the choice. */
  readonly parameter: string;
  /** Those of the request, which a choice keeps. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  readonly search: string;
  readonly isRemembered: (entityId: string) => boolean;
  /** `Accept-Language` */
  readonly languages: string;
  /** Whether logos of other hosts are shown: these hosts see who is about to log in. */
  readonly loadsLogos: boolean;
}

/** Entities on a page; a search finds the others. */
const MAX_SHOWN = 50;
/** Fewer need no search. */
const FEW = 8;

export function discoveryPage(discovery: Discovery): BrowserStep {
  const { search, isRemembered, languages, loadsLogos } = discovery;
  const wanted = languagesIn(languages);
  const all = discovery.entities
    .map((entity) => ({ ...entity, name: nameOf(entity, wanted), isFirst: isRemembered(entity.id) }))
    .toSorted(
      (one, other) => Number(other.isFirst) - Number(one.isFirst) || compareNames(one.name, other.name),
    );
  const isFound = searchFor(search);
  const found = all.filter(isFound);
  const shown = found.slice(0, MAX_SHOWN);
  const logos = shown.map((entity) => logoOf(entity, loadsLogos));
  const items = shown.map(({ id, name, isFirst }, index) => {
    const logo = logos[index];
    const image =
      logo === undefined
        ? ""
        : `<img src="${escapeHtml(logo)}" alt="" referrerpolicy="no-referrer" loading="lazy">`;
    const note = isFirst ? "<small>chosen before</small>" : "";
    return `<li><a href="${escapeHtml(choiceUrl(discovery, id))}">${image}<span>${escapeHtml(name)}</span>${note}</a></li>`;
  });
  const body = `<main>
<h1 id="choose">Where do you have your account?</h1>
${all.length > FEW ? searchForm(discovery) : ""}
<ul aria-labelledby="choose" class="entities">
${items.join("\n")}
</ul>
${countText(shown.length, found.length)}
</main>`;
  // Logos of other hosts by their hosts alone, others within the page.
  const hosts = new Set(
    logos.flatMap((logo) => (logo?.startsWith("https:") === true ? [new URL(logo).origin] : [])),
  );
  return page("Choose where to log in", body, [
    `img-src data: ${[...hosts].join(" ")}`.trim(),
    "form-action 'self'",
  ]);
}

function searchForm({ search, parameters }: Discovery): string {
  const kept = parameters.map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  return `<form method="get" role="search">
${kept.join("\n")}
<input type="search" name="q" value="${escapeHtml(search)}" aria-label="Search" placeholder="Search by name" autofocus>
<input type="submit" value="Search">
</form>`;
}

function countText(shown: number, found: number): string {
  if (found === 0) return `<p role="status">Nothing was found. Try a part of the name.</p>`;
  return shown === found ? "" : `<p role="status">${shown} of ${found} are shown. Search for others.</p>`;
}

/** Relative to the page: nothing in a request can lead elsewhere. */
function choiceUrl({ parameter, parameters }: Discovery, id: string): string {
  return `?${new URLSearchParams([...parameters.map(([name, value]) => [name, value]), [parameter, id]]).toString()}`;
}

function logoOf({ logos }: DiscoveryEntity, loadsLogos: boolean): string | undefined {
  const own = logos.find((url) => /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]*$/i.test(url));
  return own ?? (loadsLogos ? logos.find((url) => isPlainAddress(url)) : undefined);
}

/** Its host stands in the content security policy, where others could end the directive. */
function isPlainAddress(url: string): boolean {
  return URL.canParse(url) && /^https:\/\/[a-z0-9.-]+(?::\d+)?$/.test(new URL(url).origin);
}
