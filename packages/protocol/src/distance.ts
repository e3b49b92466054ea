/** A position on Earth in degrees; latitude −90…90, longitude −180…180. */
export interface Coordinates {
  latitude: number;
  longitude: number;
}

const RADIANS = Math.PI / 180;

/** Returns the angle between two positions in radians (haversine). */
export function distanceBetween(a: Coordinates, b: Coordinates): number {
  const sinLatitude = Math.sin(((a.latitude - b.latitude) * RADIANS) / 2);
  const sinLongitude = Math.sin(((a.longitude - b.longitude) * RADIANS) / 2);
  const h =
    sinLatitude * sinLatitude +
    Math.cos(a.latitude * RADIANS) * Math.cos(b.latitude * RADIANS) * sinLongitude * sinLongitude;
  return 2 * Math.asin(Math.min(1, Math.sqrt(h)));
}
