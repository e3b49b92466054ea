import { expect, it } from "vitest";
import { areaContains, polygonContains } from "./geo.ts";
import { parseArea } from "./whereGeo.ts";

const place = (latitude: number, longitude: number) => ({ __type: "GeoPoint", latitude, longitude });
const LONGITUDES = [-180, -171.8, -100, -47.9, 0, 100, 178, 180];

it.each<[string, Parameters<typeof parseArea>[0], number[]]>([
  ["a box", { $box: [place(-20, -50), place(-10, 100)] }, [-47.9, 0, 100]],
  ["a box across the antimeridian", { $box: [place(-20, 170), place(-10, -170)] }, [-180, -171.8, 178, 180]],
  [
    "a box from the southeast",
    { $box: [place(-20, 1), place(-10, -1)] },
    [-180, -171.8, -100, -47.9, 100, 178, 180],
  ],
  ["a box from its northeast", { $box: [place(-10, 100), place(-20, -50)] }, [-47.9, 0, 100]],
  ["a box from its northwest", { $box: [place(-10, -50), place(-20, 100)] }, [-47.9, 0, 100]],
  ["a box of all longitudes", { $box: [place(-20, -180), place(-10, 180)] }, LONGITUDES],
])("%s contains the points between its west and its east", (_name, value, expected) => {
  const area = parseArea(value, "$within");
  expect(LONGITUDES.filter((longitude) => areaContains(area, { latitude: -15, longitude }))).toEqual(
    expected,
  );
});

const rectangle = (west: number, east: number): [number, number][] => [
  [-20, west],
  [-20, east],
  [-10, east],
  [-10, west],
];

it.each<[string, [number, number][], number[]]>([
  ["of less than half of the earth", rectangle(-50, 100), [-47.9, 0, 100]],
  ["across the antimeridian, to the east", rectangle(170, -170), [-180, -171.8, 178, 180]],
  ["across the antimeridian, to the west", rectangle(-170, 170), [-180, -171.8, 178, 180]],
  ["of half of the earth", rectangle(-90, 90), [-47.9, 0]],
  ["of the whole earth", rectangle(-180, 180), LONGITUDES],
  ["that ends at the antimeridian", rectangle(100, 180), [100, 178, 180]],
])("a polygon %s contains the points between its corners", (_name, corners, expected) => {
  const points = corners.map(([latitude, longitude]) => place(latitude, longitude));
  const area = parseArea({ $polygon: points }, "$geoWithin");
  const inArea = LONGITUDES.filter((longitude) => areaContains(area, { latitude: -15, longitude }));
  const inPolygon = LONGITUDES.filter((longitude) => polygonContains(corners, { latitude: -15, longitude }));
  expect([inArea, inPolygon]).toEqual([expected, expected]);
});

it("a polygon around a pole is refused with 107", () => {
  const $polygon = [0, 90, 180, -90].map((longitude) => place(60, longitude));
  expect(() => parseArea({ $polygon }, "$geoWithin")).toThrow(
    expect.objectContaining({ code: 107, message: expect.stringContaining("around a pole") }),
  );
});
