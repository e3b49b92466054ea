import { describe, expect, it } from "vitest";
import { isBucketUrl, parseObjectUrl } from "./bucketBackup.ts";

describe("parseObjectUrl()", () => {
  it.each([
    ["s3://backups/copy.sqlite", { prefix: "", key: "copy.sqlite" }],
    ["s3://backups/purse/monday.sqlite?region=eu-central-1", { prefix: "purse/", key: "monday.sqlite" }],
    ["s3://backups/a/b/c", { prefix: "a/b/", key: "c" }],
  ])("splits %s into the folder and the name of the file", (url, { prefix, key }) => {
    expect(parseObjectUrl(url)).toMatchObject({ config: { bucket: "backups", prefix }, key });
  });

  it.each(["s3://backups", "s3://backups/", "disk", "s3://backups/a?unknown=1"])("rejects %s", (url) => {
    expect(() => parseObjectUrl(url)).toThrow("must be");
  });
});

it("isBucketUrl() is false for the path of a file", () => {
  expect([isBucketUrl("s3://backups/a"), isBucketUrl("/backups/s3"), isBucketUrl("s3")]).toEqual([
    true,
    false,
    false,
  ]);
});
