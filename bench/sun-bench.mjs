/** How many places a second get their four sun times. */
import * as astronomy from "astronomy-engine";
import { calculateSunriseSunset, latlongToLocator, locatorToLatlong, sunPosition } from "hamkit/locator";
import { getPosition, getTimes } from "suncalc";

/** Places and moments to ask for, a power of two, so that the processor can't learn the sequence by heart. */
const COUNT = 1 << 12;
const MASK = COUNT - 1;

/** Records rows for the four times of a day and for the position of the sun, all over the globe, 1990 to 2040. */
export async function bench({ rate, row }) {
  const random = generator(20_150_320);
  const locators = Array.from({ length: COUNT }, () =>
    latlongToLocator((Math.asin(2 * random() - 1) * 180) / Math.PI, 360 * random() - 180),
  );
  const places = locators.map((locator) => locatorToLatlong(locator));
  const dates = locators.map(() => new Date(Date.UTC(1990, 0) + random() * 50 * 365.25 * 86_400_000));
  let sum = 0;

  row({
    work: "sun times, four events",
    hamkit: await rate(
      "calculateSunriseSunset",
      (i) => (sum += Number(calculateSunriseSunset(locators[i & MASK], dates[(i * 7) & MASK]).sunrise)),
      COUNT,
    ),
    limit: 60_000,
    others: [
      {
        name: "suncalc",
        figure: await rate(
          "suncalc",
          (i) => (sum += Number(getTimes(dates[(i * 7) & MASK], ...places[i & MASK]).sunrise ?? 0)),
          COUNT,
        ),
      },
      {
        name: "astronomy-engine",
        figure: await rate(
          "astronomy-engine",
          (i) => (sum += searchFour(places[i & MASK], dates[(i * 7) & MASK])),
          1 << 8,
        ),
      },
    ],
    peer: 5900,
  });
  row({
    work: "position of the sun",
    hamkit: await rate(
      "sunPosition",
      (i) => (sum += sunPosition(locators[i & MASK], dates[(i * 7) & MASK]).elevation),
      COUNT,
    ),
    limit: undefined,
    others: [
      {
        name: "suncalc",
        figure: await rate(
          "suncalc",
          (i) => (sum += getPosition(dates[(i * 7) & MASK], ...places[i & MASK]).altitude),
          COUNT,
        ),
      },
    ],
    peer: undefined,
  });
  if (Number.isNaN(sum)) throw new Error("an answer was not a number");
}

function searchFour([latitude, longitude], date) {
  const { Body, Observer, SearchAltitude, SearchRiseSet } = astronomy;
  const observer = new Observer(latitude, longitude, 0);
  const events = [
    SearchRiseSet(Body.Sun, observer, 1, date, 1),
    SearchRiseSet(Body.Sun, observer, -1, date, 1),
    SearchAltitude(Body.Sun, observer, 1, date, 1, -6),
    SearchAltitude(Body.Sun, observer, -1, date, 1, -6),
  ];
  return events.reduce((total, event) => total + (event?.ut ?? 0), 0);
}

/** Random numbers from 0 to 1, the same in every run (a linear congruential generator). */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
