/**
 * The published series behind the sun's position: where the earth is, and how its axis nods.
 *
 * Earth: VSOP87, version D (heliocentric, ecliptic and equinox of date), cut off below 0.04" in longitude and
 * latitude for the years 1900 to 2100, which leaves it within 0.5" of the full series there.
 *
 * @see P. Bretagnon, G. Francou, "Planetary theories in rectangular and spherical variables: VSOP87 solutions",
 *   Astron. Astrophys. 202, 309-315 (1988); data: CDS catalog VI/81, file VSOP87D.ear.
 * @see P. K. Seidelmann, "1980 IAU theory of nutation", Celest. Mech. 27, 79-106 (1982).
 */

/**
 * One term, amplitude x cos(phase + rate x millennia since J2000.0): the amplitude in 1e-8 radians (or astronomical
 * units for the distance), phase in radians, rate in radians per millennium.
 */
export type Term = readonly [amplitude: number, phase: number, rate: number];

/** Mean longitude of the earth: radians per power of millennia since J2000.0. */
export const MEAN_LONGITUDE = [1.75347045673, 6283.31966747491, 5.291887e-4, 3.4955e-7, -1.14084e-6, -8.78e-9] as const;

/** Mean distance of the sun, in astronomical units. */
export const MEAN_DISTANCE = 1.00013988799;

/** Longitude of the earth, besides the mean. */
export const LONGITUDE: readonly Term[] = [
  [3341656.456, 4.6692568, 6283.07584999],
  [34894.275, 4.62610242, 12566.15169998],
  [3417.571, 2.8288658, 3.52311835],
  [3497.056, 2.74411801, 5753.3848849],
  [3135.896, 3.62767042, 77713.77146812],
  [2676.218, 4.41808351, 7860.41939244],
  [2342.687, 6.13516238, 3930.20969622],
  [1273.166, 2.03709656, 529.69096509],
  [1324.292, 0.74246356, 11506.76976979],
  [901.855, 2.04505444, 26.2983198],
  [1199.167, 1.10962944, 1577.34354245],
  [857.223, 3.50849157, 398.14900341],
  [779.786, 1.17882652, 5223.6939198],
  [990.25, 5.2326813, 5884.92684658],
  [753.141, 2.53339054, 5507.55323867],
  [505.264, 4.58292563, 18849.22754997],
  [492.379, 4.2050664, 775.52261132],
  [356.655, 2.91954117, 0.0673103],
  [284.125, 1.89869034, 796.29800682],
  [242.81, 0.34481141, 5486.77784318],
  [317.087, 5.84901952, 11790.62908866],
  [271.039, 0.31488608, 10977.0788047],
  [206.16, 4.80646606, 2544.31441988],
  [205.385, 1.86947814, 5573.14280143],
  [202.261, 2.45767795, 6069.77675455],
  [126.184, 1.0830263, 20.77539549],
  [155.516, 0.83306074, 213.29909544],
  [115.132, 0.64544912, 0.98032107],
  [102.851, 0.63599847, 4694.00295471],
  [101.724, 4.26679821, 7.113547],
  [99.206, 6.2099294, 2146.16541648],
  [132.212, 3.41118276, 2942.46342329],
  [97.607, 0.68101272, 155.42039943],
  [85.128, 1.29870743, 6275.96230299],
  [74.651, 1.75508916, 5088.62883977],
  [101.895, 0.97569222, 15720.83878488],
  [84.711, 3.67080093, 71430.69561813],
  [73.547, 4.67926565, 801.82093112],
  [73.874, 3.50319443, 3154.6870849],
  [78.756, 3.03698313, 12036.46073489],
  [79.637, 1.80791331, 17260.15465469],
  [85.803, 5.98322631, 161000.68573767],
  [56.963, 2.78430398, 6286.59896834],
  [61.148, 1.81839811, 7084.89678112],
  [69.627, 0.83297597, 9437.76293489],
  [56.116, 4.38694881, 14143.49524243],
  [62.449, 3.97763881, 8827.39026987],
  [51.145, 0.28306865, 5856.47765912],
  [55.577, 3.47006009, 6279.55273164],
  [41.036, 5.36817351, 8429.24126647],
  [51.605, 1.33282747, 1748.01641307],
  [51.992, 0.18914946, 12139.55350911],
  [49, 0.48735065, 1194.44701022],
  [39.2, 6.16832995, 10447.3878396],
  [35.566, 1.77597315, 6812.76681509],
  [36.77, 6.04133859, 10213.28554621],
  [36.596, 2.56955239, 1059.38193019],
  [33.291, 0.59309499, 17789.84561978],
  [35.954, 1.70876112, 2352.86615377],
  [40.938, 2.39850882, 19651.0484811],
  [30.047, 2.73975124, 1349.86740966],
  [30.412, 0.44294464, 83996.84731811],
  [23.663, 0.48473568, 8031.09226306],
  [23.574, 2.0652772, 3340.6124267],
  [21.089, 4.14825464, 951.71840625],
  [24.738, 0.21484762, 3.59042865],
  [25.352, 3.16470953, 4690.47983636],
  [22.82, 5.22197888, 4705.73230754],
  [21.419, 1.42563736, 16730.4636896],
  [21.891, 5.55594303, 553.56940284],
  [20.3, 0.37133793, 283.85931887],
];

/** The same, to be multiplied by millennia since J2000.0. */
export const LONGITUDE_T: readonly Term[] = [
  [206058.863, 2.67823456, 6283.07584999],
  [4303.43, 2.6351265, 12566.15169998],
  [425.264, 1.59046981, 3.52311835],
];

/** The same, to be multiplied by their square. */
export const LONGITUDE_T2: readonly Term[] = [
  [8719.837, 1.07209665, 6283.07584999],
];

/** Latitude of the earth. */
export const LATITUDE: readonly Term[] = [
  [279.62, 3.19870156, 84334.66158131],
  [101.643, 5.42248619, 5507.55323867],
  [80.445, 3.88013204, 5223.6939198],
  [43.806, 3.7044469, 2352.86615377],
  [31.933, 4.0002637, 1577.34354245],
  [22.724, 3.98473832, 1047.74731175],
];

/** Distance of the earth, besides the mean, to 1e-5: it only has to give the size of the sun. */
export const DISTANCE: readonly Term[] = [
  [1670699.626, 3.09846351, 6283.07584999],
  [13956.023, 3.0552461, 12566.15169998],
  [3083.72, 5.19846674, 77713.77146812],
  [1628.461, 1.17387749, 5753.3848849],
  [1575.568, 2.84685246, 7860.41939244],
];

/** The same, to be multiplied by millennia since J2000.0. */
export const DISTANCE_T: readonly Term[] = [
  [103018.608, 1.1074897, 6283.07584999],
];

/**
 * Fundamental arguments of nutation at J2000.0 in degrees, and their change per century: the moon's elongation from
 * the sun, the anomalies of sun and moon, the moon's argument of latitude, and the longitude of its ascending node.
 */
const ARGUMENTS = [
  [297.85036, 445267.11148],
  [357.52772, 35999.05034],
  [134.96298, 477198.867398],
  [93.27191, 483202.017538],
  [125.04452, -1934.136261],
] as const;

/**
 * Multiples of the five arguments, then coefficients in 0.0001": the sine's in longitude, the cosine's in obliquity.
 * All terms above 0.025".
 */
const NUTATION = [
  [0, 0, 0, 0, 1, -171996, 92025],
  [-2, 0, 0, 2, 2, -13187, 5736],
  [0, 0, 0, 2, 2, -2274, 977],
  [0, 0, 0, 0, 2, 2062, -895],
  [0, 1, 0, 0, 0, 1426, 54],
  [0, 0, 1, 0, 0, 712, -7],
  [-2, 1, 0, 2, 2, -517, 224],
  [0, 0, 0, 2, 1, -386, 200],
  [0, 0, 1, 2, 2, -301, 129],
] as const;

/** Nutation in longitude. */
export const NUTATION_IN_LONGITUDE: readonly Term[] = NUTATION.map(([d, m, moon, f, node, sine]) =>
  nutationTerm([d, m, moon, f, node], sine, -90),
);

/** Nutation in obliquity. */
export const NUTATION_IN_OBLIQUITY: readonly Term[] = NUTATION.filter(
  ([, , , , , , cosine]) => Math.abs(cosine) > 250,
).map(([d, m, moon, f, node, , cosine]) => nutationTerm([d, m, moon, f, node], cosine, 0));

function nutationTerm(multiples: readonly number[], coefficient: number, offsetDegrees: number): Term {
  const sum = (part: 0 | 1) => ARGUMENTS.reduce((total, pair, i) => total + (multiples[i] ?? 0) * pair[part], 0);
  const radians = Math.PI / 180;
  return [coefficient * 1e4 * (radians / 3600), (sum(0) + offsetDegrees) * radians, sum(1) * 10 * radians];
}
