import type { Area, Coordinates } from "@purse/protocol";
import type { Dialect, SqlParameter } from "./dialect.ts";

/*
 * Distances are computed by the haversine formula in SQL, which both databases support. A bounding box is tested first
 * so that an index on the latitude can be used.
 */

const RADIANS = Math.PI / 180;

/** Returns the angle in radians between the point at a path and the one of `distanceParameters`. */
export function distanceSql(path: readonly string[], dialect: Dialect): string {
  const latitude = dialect.number([...path, "latitude"]);
  const longitude = dialect.number([...path, "longitude"]);
  const half = (angle: string) => `sin((radians(${angle}) - ?) / 2)`;
  const square = (value: string) => `power(${value}, 2)`;
  const h = `${square(half(latitude))} + ? * cos(radians(${latitude})) * ${square(half(longitude))}`;
  return `2 * asin(sqrt(${dialect.least("1.0", h)}))`;
}

export function distanceParameters({ latitude, longitude }: Coordinates): SqlParameter[] {
  return [latitude * RADIANS, Math.cos(latitude * RADIANS), longitude * RADIANS];
}

/** Tests whether a point is within a distance, if one is given. */
export function nearSql(path: readonly string[], hasMaxDistance: boolean, dialect: Dialect): string {
  const latitude = dialect.number([...path, "latitude"]);
  if (!hasMaxDistance) return `${latitude} IS NOT NULL`;
  const longitude = dialect.number([...path, "longitude"]);
  return `(${latitude} BETWEEN ? AND ? AND ${longitude} BETWEEN ? AND ? AND ${distanceSql(path, dialect)} <= ?)`;
}

export function nearParameters(place: Coordinates, maxDistance: number | undefined): SqlParameter[] {
  if (maxDistance === undefined) return [];
  return [...boundingBox(place, maxDistance), ...distanceParameters(place), maxDistance];
}

export function areaSql(
  path: readonly string[],
  type: Area["type"],
  crosses: boolean,
  dialect: Dialect,
): string {
  const latitude = dialect.number([...path, "latitude"]);
  const longitude = dialect.number([...path, "longitude"]);
  switch (type) {
    case "box":
      return crosses
        ? `(${latitude} BETWEEN ? AND ? AND (${longitude} >= ? OR ${longitude} <= ?))`
        : `(${latitude} BETWEEN ? AND ? AND ${longitude} BETWEEN ? AND ?)`;
    case "polygon":
      return `(${latitude} BETWEEN ? AND ? AND ${dialect.inPolygon(latitude, longitude, crosses)})`;
    case "sphere":
      return nearSql(path, true, dialect);
  }
}

export function areaParameters(area: Area): SqlParameter[] {
  switch (area.type) {
    case "box": {
      const { southwest, northeast } = area;
      return [southwest.latitude, northeast.latitude, southwest.longitude, northeast.longitude];
    }
    case "polygon": {
      let south = Number.POSITIVE_INFINITY;
      let north = Number.NEGATIVE_INFINITY;
      for (const [latitude] of area.points) {
        south = Math.min(south, latitude);
        north = Math.max(north, latitude);
      }
      return [south, north, JSON.stringify(area.points)];
    }
    case "sphere":
      return nearParameters(area.center, area.radius);
  }
}

/**
 * Returns the bounding box of a circle in degrees: latitudes, then longitudes. It covers all longitudes if the circle
 * contains a pole or crosses the date line.
 */
function boundingBox({ latitude, longitude }: Coordinates, radius: number): [number, number, number, number] {
  const reach = radius / RADIANS;
  // Slightly more than the circle, to compensate for rounding.
  const slack = 1e-9;
  const south = latitude - reach - slack;
  const north = latitude + reach + slack;
  if (south <= -90 || north >= 90) return [Math.max(south, -90), Math.min(north, 90), -180, 180];
  const width = Math.asin(Math.sin(radius) / Math.cos(latitude * RADIANS)) / RADIANS + slack;
  const west = longitude - width;
  const east = longitude + width;
  return west < -180 || east > 180 ? [south, north, -180, 180] : [south, north, west, east];
}
