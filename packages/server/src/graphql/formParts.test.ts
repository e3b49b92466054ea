import { describe, expect, it } from "vitest";
import { formContentType, isForm, MAX_PARTS } from "./formParts.ts";

const form = (parts: number, boundary: string) =>
  Buffer.from(
    `${`--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n`.repeat(parts)}--${boundary}--`,
  );

describe("formContentType()", () => {
  it.each([
    ["multipart/form-data; boundary=abc"],
    ['multipart/form-data; boundary="abc"; charset=utf-8'],
    ["Multipart/Form-Data;charset=utf-8;BOUNDARY=abc"],
  ])("counts the parts of %s", (contentType) => {
    expect(isForm(contentType)).toBe(true);
    expect(formContentType(form(MAX_PARTS, "abc"), contentType)).toBe('multipart/form-data; boundary="abc"');
    expect(formContentType(form(MAX_PARTS + 1, "abc"), contentType)).toBeUndefined();
  });

  it("names the boundary whose parts were counted if there are several", () => {
    const contentType = 'multipart/form-data; x="; boundary=other;"; boundary=abc';
    expect(formContentType(form(1_000, "abc"), contentType)).toBe('multipart/form-data; boundary="other"');
  });

  it.each([
    ["there is none", "multipart/form-data"],
    ["a parser would unescape it", String.raw`multipart/form-data; boundary="a\\b"`],
    ["a parser would unescape it once it is quoted", String.raw`multipart/form-data; boundary=a\\b`],
    ["a parser would decode it", "multipart/form-data; boundary=\u00c3\u00a9"],
    ["it is empty", 'multipart/form-data; boundary=""'],
  ])("names no boundary if %s", (_, contentType) => {
    expect(formContentType(form(1_000, "abc"), contentType)).toBe("multipart/form-data");
  });
});
