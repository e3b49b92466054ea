import { distanceBetween, type Place } from "./distance.ts";

/** An area that a query asks about. */
export type Area =
  | { type: "box"; southwest: Place; northeast: Place }
  | { type: "polygon"; points: [latitude: number, longitude: number][] }
  /** `radius` in radians. */
  | { type: "sphere"; center: Place; radius: number };

/** Whether a place lies in a polygon, its border included. Points as [latitude, longitude]; the last joins the first. */
export function polygonHolds(points: readonly (readonly [number, number])[], place: Place): boolean {
  const { latitude: y, longitude: x } = place;
  let inside = false;
  let previous = points.at(-1);
  for (const point of points) {
    if (!previous) break;
    const [y1, x1] = previous;
    const [y2, x2] = point;
    if (onSegment(y, x, y1, x1, y2, x2)) return true;
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) inside = !inside;
    previous = point;
  }
  return inside;
}

function onSegment(y: number, x: number, y1: number, x1: number, y2: number, x2: number): boolean {
  const cross = (x - x1) * (y2 - y1) - (y - y1) * (x2 - x1);
  return (
    cross === 0 &&
    x >= Math.min(x1, x2) &&
    x <= Math.max(x1, x2) &&
    y >= Math.min(y1, y2) &&
    y <= Math.max(y1, y2)
  );
}

export function areaHolds(area: Area, place: Place): boolean {
  switch (area.type) {
    case "box":
      return (
        place.latitude >= area.southwest.latitude &&
        place.latitude <= area.northeast.latitude &&
        place.longitude >= area.southwest.longitude &&
        place.longitude <= area.northeast.longitude
      );
    case "polygon":
      return polygonHolds(area.points, place);
    case "sphere":
      return distanceBetween(area.center, place) <= area.radius;
  }
}

/** A polygon's points as they are kept: closed, so that the last point is the first. */
export function closedPolygon(points: [number, number][]): [number, number][] {
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last || (first[0] === last[0] && first[1] === last[1])) return points;
  return [...points, [first[0], first[1]]];
}
