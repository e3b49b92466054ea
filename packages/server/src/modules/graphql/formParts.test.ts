import { describe, expect, it } from "vitest";
import { CLIENT_BODY_LIMITS } from "../../core/http/bodyParser.ts";
import { UploadedFile } from "./context.ts";
import { parseForm } from "./formParts.ts";

const LIMITS = CLIENT_BODY_LIMITS.user;
const CONTENT_TYPE = "multipart/form-data; boundary=abc";
const OPERATIONS = JSON.stringify({ query: "{ health }", variables: { file: null, list: [null, 1] } });

/** A part with this disposition and content. */
const part = (disposition: string, content: string, headers = "") =>
  `--abc\r\nContent-Disposition: form-data; ${disposition}\r\n${headers}\r\n${content}\r\n`;
const formOf = (...parts: string[]) => Buffer.from(`${parts.join("")}--abc--\r\n`);
const operations = part('name="operations"', OPERATIONS);
const mapOf = (map: unknown) => part('name="map"', JSON.stringify(map));
const rejection = (body: Buffer, contentType = CONTENT_TYPE) =>
  parseForm(body, contentType, LIMITS).then(
    () => undefined,
    (error: unknown) => String(error),
  );

describe("parseForm()", () => {
  it.each([
    ["multipart/form-data; boundary=abc"],
    ['multipart/form-data; boundary="abc"; charset=utf-8'],
    ["Multipart/Form-Data;charset=utf-8;BOUNDARY=abc"],
  ])("puts the files of a form of type %s in the places of the map", async (contentType) => {
    const file = part('name="0"; filename="a \\"b\\".txt"', "first\r\n--ab", "Content-Type: text/plain\r\n");
    const other = part('name="1"; filename="%22c%22.txt"', "");
    const form = formOf(operations, mapOf({ 0: ["variables.file"], 1: ["variables.list.0"] }), file, other);
    const { variables } = (await parseForm(form, contentType, LIMITS)) as {
      variables?: { file: UploadedFile; list: UploadedFile[] };
    };
    expect(variables?.file).toBeInstanceOf(UploadedFile);
    expect([variables?.file.name, variables?.file.type]).toEqual(['a "b".txt', "text/plain"]);
    expect(variables?.file.content.toString()).toBe("first\r\n--ab");
    expect([variables?.list[0]?.name, variables?.list[0]?.size]).toEqual(['"c".txt', 0]);
  });

  it("finds the parts of forms that FormData makes, also with contents that begin like a boundary", async () => {
    const form = new FormData();
    form.set("operations", OPERATIONS);
    form.set("map", JSON.stringify({ 0: ["variables.file"] }));
    const response = new Response(form);
    const contentType = response.headers.get("content-type") ?? "";
    const boundary = contentType.split("boundary=")[1];
    form.set("0", new File([`\r\n--${boundary}x`, "\r\n--"], "ä.bin"));
    const body = Buffer.from(
      await new Response(form, { headers: { "content-type": contentType } }).arrayBuffer(),
    );
    // It has another boundary than the content.
    const own = body.toString("utf8", 2, body.indexOf("\r\n"));
    const parsed = await parseForm(body, `multipart/form-data; boundary=${own}`, LIMITS);
    expect(parsed).toMatchObject({
      variables: { file: { name: "ä.bin", size: Buffer.byteLength(`\r\n--${boundary}x\r\n--`) } },
    });
  });

  it.each<[string, Buffer, string?]>([
    [
      "too many parts",
      formOf(operations, ...Array.from({ length: 100 }, (_, i) => part(`name="${i}"`, "x"))),
    ],
    ["no boundary", formOf(operations), "multipart/form-data"],
    [
      "a boundary that parsers unescape",
      formOf(operations),
      String.raw`multipart/form-data; boundary="a\\b"`,
    ],
    ["no end", Buffer.from(operations)],
    ["a part without a name", formOf(operations, part("x=y", "x"))],
    ["a part with long headers", formOf(operations, part('name="a"', "x", `X: ${"x".repeat(9_000)}\r\n`))],
    ["no operation", formOf(mapOf({}))],
    ["a map without lists", formOf(operations, mapOf({ 0: 1 }), part('name="0"', "x"))],
    ["a map of missing files", formOf(operations, mapOf({ 0: ["variables.file"] }))],
    ["a path to a value", formOf(operations, mapOf({ 0: ["variables.list.1"] }), part('name="0"', "x"))],
    ["a path to nothing", formOf(operations, mapOf({ 0: ["variables.none"] }), part('name="0"', "x"))],
    [
      "a path to a prototype",
      formOf(operations, mapOf({ 0: ["variables.__proto__.x"] }), part('name="0"', "x")),
    ],
    ["a long path", formOf(operations, mapOf({ 0: ["a.".repeat(400)] }), part('name="0"', "x"))],
  ])("rejects a form with %s", async (_, body, contentType) => {
    expect(await rejection(body, contentType)).toMatch(/form/);
  });
});
