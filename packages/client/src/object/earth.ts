export const EARTH_RADIUS_KM = 6371;
export const EARTH_RADIUS_MILES = 3958.8;
