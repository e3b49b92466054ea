import { describe, expect, it } from "vitest";
import {
  requestedThumbnail,
  requestedTransform,
  thumbnailTransform,
  transformKey,
} from "./imageTransform.ts";

const requested = (search: string) => requestedTransform(new URLSearchParams(search));

describe("requestedTransform()", () => {
  it("is undefined for URLs that request neither a size nor a format", () => {
    expect(requested("")).toBeUndefined();
    expect(requested("v=2&quality=3&fit=cover")).toBeUndefined();
  });

  it("keeps the ratio of the image if one side is missing", () => {
    expect(requested("width=320&fit=cover")).toEqual({
      width: 320,
      height: 2_048,
      fit: "inside",
      format: "webp",
      quality: 80,
    });
  });

  it("returns what the URL requests", () => {
    expect(requested("width=320&height=200&fit=cover&format=jpeg&quality=60&v=2")).toEqual({
      width: 320,
      height: 200,
      fit: "cover",
      format: "jpeg",
      quality: 60,
    });
  });

  it.each([
    ["width=0", "width must be an integer from 1 to 2048"],
    ["width=2049", "width must be an integer from 1 to 2048"],
    ["height=1e3", "height must be an integer from 1 to 2048"],
    ["height=-1", "height must be an integer from 1 to 2048"],
    ["width=10.5", "width must be an integer from 1 to 2048"],
    ["width=", "width must be an integer from 1 to 2048"],
    ["width=9&fit=fill", "fit must be inside or cover"],
    ["format=svg", "format must be webp, avif, jpeg, png"],
    ["width=9&format=__proto__", "format must be webp, avif, jpeg, png"],
    ["width=9&quality=101", "quality must be an integer from 1 to 100"],
  ])("rejects %s with 142", (search, message) => {
    expect(() => requested(search)).toThrow(expect.objectContaining({ code: 142, status: 400, message }));
  });
});

describe("requestedThumbnail()", () => {
  it("returns the next standard width", () => {
    const thumbnail = requestedThumbnail(new URLSearchParams("width=65"));
    expect(thumbnail).toEqual(thumbnailTransform(128));
    expect(thumbnail?.width).toBe(128);
  });

  it("rejects invalid widths with 142", () => {
    for (const width of ["0", "1025", "x"]) {
      expect(() => requestedThumbnail(new URLSearchParams({ width }))).toThrow(
        expect.objectContaining({ code: 142, message: "width must be an integer from 1 to 1024" }),
      );
    }
  });
});

describe("transformKey()", () => {
  it("differs for each property of a transform", () => {
    const transform = thumbnailTransform(64);
    const others = [
      { width: 65 },
      { height: 65 },
      { fit: "cover" as const },
      { format: "png" as const },
      { quality: 81 },
    ];
    const keys = [transform, ...others.map((other) => ({ ...transform, ...other }))].map(transformKey);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
