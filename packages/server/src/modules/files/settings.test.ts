import { parseAt } from "@purse/kernel";
import { describe, expect, it } from "vitest";
import { fileUploadSchema } from "./settings.ts";

const read = (fileUpload: unknown) => parseAt("fileUpload", fileUploadSchema, fileUpload);
const allowed = (fileUpload: unknown, extensions: string[]) =>
  extensions.filter((extension) => read(fileUpload).allowsExtension?.(extension));

describe("fileUpload of the config file", () => {
  it("allows signed-in users to upload what browsers do not execute by default", () => {
    expect(read(undefined)).toMatchObject({ enableForPublic: false, enableForAuthenticatedUser: true });
    expect(allowed(undefined, ["jpg", "html"])).toEqual(["jpg"]);
  });

  it("takes extensions, which match completely, and regular expressions", () => {
    expect(allowed({ fileExtensions: ["jpg", "^png$"] }, ["jpg", "jpgx", "png"])).toEqual(["jpg", "png"]);
  });

  it.each([
    [{ fileExtensions: ["("] }, "it is not a regular expression"],
    [
      { fileExtension: ["jpg"] },
      '"fileUpload" of the config file: "fileExtension" is not known: did you mean fileExtensions?',
    ],
  ])("is rejected with the key and the allowed values: %j", (fileUpload, message) => {
    expect(() => read(fileUpload)).toThrow(message);
  });
});
