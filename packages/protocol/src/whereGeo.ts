import type { Coordinates } from "./distance.ts";
import { EARTH_RADIUS_KM, EARTH_RADIUS_MILES } from "./earthRadius.ts";
import { ErrorCode, ProtocolError } from "./errors.ts";
import { isGeoPoint, isPolygon } from "./fieldTypes.ts";
import { type Area, closedPolygon, unwrapLongitudes } from "./geo.ts";
import { MAX_POLYGON_POINTS } from "./limits.ts";
import { invalid, invalidValue } from "./queryErrors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./wireValues.ts";

export function parsePoint(value: JsonValue | undefined, operator: string): Coordinates {
  if (isGeoPoint(value)) return { latitude: value.latitude, longitude: value.longitude };
  throw invalidValue(`bad ${operator} value: it takes a GeoPoint`);
}

/** Returns the maximum distance in radians, given in any unit. */
export function parseMaxDistance(constraint: JsonObject): number | undefined {
  const units: [string, number][] = [
    ["$maxDistance", 1],
    ["$maxDistanceInRadians", 1],
    ["$maxDistanceInMiles", EARTH_RADIUS_MILES],
    ["$maxDistanceInKilometers", EARTH_RADIUS_KM],
  ];
  for (const [name, radius] of units) {
    const value = constraint[name];
    if (value === undefined) continue;
    if (typeof value !== "number" || value < 0)
      throw invalidValue(`bad ${name} value: it takes a number from 0 on`);
    return value / radius;
  }
  return undefined;
}

export function parseArea(value: JsonValue | undefined, operator: string): Area {
  if (!isJsonObject(value)) throw invalidValue(`bad ${operator} value`);
  if (operator === "$within") {
    const corners = value.$box;
    if (!Array.isArray(corners) || corners.length !== 2) throw invalidValue("malformatted $within arg");
    return { type: "box", ...toBox(parsePoint(corners[0], "$box"), parsePoint(corners[1], "$box")) };
  }
  if (value.$polygon !== undefined) return { type: "polygon", points: parsePolygon(value.$polygon) };
  if (value.$centerSphere !== undefined) return parseSphere(value.$centerSphere);
  throw invalidValue("bad $geoWithin value");
}

/**
 * Returns the box between two opposite corners. A first corner that is the southern one is the southwest: east of the
 * other one, the box crosses the antimeridian.
 */
function toBox(a: Coordinates, b: Coordinates): { southwest: Coordinates; northeast: Coordinates } {
  if (a.latitude <= b.latitude) return { southwest: a, northeast: b };
  const longitudes = [a.longitude, b.longitude];
  return {
    southwest: { latitude: b.latitude, longitude: Math.min(...longitudes) },
    northeast: { latitude: a.latitude, longitude: Math.max(...longitudes) },
  };
}

function parsePolygon(value: JsonValue | undefined): [number, number][] {
  const raw = isJsonObject(value) ? value.coordinates : value;
  if (Array.isArray(raw) && raw.length > MAX_POLYGON_POINTS) {
    throw invalid(`$polygon takes ${MAX_POLYGON_POINTS} points at most`);
  }
  if (isPolygon(value)) return closedArea(value.coordinates.map(toVertex));
  if (!Array.isArray(value)) {
    throw invalidValue(
      "bad $geoWithin value; $polygon should be Polygon object or Array of Parse.GeoPoint's",
    );
  }
  if (value.length < 3)
    throw invalidValue("bad $geoWithin value; $polygon should contain at least 3 GeoPoints");
  const points = value.map((point): [number, number] => {
    if (Array.isArray(point) && typeof point[0] === "number" && typeof point[1] === "number") {
      return toVertex([point[0], point[1]]);
    }
    if (isGeoPoint(point)) return [point.latitude, point.longitude];
    const { __type: type, latitude, longitude } = isJsonObject(point) ? point : {};
    const isPoint = type === "GeoPoint" && typeof latitude === "number" && typeof longitude === "number";
    throw isPoint ? outOfBounds() : invalidValue("bad $geoWithin value");
  });
  return closedArea(points);
}

/** Throws 107 for a polygon that goes around a pole, of which it is unknown what is inside. */
function closedArea(points: [number, number][]): [number, number][] {
  const closed = closedPolygon(points);
  if (unwrapLongitudes(closed).at(-1)?.[1] === closed.at(-1)?.[1]) return closed;
  throw invalidValue(
    "bad $geoWithin value; $polygon goes around a pole: edges longer than 180 degrees cross the antimeridian",
  );
}

/** Throws 1 for a pair that is no latitude and longitude, in any order: apps have stored polygons in both. */
function toVertex(pair: [number, number]): [number, number] {
  const [smaller = 0, larger = 0] = pair.map(Math.abs).sort((a, b) => a - b);
  if (smaller <= 90 && larger <= 180) return pair;
  throw outOfBounds();
}

/** The error of coordinates of a polygon that are out of bounds, with the code of Parse Server. */
function outOfBounds(): ProtocolError {
  const message = "bad $geoWithin value; a latitude is -90 to 90, a longitude -180 to 180";
  return new ProtocolError(ErrorCode.INTERNAL_SERVER_ERROR, message, 400);
}

function parseSphere(value: JsonValue): Area {
  if (!Array.isArray(value) || value.length < 2) {
    throw invalidValue(
      "bad $geoWithin value; $centerSphere should be an array of Parse.GeoPoint and distance",
    );
  }
  const [center, radius] = value;
  const point: JsonValue | undefined =
    Array.isArray(center) && center.length === 2
      ? { __type: "GeoPoint", latitude: center[1] ?? null, longitude: center[0] ?? null }
      : center;
  if (!isGeoPoint(point)) throw invalidValue("bad $geoWithin value; $centerSphere geo point invalid");
  if (typeof radius !== "number" || radius < 0) {
    throw invalidValue("bad $geoWithin value; $centerSphere distance invalid");
  }
  return { type: "sphere", center: parsePoint(point, "$centerSphere"), radius };
}
