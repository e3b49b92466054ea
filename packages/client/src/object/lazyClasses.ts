import { ParseFile } from "./File.ts";
import { GeoPoint } from "./GeoPoint.ts";
import { Polygon } from "./Polygon.ts";

/** The classes that are loaded with the first response that needs them; see valueTypes. */
export const VALUES = [ParseFile, GeoPoint, Polygon];
