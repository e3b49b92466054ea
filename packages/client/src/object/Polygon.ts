import { isPolygon, type WirePolygon } from "@purse/protocol";
import { GeoPoint } from "./GeoPoint.ts";
import { registerValueType } from "./valueTypes.ts";

type Corner = [latitude: number, longitude: number];

/** An area with at least three corners, as [latitude, longitude] in degrees. */
export class Polygon {
  static {
    registerValueType("Polygon", (json) => (isPolygon(json) ? new Polygon(json.coordinates) : undefined));
  }

  #coordinates: Corner[];

  /** Throws TypeError for fewer than three corners or invalid ones. */
  constructor(corners: readonly (readonly [number, number] | GeoPoint)[]) {
    this.#coordinates = validCorners(corners);
  }

  get coordinates(): [number, number][] {
    return this.#coordinates;
  }

  set coordinates(corners: readonly (readonly [number, number] | GeoPoint)[]) {
    this.#coordinates = validCorners(corners);
  }

  /** Whether a point is inside (ray casting). */
  containsPoint(point: GeoPoint): boolean {
    let inside = false;
    let previous = this.#coordinates.at(-1);
    for (const corner of this.#coordinates) {
      if (previous && crosses(corner, previous, point)) inside = !inside;
      previous = corner;
    }
    return inside;
  }

  equals(other: unknown): boolean {
    if (!(other instanceof Polygon) || other.coordinates.length !== this.coordinates.length) return false;
    return this.coordinates.every(([latitude, longitude], i) => {
      const corner = other.coordinates[i];
      return corner?.[0] === latitude && corner[1] === longitude;
    });
  }

  toJSON(): WirePolygon {
    return { __type: "Polygon", coordinates: this.#coordinates };
  }
}

function crosses(
  [latitude, longitude]: Corner,
  [otherLatitude, otherLongitude]: Corner,
  point: GeoPoint,
): boolean {
  if (longitude > point.longitude === otherLongitude > point.longitude) return false;
  const slope = (otherLatitude - latitude) / (otherLongitude - longitude);
  return point.latitude < slope * (point.longitude - longitude) + latitude;
}

function validCorners(corners: readonly (readonly [number, number] | GeoPoint)[]): Corner[] {
  if (!Array.isArray(corners)) throw new TypeError("Coordinates must be an Array");
  if (corners.length < 3) throw new TypeError("Polygon must have at least 3 GeoPoints or Points");
  return corners.map((corner: readonly [number, number] | GeoPoint): Corner => {
    const point = corner instanceof GeoPoint ? corner : new GeoPoint(corner);
    return [point.latitude, point.longitude];
  });
}
