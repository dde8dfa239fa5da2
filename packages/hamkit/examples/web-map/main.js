/** Looks up a callsign in the embedded country file, and draws the path to it. No data leaves the page. */
import { calculateDistance, calculateHeading, latlongToLocator } from "hamkit/locator";
import { identify, loadEmbeddedCountryFile } from "hamkit/lookup";
import { drawMap } from "hamkit/map";

const form = document.querySelector("form");
const status = document.querySelector("[role=status]");
const list = document.querySelector("dl");
const figure = document.querySelector("figure");

/** Loaded while the user types. */
const tableLoads = loadEmbeddedCountryFile();

/** Number of searches: only the result of the latest one is shown. */
let searches = 0;

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void search(form.elements);
});

async function search({ call, locator, longpath }) {
  const number = ++searches;
  const result = await resultOf(call.value.trim().toUpperCase(), locator.value.trim(), longpath.checked);
  if (number === searches) show(result);
}

/** A message, facts by name, and a map. */
async function resultOf(call, from, longpath) {
  const answer = identify(call, { table: await tableLoads });
  if (answer.kind !== "identified") return { message: `Unknown callsign ${call}` };
  const { country, continent, cqz, ituz, latitude, longitude } = answer.record;
  if (continent === "") return { message: `${call} has no position: ${country}` };

  const to = latlongToLocator(latitude, longitude);
  try {
    return {
      message: `${call} is in ${country}`,
      facts: {
        Distance: `${Math.round(calculateDistance(from, to)).toLocaleString("en")} km`,
        Heading: `${Math.round(calculateHeading(from, to)) % 360}°`,
        Continent: continent,
        "CQ zone": cqz,
        "ITU zone": ituz,
        "Matched by": `${answer.matchedBy} ${answer.match}`,
      },
      svg: await drawMap({
        from,
        to: { latitude, longitude, label: call },
        date: new Date(),
        longpath,
        width: Math.max(figure.clientWidth, 240), // the map's own width keeps its text readable on a phone
      }),
    };
  } catch ({ message }) {
    return { message }; // for example an invalid locator
  }
}

function show({ message, facts = {}, svg = "" }) {
  status.textContent = message;
  list.replaceChildren(...Object.entries(facts).map(([name, value]) => fact(name, value)));
  figure.innerHTML = svg; // text within it is escaped
}

function fact(name, value) {
  const [group, term, detail] = ["div", "dt", "dd"].map((tag) => document.createElement(tag));
  term.textContent = name;
  detail.textContent = value;
  group.append(term, detail);
  return group;
}
