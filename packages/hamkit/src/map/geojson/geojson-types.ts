/** Documents of GeoJSON (RFC 7946), and what they are made from. */
import type { LongitudeLatitude } from "../../zones/zone-polygons.js";
import type { MapOptions } from "../map-options.js";

/** The geometries that occur. */
export type GeoJsonGeometry =
  | { readonly type: "Point"; readonly coordinates: LongitudeLatitude }
  | { readonly type: "LineString"; readonly coordinates: LongitudeLatitude[] }
  | { readonly type: "MultiLineString"; readonly coordinates: LongitudeLatitude[][] }
  | { readonly type: "Polygon"; readonly coordinates: LongitudeLatitude[][] }
  | { readonly type: "MultiPolygon"; readonly coordinates: LongitudeLatitude[][][] };

/** A feature; `kind` names the layer. */
export interface GeoJsonFeature {
  readonly type: "Feature";
  readonly properties: { readonly kind: string; readonly [name: string]: string | number | boolean | null };
  readonly geometry: GeoJsonGeometry;
}

/** A document of GeoJSON. */
export interface GeoJsonCollection {
  readonly type: "FeatureCollection";
  readonly features: readonly GeoJsonFeature[];
}

/** The part of an annotated spot of hamkit/spots that is needed. */
export interface MapSpot {
  readonly dx: string;
  readonly spotter: string;
  /** In kHz. */
  readonly frequency: number;
  readonly time: Date;
  readonly comment?: string | undefined;
  readonly dxStation: {
    readonly record?: {
      /** Absent at sea and in the air. */
      readonly latitude?: number | undefined;
      readonly longitude?: number | undefined;
      readonly country: string;
    };
  };
}

/** What to convert: the options of a map, and spots. Projection, section, colors and size have no effect. */
export interface GeoJsonOptions extends Omit<
  MapOptions,
  "projection" | "theme" | "width" | "height" | "view" | "caption" | "id" | "title" | "desc" | "grid"
> {
  /** Annotated spots: points at the location of the DX station's call. */
  readonly spots?: readonly MapSpot[] | undefined;
}
