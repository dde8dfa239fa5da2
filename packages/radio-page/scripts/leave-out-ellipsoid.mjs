/** Leaves out paths on the ellipsoid (`model: "wgs84"`), which the page never asks for: 2 kB when compressed. */
export function leaveOutEllipsoid() {
  return {
    name: "leave-out-ellipsoid",
    transform(code) {
      const without = code.replace(
        /^\/\/ src\/geo\/ellipsoid\.ts\n[^]*?(?=^\/\/ src\/)/m,
        "const geodesic = undefined;\n",
      );
      return without === code ? undefined : { code: without, map: null };
    },
  };
}
