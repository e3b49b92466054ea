/* Apart from the geometry, so that a page that only counts in kilometres carries none of it. */

/** The Earth's mean radius, as the SDKs reckon. */
export const EARTH_RADIUS_KM = 6371;
export const EARTH_RADIUS_MILES = 3958.8;
