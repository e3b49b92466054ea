import { type Coordinates, distanceBetween } from "./distance.ts";

/** The area of a geo query. */
export type Area =
  /** Crosses the antimeridian if its southwest is east of its northeast. */
  | { type: "box"; southwest: Coordinates; northeast: Coordinates }
  | { type: "polygon"; points: [latitude: number, longitude: number][] }
  /** `radius` is in radians. */
  | { type: "sphere"; center: Coordinates; radius: number };

type Corner = readonly [latitude: number, longitude: number];

/**
 * Whether a point lies in a polygon, including its border. Points are [latitude, longitude]; the last one connects to
 * the first. Edges longer than 180 degrees of longitude take the shorter way, across the antimeridian.
 */
export function polygonContains(points: readonly Corner[], { latitude, longitude }: Coordinates): boolean {
  if (!crossesAntimeridian(points)) return flatContains(points, latitude, longitude);
  const corners = unwrapLongitudes(points);
  return [0, 360, -360].some((turn) => flatContains(corners, latitude, longitude + turn));
}

/** Whether an edge of a polygon or of a box takes the way across the antimeridian. */
export function areaCrosses(area: Area): boolean {
  if (area.type === "polygon") return crossesAntimeridian(area.points);
  return area.type === "box" && area.southwest.longitude > area.northeast.longitude;
}

function crossesAntimeridian(points: readonly Corner[]): boolean {
  return points.some(([, longitude], i) => turnOf((points[i - 1] ?? [0, longitude])[1], longitude) !== 0);
}

/** By how much a longitude changes so that it is next to the previous one. A full circle stays as it is. */
function turnOf(previous: number, longitude: number): number {
  const step = longitude - previous;
  return Math.abs(step) > 180 && Math.abs(step) < 360 ? -360 * Math.sign(step) : 0;
}

/** The points with longitudes beyond 180 degrees, so that the polygon is connected without the antimeridian. */
export function unwrapLongitudes(points: readonly Corner[]): [number, number][] {
  let turn = 0;
  return points.map(([latitude, longitude], i) => {
    turn += turnOf((points[i - 1] ?? [0, longitude])[1], longitude);
    return [latitude, longitude + turn];
  });
}

function flatContains(points: readonly Corner[], y: number, x: number): boolean {
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
    case "box": {
      const { latitude, longitude } = coordinates;
      const { southwest, northeast } = area;
      const [isEast, isWest] = [longitude >= southwest.longitude, longitude <= northeast.longitude];
      return (
        latitude >= southwest.latitude &&
        latitude <= northeast.latitude &&
        (areaCrosses(area) ? isEast || isWest : isEast && isWest)
      );
    }
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
