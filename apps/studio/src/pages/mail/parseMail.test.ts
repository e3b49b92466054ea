import { describe, expect, it } from "vitest";
import { parseMail, splitLinks } from "./parseMail.ts";

const mail = (...lines: string[]) => lines.join("\r\n");

describe("an email in the outbox", () => {
  it("is decoded from quoted-printable with folded lines and UTF-8", () => {
    const source = mail(
      "To: ada@example.org",
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: quoted-printable",
      "",
      "Gr=C3=BC=C3=9Fe: http://a.example/x?=",
      "token=3D1",
    );
    expect(parseMail(source)).toEqual({ text: "Grüße: http://a.example/x?token=1", html: undefined });
  });

  it("has both text and HTML if it is multipart", () => {
    const source = mail(
      'Content-Type: multipart/alternative;\r\n boundary="x1"',
      "",
      "--x1",
      "Content-Type: text/plain; charset=utf-8",
      "",
      "Hello",
      "--x1",
      "Content-Type: text/html; charset=utf-8",
      "Content-Transfer-Encoding: base64",
      "",
      btoa("<p>Hello</p>"),
      "--x1--",
    );
    const { text, html } = parseMail(source);
    expect([text?.trim(), html]).toEqual(["Hello", "<p>Hello</p>"]);
  });

  it("is empty if the source is empty", () => {
    expect(parseMail("")).toEqual({ text: "", html: undefined });
  });

  it("has links for http and https URLs only", () => {
    expect(splitLinks("see https://a.example/x and javascript:alert(1)")).toEqual([
      { text: "see ", isLink: false },
      { text: "https://a.example/x", isLink: true },
      { text: " and javascript:alert(1)", isLink: false },
    ]);
  });
});
