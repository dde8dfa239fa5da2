/** Curves of the growth of a cloud, as SVG: a panel for each figure, both axes logarithmic. */

const COLUMNS = 3;
const PANEL = { width: 280, height: 170 };
const PLOT = { left: 52, top: 34, width: 190, height: 96 };
const HEADER = 44;
/** Told apart by people who don't see all colors, on light and dark paper. */
const COLORS = ["#2f6fb3", "#c4622d"];

/** The slope of the line through the points, both axes logarithmic: 0 does not grow, 1 grows in proportion. */
export function exponentOf(sizes, values) {
  const points = sizes.map((size, index) => [Math.log(size), Math.log(Math.max(values[index], 1e-3))]);
  const mean = (axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const above = points.reduce((sum, [px, py]) => sum + (px - x) * (py - y), 0);
  return above / points.reduce((sum, [px]) => sum + (px - x) ** 2, 0);
}

/** @param series `{ database, clouds: [{ users, figures: [{ name, unit, value }] }] }` of each database. */
export function plotsOf(series) {
  const names = series[0].clouds[0].figures.map(({ name }) => name);
  const rows = Math.ceil(names.length / COLUMNS);
  const [width, height] = [COLUMNS * PANEL.width, HEADER + rows * PANEL.height];
  const panels = names.map((name, index) => {
    const x = (index % COLUMNS) * PANEL.width;
    const y = HEADER + Math.floor(index / COLUMNS) * PANEL.height;
    return `<g transform="translate(${x} ${y})">${panelOf(name, series)}</g>`;
  });
  const legend = series.map(
    ({ database }, index) =>
      `<path d="M${PLOT.left + index * 130} 22h22" stroke="${COLORS[index]}" stroke-width="2.5"/>` +
      `<text x="${PLOT.left + index * 130 + 30}" y="26">${database}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Time, memory and disk by the number of users">
<style>
  svg { background: #ffffff; color: #1f2328; font: 12px system-ui, sans-serif; }
  text { fill: currentColor; }
  .name { font-weight: 600; }
  .scale { fill: currentColor; opacity: 0.7; font-size: 10.5px; }
  .grid { stroke: currentColor; opacity: 0.15; }
  @media (prefers-color-scheme: dark) { svg { background: #0d1117; color: #e6edf3; } }
</style>
${legend.join("\n")}
${panels.join("\n")}
</svg>
`;
}

function panelOf(name, series) {
  const curves = series.map(({ clouds }) =>
    clouds.map(({ users, figures }) => ({ users, ...figures.find((figure) => figure.name === name) })),
  );
  const all = curves.flat();
  const { unit } = all[0];
  const xs = decadesOf(all.map(({ users }) => users));
  const ys = decadesOf(all.map(({ value }) => value));
  const x = (value) => PLOT.left + (PLOT.width * (Math.log10(value) - xs[0])) / (xs.at(-1) - xs[0]);
  const y = (value) =>
    PLOT.top + PLOT.height * (1 - (Math.log10(Math.max(value, 10 ** ys[0])) - ys[0]) / (ys.at(-1) - ys[0]));
  const levels = ys.map(
    (power) =>
      `<path class="grid" d="M${PLOT.left} ${round(y(10 ** power))}h${PLOT.width}"/>` +
      `<text class="scale" text-anchor="end" x="${PLOT.left - 6}" y="${round(y(10 ** power) + 4)}">${shortOf(10 ** power)}</text>`,
  );
  const places = xs.map(
    (power) =>
      `<text class="scale" text-anchor="middle" x="${round(x(10 ** power))}" y="${PLOT.top + PLOT.height + 16}">${shortOf(10 ** power)}</text>`,
  );
  const lines = curves.map((curve, index) => {
    const points = curve.map(({ users, value }) => `${round(x(users))} ${round(y(value))}`);
    const dots = points.map((point) => {
      const [cx, cy] = point.split(" ");
      return `<circle cx="${cx}" cy="${cy}" r="3" fill="${COLORS[index]}"/>`;
    });
    return `<path d="M${points.join("L")}" fill="none" stroke="${COLORS[index]}" stroke-width="2"/>${dots.join("")}`;
  });
  return `<text class="name" x="8" y="18">${name}, ${unit}</text>${levels.join("")}${places.join("")}${lines.join("")}`;
}

/** The powers of ten that hold the values, at least two. */
function decadesOf(values) {
  const lowest = Math.floor(Math.log10(Math.max(Math.min(...values), 1e-2)));
  const highest = Math.max(lowest + 1, Math.ceil(Math.log10(Math.max(...values))));
  return Array.from({ length: highest - lowest + 1 }, (_, index) => lowest + index);
}

const round = (value) => Number(value.toFixed(1));

function shortOf(value) {
  if (value >= 1e6) return `${value / 1e6} M`;
  return value >= 1e3 ? `${value / 1e3} k` : String(value);
}
