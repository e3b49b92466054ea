/* A separate module, so that a page that only needs these constants does not load the geometry code. */

/** The Earth's mean radius as the Parse SDKs define it. */
export const EARTH_RADIUS_KM = 6371;
export const EARTH_RADIUS_MILES = 3958.8;
