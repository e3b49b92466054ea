import {
  distanceBetween,
  EARTH_RADIUS_KM,
  EARTH_RADIUS_MILES,
  isGeoPoint,
  type WireGeoPoint,
} from "@purse/protocol";
import { registerValueType } from "./valueTypes.ts";

/** A geographic location in degrees: latitude −90…90, longitude −180…180. */
export class GeoPoint {
  static {
    registerValueType("GeoPoint", (json) => (isGeoPoint(json) ? new GeoPoint(json) : undefined));
  }

  #latitude = 0;
  #longitude = 0;

  /** `[latitude, longitude]`, `{latitude, longitude}` or two numbers; without arguments 0, 0. Throws TypeError. */
  constructor(
    point?: readonly [number, number] | { latitude: number; longitude: number } | number,
    longitude?: number,
  ) {
    if (point === undefined) return;
    if (typeof point === "number") {
      this.#set(point, longitude);
    } else if ("latitude" in point) {
      this.#set(point.latitude, point.longitude);
    } else {
      this.#set(point[0], point[1]);
    }
  }

  get latitude(): number {
    return this.#latitude;
  }

  set latitude(value: number) {
    this.#set(value, this.#longitude);
  }

  get longitude(): number {
    return this.#longitude;
  }

  set longitude(value: number) {
    this.#set(this.#latitude, value);
  }

  #set(latitude: unknown, longitude: unknown): void {
    if (typeof latitude !== "number" || typeof longitude !== "number" || Number.isNaN(latitude + longitude)) {
      throw new TypeError("GeoPoint latitude and longitude must be valid numbers");
    }
    if (latitude < -90) throw new TypeError(`GeoPoint latitude out of bounds: ${latitude} < -90.0.`);
    if (latitude > 90) throw new TypeError(`GeoPoint latitude out of bounds: ${latitude} > 90.0.`);
    if (longitude < -180) throw new TypeError(`GeoPoint longitude out of bounds: ${longitude} < -180.0.`);
    if (longitude > 180) throw new TypeError(`GeoPoint longitude out of bounds: ${longitude} > 180.0.`);
    this.#latitude = latitude;
    this.#longitude = longitude;
  }

  /** Great-circle distance by the haversine formula. */
  radiansTo(other: GeoPoint): number {
    return distanceBetween(this, other);
  }

  kilometersTo(other: GeoPoint): number {
    return this.radiansTo(other) * EARTH_RADIUS_KM;
  }

  milesTo(other: GeoPoint): number {
    return this.radiansTo(other) * EARTH_RADIUS_MILES;
  }

  equals(other: unknown): boolean {
    return (
      other instanceof GeoPoint && other.latitude === this.latitude && other.longitude === this.longitude
    );
  }

  toJSON(): WireGeoPoint {
    return { __type: "GeoPoint", latitude: this.latitude, longitude: this.longitude };
  }

  /** The location of the device; the browser asks the user for permission. Browsers only. */
  static current(options?: PositionOptions): Promise<GeoPoint> {
    return new Promise((resolve, reject) => {
      const found = (position: GeolocationPosition): void => resolve(new GeoPoint(position.coords));
      navigator.geolocation.getCurrentPosition(found, reject, options);
    });
  }
}
