/** Looks up a callsign in the embedded country file, and draws the path to it. Nothing is sent anywhere. */
import { calculateDistance, calculateHeading, latlongToLocator } from "hamkit/locator";
import { identify, loadEmbeddedCountryFile } from "hamkit/lookup";
import { drawMap } from "hamkit/map";

const form = document.querySelector("form");
const status = document.querySelector("[role=status]");
const list = document.querySelector("dl");
const figure = document.querySelector("figure");

/** Loaded while somebody types. */
const tableLoads = loadEmbeddedCountryFile();

/** How often something was asked: only the answer to the latest question is shown. */
let questions = 0;

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void ask(form.elements);
});

async function ask({ call, locator, longpath }) {
  const question = ++questions;
  const answer = await answerTo(call.value.trim().toUpperCase(), locator.value.trim(), longpath.checked);
  if (question === questions) tell(answer);
}

/** What to tell: a message, facts by name, and a map. */
async function answerTo(call, from, longpath) {
  const answer = identify(call, { table: await tableLoads });
  if (answer.kind !== "identified") return { message: `Nobody knows ${call}.` };
  const { country, continent, cqz, ituz, latitude, longitude } = answer.record;
  if (continent === "") return { message: `${call} may be anywhere: ${country}` };

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
        width: Math.max(figure.clientWidth, 240), // so that text on a phone is as large as elsewhere
      }),
    };
  } catch ({ message }) {
    return { message }; // a locator that is none, for example
  }
}

function tell({ message, facts = {}, svg = "" }) {
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
