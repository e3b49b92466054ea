import { type Coordinates, distanceBetween } from "./distance.ts";

/** The area of a geo query. */
export type Area =
  | { type: "box"; southwest: Coordinates; northeast: Coordinates }
  | { type: "polygon"; points: [latitude: number, longitude: number][] }
  /** `radius` is in radians. */
  | { type: "sphere"; center: Coordinates; radius: number };

/**
 * Whether a point lies in a polygon, including its border. Points are [latitude, longitude]; the last one connects to
 * the first.
 */
export function polygonContains(
  points: readonly (readonly [number, number])[],
  coordinates: Coordinates,
): boolean {
  const { latitude: y, longitude: x } = coordinates;
  let isInside = false;
  let previous = points.at(-1);
  for (const point of points) {
    if (!previous) break;
    const [y1, x1] = previous;
    const [y2, x2] = point;
    if (isOnSegment(y, x, y1, x1, y2, x2)) return true;
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) isInside = !isInside;
    previous = point;
  }
  return isInside;
}

function isOnSegment(y: number, x: number, y1: number, x1: number, y2: number, x2: number): boolean {
  const cross = (x - x1) * (y2 - y1) - (y - y1) * (x2 - x1);
  return (
    cross === 0 &&
    x >= Math.min(x1, x2) &&
    x <= Math.max(x1, x2) &&
    y >= Math.min(y1, y2) &&
    y <= Math.max(y1, y2)
  );
}

export function areaContains(area: Area, coordinates: Coordinates): boolean {
  switch (area.type) {
    case "box":
      return (
        coordinates.latitude >= area.southwest.latitude &&
        coordinates.latitude <= area.northeast.latitude &&
        coordinates.longitude >= area.southwest.longitude &&
        coordinates.longitude <= area.northeast.longitude
      );
    case "polygon":
      return polygonContains(area.points, coordinates);
    case "sphere":
      return distanceBetween(area.center, coordinates) <= area.radius;
  }
}

/** Closes a polygon for storage, so that its last point equals the first. */
export function closedPolygon(points: [number, number][]): [number, number][] {
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last || (first[0] === last[0] && first[1] === last[1])) return points;
  return [...points, [first[0], first[1]]];
}
