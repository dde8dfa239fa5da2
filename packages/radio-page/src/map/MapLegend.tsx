/** What the colors of a log mean. */
export function MapLegend() {
  return (
    <ul class="map-legend" aria-label="Legend">
      <li class="confirmed">Confirmed square</li>
      <li class="worked">Worked square</li>
      <li class="path">Path of QSOs</li>
    </ul>
  );
}
