import { describe, expect, it } from "vitest";
import { decodeDataUri, MAX_METADATA_BYTES, parseMetadata } from "./content.ts";

const json = JSON.stringify({ name: "ä € 😀 + 100%" });
const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("data: URIs", () => {
  it.each([
    ["base64", `data:application/json;base64,${base64(json)}`],
    [
      "base64 in the URL-safe alphabet",
      `data:application/json;base64,${Buffer.from(json).toString("base64url")}`,
    ],
    ["base64 that is escaped", `data:application/json;base64,${encodeURIComponent(base64(json))}`],
    ["base64 with a character set", `data:application/json;charset=utf-8;base64,${base64(json)}`],
    ["base64 in capitals", `DATA:application/json;BASE64,${base64(json)}`],
    ["base64 in lines", `data:application/json;base64,${base64(json).replace(/(.{20})/g, "$1\n")}`],
    ["escapes", `data:application/json,${encodeURIComponent(json)}`],
    ["plain text, with a percent sign", `data:application/json;utf8,${json}`],
    ["no type at all", `data:,${json}`],
  ])("are read in %s", (_, uri) => {
    expect(Buffer.from(decodeDataUri(uri) ?? []).toString("utf8")).toBe(json);
  });

  it.each([
    ["no comma", "data:application/json;base64"],
    ["invalid base64", "data:application/json;base64,{}"],
  ])("are invalid with %s", (_, uri) => {
    expect(decodeDataUri(uri)).toBeUndefined();
  });
});

describe("metadata", () => {
  it("is stored unchanged", () => {
    const text = '{ "name": "a",  "name": "b", "image": "javascript:alert(1)" }';
    expect(parseMetadata(Buffer.from(`\uFEFF${text}\n`))).toEqual({ metadata: text, terms: "nb" });
  });

  it.each([
    ["text", "hello", "the content is not JSON"],
    ["a page", "<html></html>", "the content is not JSON"],
    ["two objects", "{}{}", "the content is not JSON"],
    ["a list", "[]", "the content is not a JSON object"],
    ["null", "null", "the content is not a JSON object"],
    ["nothing", "", "the content is not JSON"],
    ["a zero byte", '{"name":"\0"}', "the content is not JSON"],
    ["very deep", `{"a":${"[".repeat(400_000)}${"]".repeat(400_000)}}`, "the content is nested too deeply"],
    [
      "too long",
      `{"a":"${"x".repeat(MAX_METADATA_BYTES)}"}`,
      `the metadata is larger than ${MAX_METADATA_BYTES} bytes`,
    ],
  ])("that is %s is rejected", (_, text, problem) => {
    const outcome = parseMetadata(Buffer.from(text));
    expect(outcome).toEqual({ problem, retryAt: null });
  });

  it.each([
    ["a line break in a text", '{"name":"two\nlines"}', '{"name":"two\\nlines"}'],
    ["a tab in a text", '{"name":"a\tb"}', '{"name":"a\\tb"}'],
    ["an escaped apostrophe", '{"name":"it\\\'s"}', '{"name":"it\'s"}'],
    ["a comma behind the last item", '{"name":"a",}', '{"name":"a"}'],
  ])("with %s is repaired", (_, text, metadata) => {
    expect(parseMetadata(Buffer.from(text))).toMatchObject({ metadata });
  });

  it("with an invalid byte of UTF-8 is kept without it", () => {
    const bytes = Buffer.concat([
      Buffer.from('{"name":"a'),
      Buffer.from([0xe4]),
      Buffer.from('b","image":"x"}'),
    ]);
    expect(parseMetadata(bytes)).toMatchObject({ metadata: '{"name":"a\uFFFDb","image":"x"}' });
  });

  it("is not accepted in another encoding", () => {
    expect(parseMetadata(Buffer.from('{"name":"a"}', "utf16le"))).toHaveProperty("problem");
  });
});
